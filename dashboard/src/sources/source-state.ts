import type { SourcesQuery } from '../../generated/operations';
import { HOUR_MS, MINUTE_MS } from '../lib/time';

export type Source = SourcesQuery['auditSources'][number];

export const keyOf = ({ tenantId, hostName, databaseName }: Source): string =>
  JSON.stringify([tenantId, hostName, databaseName]);

/** An agent reports at least every minute: one silent for so long is down, or cannot reach the service. */
export const SILENT_MS = 5 * MINUTE_MS;
/** Behind for so long, it is not a burst that it is about to have sent. */
export const LAGGING_MS = HOUR_MS;

export type SourceState = 'stale' | 'lagging' | 'problem' | 'gaps' | 'current';

/** What a source needs first: a silent one hides everything else. */
export function stateOf(
  source: Pick<Source, 'lastReported' | 'problem' | 'lag' | 'gapCount'>,
  nowMs: number,
): SourceState {
  if (nowMs - Date.parse(source.lastReported) > SILENT_MS) return 'stale';
  if (source.problem) return 'problem';
  if (source.lag === null || source.lag * 1000 > LAGGING_MS) return 'lagging';
  return source.gapCount > 0 ? 'gaps' : 'current';
}

export const STATES: Record<SourceState, { label: string; color: string; advice: string }> = {
  stale: {
    label: 'Stale',
    color: 'red',
    advice:
      'The agent has fallen silent. Is it running, and does it reach the service? The command audit-agent status tells on its machine.',
  },
  problem: { label: 'Problem', color: 'red', advice: 'The agent runs and cannot publish.' },
  lagging: {
    label: 'Behind',
    color: 'orange',
    advice: 'The agent reports, and has not published everything in the files.',
  },
  gaps: {
    label: 'Gaps',
    color: 'orange',
    advice: 'Parts of the audit trail are missing and cannot be read again.',
  },
  current: { label: 'Current', color: 'green', advice: '' },
};
/** The worst first. */
export const STATE_ORDER = Object.keys(STATES) as SourceState[];
