import { Group, Stack } from '@mantine/core';
import { DataTable, type DataTableColumn } from 'mantine-datatable';
import { memo } from 'react';
import type { EventsQuery } from '../../generated/operations';
import { FIELD_LABELS } from '../lib/field-labels';
import { formatCount } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { formatTime, type TimeZone } from '../lib/time';
import { ColumnChoice } from './column-choice';
import { COLUMNS, type Column, type ExploreState, isSortable, PAGE_SIZES } from './explore-state';
import { Outcome } from './outcome';
import { PageJump } from './page-jump';
import { SortHeader } from './sort-header';
import type { Change } from './use-explore-state';

type Page = EventsQuery['auditEvents'];
type Item = Page['items'][number];

interface Props {
  readonly page: Page | undefined;
  readonly isBusy: boolean;
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
  readonly zone: TimeZone;
}

export const EventsTable = memo(function EventsTable({ page, isBusy, state, change, zone }: Props) {
  const open = (item: Item) => change({ event: item.recordId });
  const columns = COLUMNS.filter((column) => state.columns.includes(column)).map((column) =>
    columnOf(column, { zone, open, state, change }),
  );
  const totalCount = page?.totalCount ?? 0;
  return (
    <Stack gap="xs">
      <DataTable
        withTableBorder
        striped
        highlightOnHover
        minHeight={180}
        fz="sm"
        idAccessor="recordId"
        records={[...(page?.items ?? [])]}
        columns={columns}
        fetching={isBusy}
        noRecordsText="No events on this page"
        onRowClick={({ record }) => open(record)}
        totalRecords={totalCount}
        page={state.page}
        onPageChange={(next) => change({ page: next })}
        recordsPerPage={state.pageSize}
        recordsPerPageOptions={PAGE_SIZES}
        onRecordsPerPageChange={(pageSize) => change({ pageSize, page: 1 })}
        recordsPerPageLabel="Per page"
        paginationText={({ from, to, totalRecords }) =>
          `${formatCount(from)} – ${formatCount(to)} of ${formatCount(totalRecords)}`
        }
        getPaginationControlProps={(control) => ({ 'aria-label': `${control} page` })}
      />
      <Group justify="space-between">
        <ColumnChoice columns={state.columns} onChange={(next) => change({ columns: next })} />
        <PageJump
          key={state.page}
          page={state.page}
          pages={Math.max(1, Math.ceil(totalCount / state.pageSize))}
          onJump={(next) => change({ page: next })}
        />
      </Group>
    </Stack>
  );
});

function columnOf(
  column: Column,
  { zone, open, ...sorting }: Pick<Props, 'zone' | 'state' | 'change'> & { open: (item: Item) => void },
): DataTableColumn<Item> {
  return {
    accessor: column,
    title: isSortable(column) ? <SortHeader column={column} {...sorting} /> : FIELD_LABELS[column],
    ...(column === 'statementPreview' ? { ellipsis: true, width: 320 } : { noWrap: true }),
    render: (item) => {
      if (column === 'eventTime')
        return <Opener onOpen={() => open(item)}>{formatTime(item.eventTime, zone, 3)}</Opener>;
      if (column === 'succeeded') return <Outcome succeeded={item.succeeded} />;
      return item[column] ?? '';
    },
  };
}
