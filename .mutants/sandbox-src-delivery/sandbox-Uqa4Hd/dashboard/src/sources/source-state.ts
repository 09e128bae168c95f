import { type SourceState, stateOfSource } from '../../../src/modules/sources/audit-source';
import type { SourcesQuery } from '../../generated/operations';

export type Source = SourcesQuery['auditSources'][number];

export const keyOf = ({ tenantId, hostName, databaseName }: Source): string =>
  JSON.stringify([tenantId, hostName, databaseName]);

/** The most urgent state of a source. */
export const stateOf = (
  { lastReported, problem, lag, gapCount }: Pick<Source, 'lastReported' | 'problem' | 'lag' | 'gapCount'>,
  nowMs: number,
): SourceState =>
  stateOfSource({
    silentMs: nowMs - Date.parse(lastReported),
    problem: problem ?? null,
    lag: lag ?? null,
    gapCount,
  });

export const STATES: Record<SourceState, { label: string; color: string; advice: string }> = {
  stale: {
    label: 'Stale',
    color: 'red',
    advice:
      'The agent has fallen silent. Is it running, and does it reach the service? Run audit-agent status on its machine.',
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
