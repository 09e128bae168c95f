import { Group, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import type { Column, ExploreState } from './explore-state';
import { EXPLORE } from './texts';
import type { Change } from './use-explore-state';

interface Props {
  readonly column: Column;
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
}

/** The heading of a sortable column of events. */
export function SortHeader({ column, state, change }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const isSorted = state.sortBy === column;
  return (
    <SortButton
      label={labels[column]}
      isSorted={isSorted}
      descending={state.descending}
      onClick={() => change({ sortBy: column, descending: isSorted && !state.descending })}
    />
  );
}

interface ButtonProps {
  readonly label: string;
  readonly isSorted: boolean;
  /** The direction, where the list is sorted by this column. */
  readonly descending: boolean;
  readonly onClick: () => void;
}

/** The button in a heading. It is inside the cell, so that the cell stays a heading. */
export function SortButton({ label, isSorted, descending, onClick }: ButtonProps) {
  const t = useTexts(EXPLORE);
  const Icon = isSorted ? (descending ? IconArrowDown : IconArrowUp) : IconArrowsSort;
  return (
    <UnstyledButton
      fw="inherit"
      fz="inherit"
      aria-label={t.sortBy(label, isSorted, descending)}
      onClick={onClick}
    >
      <Group gap={4} wrap="nowrap">
        {label}
        <Icon size={14} aria-hidden opacity={isSorted ? 1 : 0.5} />
      </Group>
    </UnstyledButton>
  );
}
