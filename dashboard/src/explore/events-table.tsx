import { VisuallyHidden } from '@mantine/core';
import { DataTable, type DataTableColumn } from 'mantine-datatable';
import { memo, type ReactNode, useDeferredValue, useRef } from 'react';
import type { EventsQuery } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { formatDigits } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { onRow } from '../lib/row-click';
import type { In } from '../lib/texts';
import { formatTime, type TimeZone } from '../lib/time';
import { useListKeys } from '../lib/use-list-keys';
import { useOneStop } from '../lib/use-one-stop';
import { NoteMark } from '../notes/note-mark';
import { ActionName } from './action-name';
import { ColumnHead } from './column-head';
import { showValue } from './event/marks';
import classes from './explore.module.css';
import { type Column, type ExploreState, formatState, isSortable, PAGE_SIZES } from './explore-state';
import { isFacetField } from './facets/facet-field';
import { ValueActions } from './filter/value-actions';
import { FindingMark } from './finding-mark';
import { Outcome } from './outcome';
import { moved, useColumnWidths } from './own-columns';
import { PageJump } from './page-jump';
import { SortHeader } from './sort-header';
import { EXPLORE } from './texts';
import type { Change } from './use-explore-state';
import type { FindingMarks } from './use-findings';

type Page = EventsQuery['auditEvents'];
type Item = Page['items'][number];

/** In pixels, where nobody has made the column narrower or wider. */
const STATEMENT_WIDTH = 300;

interface Props {
  readonly page: Page | undefined;
  readonly marks: FindingMarks;
  readonly isBusy: boolean;
  /** The rows that came just now. */
  readonly fresh: ReadonlySet<string>;
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
  readonly onColumns: (columns: readonly Column[]) => void;
  readonly zone: TimeZone;
}

export const EventsTable = memo(function EventsTable(props: Props) {
  const { page, marks, isBusy, fresh, state, change, onColumns, zone } = props;
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const open = (item: Item) => change({ event: item.recordId });
  const [widths, setWidth] = useColumnWidths();
  const columns = state.columns.map((column) => {
    const head = (title: ReactNode) => (
      <ColumnHead
        column={column}
        onDrop={(other) => onColumns(moved(state.columns, other, column))}
        onWidth={(to) => setWidth(column, to)}
      >
        {title}
      </ColumnHead>
    );
    const width = widths[column] ?? (column === 'statementPreview' ? STATEMENT_WIDTH : null);
    return columnOf(column, { zone, open, state, change, marks, head, width }, t, labels);
  });
  const totalCount = page?.totalCount ?? 0;
  useListKeys(page?.items.map(({ recordId }) => recordId) ?? [], 'data-event');
  const place = useRef<HTMLDivElement>(null);
  useOneStop(place, 'thead');
  return (
    <div ref={place} className={classes.place}>
      <DataTable
        className={classes.table ?? ''}
        withTableBorder
        highlightOnHover
        minHeight={180}
        fz={12.5}
        verticalSpacing={3}
        horizontalSpacing={8}
        idAccessor="recordId"
        records={[...(page?.items ?? [])]}
        columns={columns}
        fetching={isBusy}
        noRecordsText={t.noEventsOnPage}
        onRowClick={onRow(open)}
        customRowAttributes={({ recordId }) => ({ 'data-event': recordId })}
        rowClassName={({ recordId, eventTime, succeeded }) =>
          [
            !succeeded && classes.failed,
            recordId === state.event && classes.open,
            eventTime === state.around && classes.center,
            fresh.has(recordId) && classes.fresh,
          ]
            .filter(Boolean)
            .join(' ')
        }
        totalRecords={totalCount}
        page={state.page}
        onPageChange={(next) => change({ page: next })}
        recordsPerPage={state.pageSize}
        recordsPerPageOptions={PAGE_SIZES}
        onRecordsPerPageChange={(pageSize) => change({ pageSize, page: 1 })}
        recordsPerPageLabel={common.perPage}
        paginationText={({ from, to, totalRecords }) => common.ofRows(from, to, totalRecords)}
        paginationSize="xs"
        renderPagination={({ Controls }) => (
          <AfterRows>
            <Controls.Text />
            <Controls.PageSizeSelector />
            <Controls.Pagination />
            <PageJump
              key={state.page}
              page={state.page}
              pages={Math.max(1, Math.ceil(totalCount / state.pageSize))}
              onJump={(next) => change({ page: next })}
            />
          </AfterRows>
        )}
        getPaginationControlProps={(control) => ({ 'aria-label': common[`${control}Page`] })}
      />
    </div>
  );
});

/** What is drawn in a task after that of the rows. Its place is kept. */
const AfterRows = ({ children }: { readonly children: ReactNode }) =>
  useDeferredValue(true, false) ? children : <div className={classes.pages} />;

/** Most events state 0 rows: nothing is shown for it, so that the others stand out. */
const Rows = ({ text }: { readonly text: string | null }) =>
  text !== null && /^[1-9]\d*$/.test(text) ? formatDigits(text) : null;

function columnOf(
  column: Column,
  {
    zone,
    open,
    state,
    change,
    marks,
    head,
    width,
  }: Pick<Props, 'zone' | 'state' | 'change' | 'marks'> & {
    readonly open: (item: Item) => void;
    /** Makes the heading of its title. */
    readonly head: (title: ReactNode) => ReactNode;
    /** In pixels; null: as wide as what it holds. */
    readonly width: number | null;
  },
  t: In<typeof EXPLORE>,
  labels: In<typeof FIELD_LABELS>,
): DataTableColumn<Item> {
  const hrefOf = ({ recordId }: Item) => `?${formatState({ ...state, event: recordId })}`;
  const render = (item: Item) => {
    if (column === 'eventTime')
      return (
        <>
          <Opener href={hrefOf(item)} onOpen={() => open(item)}>
            {formatTime(item.eventTime, zone, 3)}
          </Opener>
          {!item.succeeded && <VisuallyHidden>{t.failed}</VisuallyHidden>}
          <NoteMark recordId={item.recordId} />
          <FindingMark findings={marks.get(item.recordId) ?? []} />
        </>
      );
    if (column === 'succeeded') return <Outcome succeeded={item.succeeded} />;
    if (column === 'responseRows' || column === 'affectedRows') return <Rows text={item[column]} />;
    return column === 'actionId' ? (
      <ActionName actionId={item.actionId} />
    ) : (
      <span className={classes.value}>{showValue(String(item[column] ?? ''))}</span>
    );
  };
  const actions = (item: Item) =>
    isFacetField(column) && (
      <ValueActions
        field={column}
        value={item[column] === null ? null : String(item[column])}
        text={state.filter}
        onText={(filter) => change({ filter })}
        isInTable
      />
    );
  return {
    accessor: column,
    title: head(
      isSortable(column) ? <SortHeader column={column} state={state} change={change} /> : labels[column],
    ),
    ...(width === null ? { noWrap: true } : { ellipsis: true, width }),
    cellsClassName: classes.cell ?? '',
    render: (item) => (
      <>
        {render(item)}
        {actions(item)}
      </>
    ),
  };
}
