import { Stack, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useQuery } from 'urql';
import { SourcesDocument } from '../../generated/operations';
import { useNow } from '../lib/use-now';
import { useRates } from '../lib/use-rates';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { SourceCard } from './source-card';
import { keyOf, STATE_ORDER, stateOf } from './source-state';

const ASK_MS = 10_000;

/** What each agent says of its databases, the ones that need somebody first. */
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
  const sources = data?.auditSources.toSorted((a, b) => rank(a) - rank(b));
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
      {sources?.map((source) => (
        <SourceCard
          key={keyOf(source)}
          source={source}
          tenantName={tenantNames.get(source.tenantId) ?? source.tenantId}
          rate={rateOf(keyOf(source))}
          nowMs={nowMs}
        />
      ))}
    </Stack>
  );
}
