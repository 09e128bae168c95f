import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { COLUMNS, type Column } from './explore-state';
import { EXPLORE } from './texts';

export function ColumnChoice(props: {
  readonly columns: readonly Column[];
  readonly onChange: (next: Column[]) => void;
}) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  return (
    <Popover trapFocus returnFocus position="bottom-start" shadow="md">
      <Popover.Target>
        <Button variant="subtle" color="gray" c="inherit" size="compact-xs">
          {t.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.columns}>
        <Checkbox.Group
          label={t.columns}
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
                label={labels[column]}
                disabled={column === 'eventTime'}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
