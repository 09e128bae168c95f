import { Group, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { FIELD_LABELS } from '../lib/field-labels';
import type { Column, ExploreState } from './explore-state';
import type { Change } from './use-explore-state';

interface Props {
  readonly column: Column;
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
}

/** The heading of a sortable column. The button is inside the cell, so that the cell stays a heading. */
export function SortHeader({ column, state, change }: Props) {
  const isSorted = state.sortBy === column;
  const direction = state.descending ? 'descending' : 'ascending';
  const Icon = isSorted ? (state.descending ? IconArrowDown : IconArrowUp) : IconArrowsSort;
  return (
    <UnstyledButton
      fw="inherit"
      fz="inherit"
      aria-label={`Sort by ${FIELD_LABELS[column]}${isSorted ? `, now ${direction}` : ''}`}
      onClick={() => change({ sortBy: column, descending: isSorted && !state.descending })}
    >
      <Group gap={4} wrap="nowrap">
        {FIELD_LABELS[column]}
        <Icon size={14} aria-hidden opacity={isSorted ? 1 : 0.5} />
      </Group>
    </UnstyledButton>
  );
}
