import { Text } from '@mantine/core';
import { DataTable, type DataTableColumn } from 'mantine-datatable';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { NameCell } from '../lib/name-cell';
import { formatCount } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { useTimeZone } from '../lib/preferences';
import { onRow } from '../lib/row-click';
import { nameOf } from '../lib/tenant-name';
import { formatTime, type TimeZone } from '../lib/time';
import { hrefOfAlert } from './alert-href';
import { statusText } from './alert-words';
import classes from './alerts.module.css';
import { groupText } from './group-text';
import { Severity } from './severity';
import { type Alert, PAGE_SIZE } from './use-queue';
import { waitText } from './wait-text';

interface Props {
  readonly items: readonly Alert[];
  readonly totalCount: number;
  readonly page: number;
  readonly tenants: Session['tenants'];
  /** Id of the alert to which keys apply. */
  readonly cursor: string | null;
  readonly onOpen: (alert: Alert) => void;
  readonly onPage: (page: number) => void;
}

export function QueueTable({ items, totalCount, page, tenants, cursor, onOpen, onPage }: Props) {
  const [zone] = useTimeZone();
  return (
    <section id="queue" tabIndex={-1} aria-label="Queue">
      <DataTable
        withTableBorder
        highlightOnHover
        minHeight={160}
        fz="sm"
        idAccessor="alertId"
        records={[...items]}
        columns={columnsOf({ zone, tenants, onOpen })}
        onRowClick={onRow(onOpen)}
        customRowAttributes={({ alertId }) => ({ 'data-alert': alertId })}
        rowClassName={({ alertId }) => (alertId === cursor ? (classes.cursor ?? '') : '')}
        totalRecords={totalCount}
        page={page}
        onPageChange={onPage}
        recordsPerPage={PAGE_SIZE}
        paginationText={({ from, to, totalRecords }) =>
          `${formatCount(from)} – ${formatCount(to)} of ${formatCount(totalRecords)}`
        }
        getPaginationControlProps={(control) => ({ 'aria-label': `${control} page` })}
      />
    </section>
  );
}

function columnsOf({
  zone,
  tenants,
  onOpen,
}: Pick<Props, 'tenants' | 'onOpen'> & { readonly zone: TimeZone }): DataTableColumn<Alert>[] {
  return [
    {
      accessor: 'severity',
      title: 'Severity',
      noWrap: true,
      render: ({ severity }) => <Severity severity={severity} />,
    },
    {
      accessor: 'title',
      title: 'Alert',
      render: (alert) => (
        <div className={classes.what}>
          <Opener href={hrefOfAlert(alert.alertId)} onOpen={() => onOpen(alert)}>
            {showHidden(alert.title)}
          </Opener>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {showHidden(alert.summary ?? groupText(alert.group))}
          </Text>
        </div>
      ),
    },
    {
      accessor: 'status',
      title: 'State',
      noWrap: true,
      render: (alert) => (
        <>
          {statusText(alert)}
          <Text size="xs" c="dimmed">
            {waitText(alert, Date.now())}
          </Text>
          {alert.assignee && (
            <Text size="xs" c="dimmed">
              {showHidden(alert.assignee)}
            </Text>
          )}
        </>
      ),
    },
    {
      accessor: 'findingCount',
      title: 'Findings',
      textAlign: 'right',
      render: ({ findingCount }) => formatCount(findingCount),
    },
    {
      accessor: 'eventCount',
      title: 'Events',
      textAlign: 'right',
      render: ({ eventCount }) => formatCount(eventCount),
    },
    ...(tenants.length > 1
      ? [
          {
            accessor: 'tenantId',
            title: 'Tenant',
            render: ({ tenantId }: Alert) => <NameCell name={nameOf(tenants, tenantId)} />,
          },
        ]
      : []),
    {
      accessor: 'lastEventTime',
      title: 'Last event',
      noWrap: true,
      render: ({ lastEventTime }) => formatTime(lastEventTime, zone),
    },
    {
      accessor: 'createdAt',
      title: 'Told',
      noWrap: true,
      render: ({ createdAt }) => formatTime(createdAt, zone),
    },
  ];
}
