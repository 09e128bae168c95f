import { NativeSelect, Stack, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import type { SourceState } from '../../../src/modules/sources/audit-source';
import { SourcesDocument } from '../../generated/operations';
import { ListHead, ListPages, useListed } from '../lib/listed';
import { formatCount } from '../lib/numbers';
import { useNow } from '../lib/use-now';
import { useRates } from '../lib/use-rates';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { SourceCard } from './source-card';
import { keyOf, type Source, STATE_ORDER, STATES, stateOf } from './source-state';

const ASK_MS = 10_000;

/** What each agent reports on its databases; those that need attention come first. */
export default function Sources() {
  const [{ data, error }, ask] = useQuery({
    query: SourcesDocument,
    requestPolicy: 'network-only',
  });
  useInterval(ask, ASK_MS, { autoInvoke: true });
  const nowMs = useNow(ASK_MS / 2);
  const rateOf = useRates(
    data?.auditSources.map((source) => ({ key: keyOf(source), count: source.publishedCount })),
  );
  const tenantNames = new Map(data?.tenants.map(({ tenantId, name }) => [tenantId, name]));
  const rank = (source: Parameters<typeof stateOf>[0]) => STATE_ORDER.indexOf(stateOf(source, nowMs));
  const [state, setState] = useState<SourceState | ''>('');
  const sources = data?.auditSources.toSorted((a, b) => rank(a) - rank(b));
  const nameOfTenant = (tenantId: string) => tenantNames.get(tenantId) ?? tenantId;
  const inState = (sources ?? []).filter((source) => state === '' || stateOf(source, nowMs) === state);
  const listed = useListed(inState, ({ hostName, databaseName, tenantId }) =>
    [hostName, databaseName, nameOfTenant(tenantId)].join(' '),
  );
  return (
    <Stack gap="sm">
      <PageHead title="Sources" />
      {error && <Failed error={error} retry={ask} />}
      {!sources && !error && <Loading what="the sources" />}
      {sources?.length === 0 && (
        <Empty title="No agent has reported yet">
          <Text size="sm">
            Make a key for it under Keys, install the agent beside SQL Server, and it appears here.
          </Text>
        </Empty>
      )}
      {sources && sources.length > 0 && (
        <ListHead listed={listed} label="Search sources" summary={summaryOf(sources, nowMs)}>
          <NativeSelect
            aria-label="State"
            size="xs"
            data={[
              { value: '', label: 'Any state' },
              ...STATE_ORDER.map((value) => ({ value, label: STATES[value].label })),
            ]}
            value={state}
            onChange={(event) => setState(event.currentTarget.value as SourceState | '')}
          />
        </ListHead>
      )}
      {sources && sources.length > 0 && listed.found === 0 && (
        <Empty title="No source matches: change the search or the state" />
      )}
      {listed.rows.map((source) => (
        <SourceCard
          key={keyOf(source)}
          source={source}
          tenantName={nameOfTenant(source.tenantId)}
          rate={rateOf(keyOf(source))}
          nowMs={nowMs}
        />
      ))}
      <ListPages listed={listed} />
    </Stack>
  );
}

/** `2,000 sources: 3 stale, 1,997 current` */
function summaryOf(sources: readonly Source[], nowMs: number): string {
  const counts = STATE_ORDER.map((state) => ({
    label: STATES[state].label.toLowerCase(),
    count: sources.filter((source) => stateOf(source, nowMs) === state).length,
  }));
  const parts = counts
    .filter(({ count }) => count > 0)
    .map(({ count, label }) => `${formatCount(count)} ${label}`);
  return `${formatCount(sources.length)} sources: ${parts.join(', ')}`;
}
