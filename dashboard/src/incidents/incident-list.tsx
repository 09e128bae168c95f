import { Button, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { DataTable, type DataTableColumn } from 'mantine-datatable';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { type IncidentFieldsFragment, IncidentsDocument } from '../../generated/operations';
import { SEVERITY_NAMES, statusText } from '../alerts/alert-words';
import { Severity } from '../alerts/severity';
import { ALERTS } from '../alerts/texts';
import { waitText } from '../alerts/wait-text';
import { mayWork } from '../api/rights';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { textsAddress } from '../lib/address';
import { COMMON } from '../lib/common';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { LIST_TABLE } from '../lib/listed';
import { formatCount } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { useTimeZone } from '../lib/preferences';
import { onRow } from '../lib/row-click';
import { serviceNowMs } from '../lib/service-clock';
import { nameOf } from '../lib/tenant-name';
import type { In } from '../lib/texts';
import { formatTime, type TimeZone } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { BulkWork } from './bulk-work';
import { INCIDENTS } from './texts';

type Incident = IncidentFieldsFragment;
const PAGE_SIZE = 25;
const STATES = ['new', 'acknowledged', 'resolved'] as const;
const ADDRESS = textsAddress(['status', 'severity', 'page']);

/** The incidents in a state, those that changed last first. */
export function IncidentList({ session }: { readonly session: Session }) {
  const words = useTexts(ALERTS);
  const common = useTexts(COMMON);
  const t = useTexts(INCIDENTS);
  const [zone] = useTimeZone();
  const [, navigate] = useLocation();
  const [given, setGiven] = useAddress(ADDRESS);
  const status = STATES.find((name) => name === given.status) ?? 'new';
  const severity = SEVERITY_NAMES.find((name) => name === given.severity) ?? null;
  const page = Math.max(1, Math.floor(Number(given.page)) || 1);
  const [{ data, error, fetching }, ask] = useQuery({
    query: IncidentsDocument,
    variables: { status, severity, page, pageSize: PAGE_SIZE },
  });
  const [chosen, choose] = useKept<Incident[]>('chosen', []);
  const [done, setDone] = useState('');
  const refresh = () => ask();
  const show = (change: Partial<typeof given>) => {
    setGiven((now) => ({ ...now, page: null, ...change }));
    choose([]);
  };
  const canWork = mayWork(session);
  const open = ({ incidentId }: Incident) => navigate(`/incidents/${incidentId}`);
  const { items = [], totalCount = 0 } = data?.incidents ?? {};
  return (
    <Stack gap="sm">
      <PageHead title={t.incidents}>
        <Button variant="default" onClick={refresh} loading={fetching && data !== undefined}>
          {common.refresh}
        </Button>
      </PageHead>
      <Group gap="sm">
        <SegmentedControl
          aria-label={common.state}
          value={status}
          onChange={(value) => show({ status: value === 'new' ? null : value })}
          data={STATES.map((value) => ({ value, label: words[value] }))}
        />
        <Select
          aria-label={common.severity}
          placeholder={t.anySeverity}
          clearable
          value={severity}
          onChange={(value) => show({ severity: value })}
          data={SEVERITY_NAMES.map((value) => ({ value, label: words[value] }))}
        />
      </Group>
      <Group gap="sm" mih={28}>
        <Text size="sm" fw={600} role="status">
          {data && !fetching ? t.count(totalCount) : !error && common.counting}
        </Text>
        <BulkWork
          incidentIds={chosen.map(({ incidentId }) => incidentId)}
          onClear={() => choose([])}
          onDone={(text) => {
            choose([]);
            setDone(text);
            refresh();
          }}
        />
        <Text size="sm" role="status" aria-live="polite">
          {done}
        </Text>
      </Group>
      {error && <Failed error={error} retry={refresh} />}
      {!data && !error && <Loading what={t.theIncidents} />}
      {data && items.length === 0 && (
        <Empty title={t.noneIs(words[status], severity && words[severity])}>
          <Text size="sm">{t.formOne}</Text>
        </Empty>
      )}
      {items.length > 0 && (
        <section id="incidents" tabIndex={-1} aria-label={t.incidents}>
          <DataTable
            {...LIST_TABLE}
            highlightOnHover
            minHeight={160}
            idAccessor="incidentId"
            records={[...items]}
            columns={columnsOf({ zone, session, open, t, words, common })}
            onRowClick={onRow(open)}
            totalRecords={totalCount}
            page={page}
            onPageChange={(next) => show({ page: next === 1 ? null : String(next) })}
            {...(canWork && {
              selectedRecords: chosen,
              onSelectedRecordsChange: choose,
              allRecordsSelectionCheckboxProps: { 'aria-label': t.chooseAll },
              getRecordSelectionCheckboxProps: ({ title }: Incident) => ({
                'aria-label': t.choose(showHidden(title)),
              }),
            })}
            recordsPerPage={PAGE_SIZE}
            paginationText={({ from, to, totalRecords }) => common.ofRows(from, to, totalRecords)}
            getPaginationControlProps={(control) => ({ 'aria-label': common[`${control}Page`] })}
          />
        </section>
      )}
    </Stack>
  );
}

const columnsOf = (of: {
  readonly zone: TimeZone;
  readonly session: Session;
  readonly open: (incident: Incident) => void;
  readonly t: In<typeof INCIDENTS>;
  readonly words: In<typeof ALERTS>;
  readonly common: In<typeof COMMON>;
}): DataTableColumn<Incident>[] => [
  {
    accessor: 'severity',
    title: of.common.severity,
    noWrap: true,
    render: ({ severity }) => <Severity severity={severity} />,
  },
  {
    accessor: 'title',
    title: of.t.incident,
    render: (incident) => (
      <Opener href={`/dashboard/incidents/${incident.incidentId}`} onOpen={() => of.open(incident)}>
        <span lang="en">{showHidden(incident.title)}</span>
      </Opener>
    ),
  },
  {
    accessor: 'status',
    title: of.common.state,
    noWrap: true,
    render: (incident) => (
      <>
        {statusText(incident, of.words)}
        <Text size="xs" c="dimmed">
          {waitText(incident, serviceNowMs(), of.words)}
        </Text>
        {incident.assignee && (
          <Text size="xs" c="dimmed">
            {showHidden(incident.assignee)}
          </Text>
        )}
      </>
    ),
  },
  {
    accessor: 'alertCount',
    title: of.t.alerts,
    textAlign: 'right',
    render: ({ alertCount }) => formatCount(alertCount),
  },
  {
    accessor: 'rowsRead',
    title: of.t.rowsRead,
    textAlign: 'right',
    render: ({ rowsRead }) => formatCount(rowsRead),
  },
  ...(of.session.tenants.length > 1
    ? [
        {
          accessor: 'tenantId',
          title: of.common.tenant,
          render: ({ tenantId }: Incident) => showHidden(nameOf(of.session.tenants, tenantId)),
        },
      ]
    : []),
  {
    accessor: 'firstEventTime',
    title: of.common.firstEvent,
    noWrap: true,
    render: ({ firstEventTime }) => formatTime(firstEventTime, of.zone),
  },
  {
    accessor: 'lastEventTime',
    title: of.common.lastEvent,
    noWrap: true,
    render: ({ lastEventTime }) => formatTime(lastEventTime, of.zone),
  },
];
