import { useInterval } from '@mantine/hooks';
import { useQuery } from 'urql';
import { AttentionDocument, type AttentionQuery } from '../../generated/operations';
import { expiresSoon } from '../operate/key-life';
import { stateOf } from '../sources/source-state';

const ASK_MS = 60_000;

/** What needs somebody, by the path of the view that shows it; nothing where all is well. */
export function useAttention(isOperator: boolean): Readonly<Record<string, string>> {
  const [{ data }, ask] = useQuery({
    query: AttentionDocument,
    requestPolicy: 'network-only',
    pause: !isOperator,
  });
  useInterval(() => isOperator && ask(), ASK_MS, { autoInvoke: true });
  return data ? attentionOf(data, Date.now()) : {};
}

function attentionOf(
  { auditSources, apiKeys, destinations }: AttentionQuery,
  nowMs: number,
): Record<string, string> {
  const states = auditSources.map((source) => stateOf(source, nowMs));
  const withProblem = states.filter((state) => state === 'stale' || state === 'problem').length;
  const withGaps = auditSources.filter(({ gapCount }) => gapCount > 0).length;
  const expiring = apiKeys.filter((key) => expiresSoon(key, nowMs)).length;
  const failing = destinations.filter(({ state }) => state === 'failing').length;
  const overtaken = destinations.filter(({ behindRetention }) => behindRetention > 0).length;
  const sending = [
    ...(failing > 0 ? [`${failing} failing`] : []),
    ...(overtaken > 0 ? [`${overtaken} behind retention`] : []),
  ];
  const sources = [
    ...(withProblem > 0 ? [`${withProblem} with a problem`] : []),
    ...(withGaps > 0 ? [`${withGaps} with gaps`] : []),
  ];
  return {
    ...(sources.length > 0 ? { '/sources': sources.join(', ') } : {}),
    ...(sending.length > 0 ? { '/destinations': sending.join(', ') } : {}),
    ...(expiring > 0 ? { '/keys': `${expiring} ${expiring === 1 ? 'expires' : 'expire'} soon` } : {}),
  };
}
