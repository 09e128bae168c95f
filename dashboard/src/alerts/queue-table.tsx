import { Text } from '@mantine/core';
import { DataTable, type DataTableColumn } from 'mantine-datatable';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { LIST_TABLE } from '../lib/listed';
import { NameCell } from '../lib/name-cell';
import { formatCount } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { useTimeZone } from '../lib/preferences';
import { onRow } from '../lib/row-click';
import { serviceNowMs } from '../lib/service-clock';
import { nameOf } from '../lib/tenant-name';
import type { In } from '../lib/texts';
import { formatTime, type TimeZone } from '../lib/time';
import { hrefOfAlert } from './alert-href';
import { statusText } from './alert-words';
import classes from './alerts.module.css';
import { groupText } from './group-text';
import { Severity } from './severity';
import { ALERTS } from './texts';
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
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(ALERTS);
  const [zone] = useTimeZone();
  return (
    <section id="queue" tabIndex={-1} aria-label={t.queue}>
      <DataTable
        {...LIST_TABLE}
        highlightOnHover
        minHeight={160}
        idAccessor="alertId"
        records={[...items]}
        columns={columnsOf({ zone, tenants, onOpen, t, common, labels })}
        onRowClick={onRow(onOpen)}
        customRowAttributes={({ alertId }) => ({ 'data-alert': alertId })}
        rowClassName={({ alertId }) => (alertId === cursor ? (classes.cursor ?? '') : '')}
        totalRecords={totalCount}
        page={page}
        onPageChange={onPage}
        recordsPerPage={PAGE_SIZE}
        paginationText={({ from, to, totalRecords }) => common.ofRows(from, to, totalRecords)}
        getPaginationControlProps={(control) => ({ 'aria-label': common[`${control}Page`] })}
      />
    </section>
  );
}

function columnsOf({
  zone,
  tenants,
  onOpen,
  t,
  common,
  labels,
}: Pick<Props, 'tenants' | 'onOpen'> & {
  readonly zone: TimeZone;
  readonly t: In<typeof ALERTS>;
  readonly common: In<typeof COMMON>;
  readonly labels: In<typeof FIELD_LABELS>;
}): DataTableColumn<Alert>[] {
  return [
    {
      accessor: 'severity',
      title: common.severity,
      noWrap: true,
      render: ({ severity }) => <Severity severity={severity} />,
    },
    {
      accessor: 'title',
      title: t.alert,
      render: (alert) => (
        <div className={classes.what} lang="en">
          <Opener href={hrefOfAlert(alert.alertId)} onOpen={() => onOpen(alert)}>
            {showHidden(alert.title)}
          </Opener>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {showHidden(alert.summary ?? groupText(alert.group, labels, common.notCaptured))}
          </Text>
        </div>
      ),
    },
    {
      accessor: 'status',
      title: common.state,
      noWrap: true,
      render: (alert) => (
        <>
          {statusText(alert, t)}
          <Text size="xs" c="dimmed">
            {waitText(alert, serviceNowMs(), t)}
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
      title: common.findings,
      textAlign: 'right',
      render: ({ findingCount }) => formatCount(findingCount),
    },
    {
      accessor: 'eventCount',
      title: common.events,
      textAlign: 'right',
      render: ({ eventCount }) => formatCount(eventCount),
    },
    ...(tenants.length > 1
      ? [
          {
            accessor: 'tenantId',
            title: common.tenant,
            render: ({ tenantId }: Alert) => <NameCell name={nameOf(tenants, tenantId)} />,
          },
        ]
      : []),
    {
      accessor: 'lastEventTime',
      title: common.lastEvent,
      noWrap: true,
      render: ({ lastEventTime }) => formatTime(lastEventTime, zone),
    },
    {
      accessor: 'createdAt',
      title: t.told,
      noWrap: true,
      render: ({ createdAt }) => formatTime(createdAt, zone),
    },
  ];
}
