import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { FIELD_LABELS } from '../lib/field-labels';
import { COLUMNS, type Column } from './explore-state';

export function ColumnChoice(props: {
  readonly columns: readonly Column[];
  readonly onChange: (next: Column[]) => void;
}) {
  return (
    <Popover trapFocus returnFocus position="bottom-start" shadow="md">
      <Popover.Target>
        <Button variant="subtle" color="gray" c="inherit" size="compact-xs">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Checkbox.Group
          label="Columns"
          value={[...props.columns]}
          // The time opens the event: without this column, a keyboard could not open it.
          onChange={(next) =>
            props.onChange(COLUMNS.filter((each) => each === 'eventTime' || next.includes(each)))
          }
        >
          <Stack gap={6} mt={6}>
            {COLUMNS.map((column) => (
              <Checkbox
                key={column}
                size="xs"
                value={column}
                label={FIELD_LABELS[column]}
                disabled={column === 'eventTime'}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
