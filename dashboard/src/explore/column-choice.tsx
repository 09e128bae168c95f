import { ActionIcon, Button, Checkbox, Group, Popover, Stack } from '@mantine/core';
import {
  IconArrowAutofitWidth,
  IconArrowDown,
  IconArrowUp,
  IconMinus,
  IconPlus,
  type TablerIcon,
} from '@tabler/icons-react';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { COLUMNS, type Column } from './explore-state';
import { COLUMN_WIDTH, moved, useColumnWidths } from './own-columns';
import { EXPLORE } from './texts';

interface Props {
  readonly columns: readonly Column[];
  readonly onChange: (next: readonly Column[]) => void;
}

/** Which columns the list has, in which order, and how wide each is. */
export function ColumnChoice({ columns, onChange }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const others = COLUMNS.filter((column) => !columns.includes(column));
  // The time opens the event: without this column, a keyboard could not open it.
  const choose = (column: Column, isChosen: boolean) =>
    onChange(isChosen ? [...columns, column] : columns.filter((each) => each !== column));
  const row = (column: Column) => (
    <Checkbox
      size="xs"
      flex={1}
      label={labels[column]}
      checked={columns.includes(column)}
      disabled={column === 'eventTime'}
      onChange={(event) => choose(column, event.currentTarget.checked)}
    />
  );
  return (
    <Popover trapFocus returnFocus position="bottom-end" shadow="md">
      <Popover.Target>
        <Button variant="subtle" color="gray" c="inherit" size="compact-xs">
          {t.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.columns} mah="70vh" style={{ overflowY: 'auto' }}>
        <Stack gap={2} role="group" aria-label={t.columns}>
          {columns.map((column) => (
            <Group key={column} gap={4} wrap="nowrap" mih={26}>
              {row(column)}
              <Place column={column} columns={columns} onChange={onChange} />
              <Width column={column} />
            </Group>
          ))}
          {others.map((column) => (
            <Group key={column} mih={26}>
              {row(column)}
            </Group>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Moves a column by one place. */
function Place({ column, columns, onChange }: Props & { readonly column: Column }) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const at = columns.indexOf(column);
  const step = (by: number) => {
    const to = columns[at + by];
    return to && (() => onChange(moved(columns, column, to)));
  };
  return (
    <>
      <Small label={t.moveForward(labels[column])} icon={IconArrowUp} act={step(-1)} />
      <Small label={t.moveBack(labels[column])} icon={IconArrowDown} act={step(1)} />
    </>
  );
}

function Width({ column }: { readonly column: Column }) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const [widths, setWidth] = useColumnWidths();
  const width = widths[column] ?? COLUMN_WIDTH.usual;
  const by = (px: number) => () => setWidth(column, width + px);
  return (
    <>
      <Small label={t.narrower(labels[column])} icon={IconMinus} act={by(-COLUMN_WIDTH.step)} />
      <Small label={t.wider(labels[column])} icon={IconPlus} act={by(COLUMN_WIDTH.step)} />
      <Small
        label={t.ownWidth(labels[column])}
        icon={IconArrowAutofitWidth}
        act={widths[column] === undefined ? undefined : () => setWidth(column, null)}
      />
    </>
  );
}

function Small(props: {
  readonly label: string;
  readonly icon: TablerIcon;
  /** Undefined or empty: there is nothing to do. */
  readonly act: (() => void) | '' | undefined;
}) {
  const { label, icon: Icon, act } = props;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="inherit"
      size={24}
      aria-label={label}
      title={label}
      disabled={!act}
      {...(!act && { bg: 'transparent' })}
      {...(act ? { onClick: act } : {})}
    >
      <Icon size={14} aria-hidden />
    </ActionIcon>
  );
}
