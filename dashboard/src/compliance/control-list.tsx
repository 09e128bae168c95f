import { Anchor, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { useQuery } from 'urql';
import { Link, useLocation } from 'wouter';
import { ComplianceControlsDocument } from '../../generated/operations';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { AppliedInput } from '../lib/applied-input';
import { formatCount } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { formatTime, fromInputValue, inputValueOf, zoneName } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { PageHead } from '../shell/page-head';
import { Failed } from '../shell/states';
import { ADDRESS, hrefOf, SCOPE_PATH } from './address';
import { DocumentButtons } from './document-buttons';
import { Frameworks } from './frameworks';
import { Status } from './status';
import { STATUS_NAMES, STATUSES } from './words';

const PAGE_SIZE = 25;

/** The frameworks, and their controls on each instance. The filters are in the address. */
export function ControlList({ session }: { readonly session: Session }) {
  const [zone] = useTimeZone();
  const [, navigate] = useLocation();
  const [given, setGiven] = useAddress(ADDRESS);
  const { page: pageText, control: _, ...filter } = given;
  const page = Math.max(1, Math.trunc(Number(pageText)) || 1);
  const change = (patch: Partial<typeof given>) => setGiven((now) => ({ ...now, page: null, ...patch }));
  const [{ data, error, fetching }, ask] = useQuery({
    query: ComplianceControlsDocument,
    variables: { ...filter, page, pageSize: PAGE_SIZE },
  });
  const { items = [], totalCount = 0 } = data?.complianceControls ?? {};
  const hrefOfControl = (control: string) => hrefOf({ ...given, control });
  return (
    <Stack gap="sm">
      <PageHead title="Compliance">
        <Anchor component={Link} href={SCOPE_PATH} size="sm">
          What is declared
        </Anchor>
        <DocumentButtons filter={filter} />
      </PageHead>
      <Frameworks
        asOf={given.asOf}
        chosen={given.framework}
        choose={(framework, status) => change({ framework, status })}
      />
      <Group gap="xs" align="flex-end">
        <NativeSelect
          label="Status"
          value={given.status ?? ''}
          onChange={(event) => change({ status: event.currentTarget.value || null })}
          data={[
            { value: '', label: 'Any status' },
            ...STATUS_NAMES.map((value) => ({ value, label: STATUSES[value].label })),
          ]}
        />
        <AppliedInput
          label="Server instance"
          value={given.serverInstanceName}
          onChange={(serverInstanceName) => change({ serverInstanceName })}
        />
        <AppliedInput
          label={`As of (${zoneName(zone)})`}
          type="datetime-local"
          w={255}
          value={inputValueOf(given.asOf, zone) || null}
          onChange={(text) => {
            const ms = text === null ? null : fromInputValue(text, zone);
            change({ asOf: ms === null ? null : new Date(ms).toISOString() });
          }}
        />
        {given.framework && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            pb={8}
            onClick={() => change({ framework: null })}
          >
            All frameworks
          </Anchor>
        )}
        <Text size="sm" fw={600} role="status" pb={8}>
          {data ? `${formatCount(totalCount)} ${totalCount === 1 ? 'control' : 'controls'}` : 'Assessing …'}
        </Text>
      </Group>
      {error ? (
        <Failed error={error} retry={ask} />
      ) : (
        <section aria-label="Controls">
          <DataTable
            withTableBorder
            minHeight={160}
            fz="sm"
            scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
            idAccessor={(one) =>
              JSON.stringify([
                one.frameworkId,
                one.controlId,
                one.tenantId,
                one.serverInstanceName,
                one.databaseName,
              ])
            }
            fetching={fetching}
            records={[...items]}
            noRecordsText="No control matches: change the filters. Without events there is no server instance"
            totalRecords={totalCount}
            page={page}
            onPageChange={(next) => change({ page: String(next) })}
            recordsPerPage={PAGE_SIZE}
            paginationText={({ from, to, totalRecords }) =>
              `${formatCount(from)} – ${formatCount(to)} of ${formatCount(totalRecords)}`
            }
            getPaginationControlProps={(control) => ({ 'aria-label': `${control} page` })}
            columns={[
              { accessor: 'status', title: 'Status', render: ({ status }) => <Status status={status} /> },
              {
                accessor: 'title',
                title: 'Control',
                render: ({ controlId, title }) => (
                  <div style={{ minWidth: 180 }}>
                    <Opener
                      href={`/dashboard${hrefOfControl(controlId)}`}
                      onOpen={() => navigate(hrefOfControl(controlId))}
                    >
                      {controlId}
                    </Opener>
                    <Text size="xs">{title}</Text>
                  </div>
                ),
              },
              {
                accessor: 'serverInstanceName',
                title: 'Server instance',
                render: ({ tenantId, serverInstanceName, databaseName }) => (
                  <>
                    {showHidden(serverInstanceName)}
                    {databaseName !== null && `, ${showHidden(databaseName)}`}
                    {session.tenants.length > 1 && (
                      <Text size="xs" c="dimmed">
                        {showHidden(nameOf(session.tenants, tenantId))}
                      </Text>
                    )}
                  </>
                ),
              },
              {
                accessor: 'since',
                title: 'Since',
                noWrap: true,
                render: ({ since }) => (since === null ? '–' : formatTime(since, zone)),
              },
              {
                accessor: 'reason',
                title: 'Why',
                render: ({ reason }) => (
                  <div style={{ minWidth: 220, overflowWrap: 'anywhere' }}>{showHidden(reason)}</div>
                ),
              },
            ]}
          />
        </section>
      )}
    </Stack>
  );
}
