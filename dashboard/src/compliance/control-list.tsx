import { Anchor, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { useQuery } from 'urql';
import { Link, useLocation } from 'wouter';
import { ComplianceControlsDocument, ComplianceFrameworksDocument } from '../../generated/operations';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { AppliedInput } from '../lib/applied-input';
import { COMMON } from '../lib/common';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { LIST_TABLE } from '../lib/listed';
import { Opener } from '../lib/opener';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { formatTime, fromInputValue, inputValueOf, zoneName } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { PageHead } from '../shell/page-head';
import { Failed, Loading } from '../shell/states';
import { ADDRESS, hrefOf, SCOPE_PATH } from './address';
import { DocumentButtons } from './document-buttons';
import { Frameworks } from './frameworks';
import { Status } from './status';
import { COMPLIANCE } from './texts';
import { STATUS_NAMES } from './words';

const PAGE_SIZE = 25;

/** The frameworks, and their controls on each instance. The filters are in the address. */
export function ControlList({ session }: { readonly session: Session }) {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(COMPLIANCE);
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
  const [frameworks, askFrameworks] = useQuery({
    query: ComplianceFrameworksDocument,
    variables: { asOf: given.asOf },
  });
  const { items = [], totalCount = 0 } = data?.complianceControls ?? {};
  const hrefOfControl = (control: string) => hrefOf({ ...given, control });
  return (
    <Stack gap="sm">
      <PageHead title={t.title}>
        <Anchor component={Link} href={SCOPE_PATH} size="sm">
          {t.whatIsDeclared}
        </Anchor>
        <DocumentButtons filter={filter} />
      </PageHead>
      {frameworks.error && <Failed error={frameworks.error} retry={askFrameworks} />}
      {frameworks.data && (
        <Frameworks
          frameworks={frameworks.data.complianceFrameworks.items}
          chosen={given.framework}
          choose={(framework, status) => change({ framework, status })}
        />
      )}
      {!frameworks.data && !frameworks.error && <Loading what={t.theFrameworks} rows={24} />}
      {(frameworks.data || frameworks.error) && (
        <>
          <Group gap="xs" align="flex-end">
            <NativeSelect
              label={t.status}
              value={given.status ?? ''}
              onChange={(event) => change({ status: event.currentTarget.value || null })}
              data={[
                { value: '', label: t.anyStatus },
                ...STATUS_NAMES.map((value) => ({ value, label: t[value] })),
              ]}
            />
            <AppliedInput
              label={labels.serverInstanceName}
              value={given.serverInstanceName}
              onChange={(serverInstanceName) => change({ serverInstanceName })}
            />
            <AppliedInput
              label={t.asOfIn(zoneName(zone))}
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
                {t.allFrameworks}
              </Anchor>
            )}
            <Text size="sm" fw={600} role="status" pb={8}>
              {data && !fetching ? t.count(totalCount) : t.assessing}
            </Text>
          </Group>
          {error ? (
            <Failed error={error} retry={ask} />
          ) : !data ? (
            <Loading what={t.controls} />
          ) : (
            <section aria-label={t.controls}>
              <DataTable
                {...LIST_TABLE}
                minHeight={160}
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
                noRecordsText={t.noControl}
                totalRecords={totalCount}
                page={page}
                onPageChange={(next) => change({ page: String(next) })}
                recordsPerPage={PAGE_SIZE}
                paginationText={({ from, to, totalRecords }) => common.ofRows(from, to, totalRecords)}
                getPaginationControlProps={(control) => ({ 'aria-label': common[`${control}Page`] })}
                columns={[
                  { accessor: 'status', title: t.status, render: ({ status }) => <Status status={status} /> },
                  {
                    accessor: 'title',
                    title: t.control,
                    render: ({ controlId, title }) => (
                      <div style={{ minWidth: 180 }}>
                        <Opener
                          href={`/dashboard${hrefOfControl(controlId)}`}
                          onOpen={() => navigate(hrefOfControl(controlId))}
                        >
                          {controlId}
                        </Opener>
                        <Text size="xs" lang="en">
                          {title}
                        </Text>
                      </div>
                    ),
                  },
                  {
                    accessor: 'serverInstanceName',
                    title: labels.serverInstanceName,
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
                    title: common.since,
                    noWrap: true,
                    render: ({ since }) => (since === null ? '–' : formatTime(since, zone)),
                  },
                  {
                    accessor: 'reason',
                    title: t.why,
                    render: ({ reason }) => (
                      <div style={{ minWidth: 220, overflowWrap: 'anywhere' }} lang="en">
                        {showHidden(reason)}
                      </div>
                    ),
                  },
                ]}
              />
            </section>
          )}
        </>
      )}
    </Stack>
  );
}
