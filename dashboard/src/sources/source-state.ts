import type { SourceState } from '../../../src/modules/sources/audit-source';
import type { SourcesQuery } from '../../generated/operations';
import { formatCount } from '../lib/numbers';

type List = SourcesQuery['auditSourceList'];
export type Source = List['items'][number];

export const keyOf = ({ tenantId, hostName, databaseName }: Source): string =>
  JSON.stringify([tenantId, hostName, databaseName]);

export const STATES: Record<SourceState, { label: string; color: string; advice: string }> = {
  stale: {
    label: 'Stale',
    color: 'red',
    advice:
      'The agent has fallen silent. Is it running, and does it reach the service? Run audit-agent status on its machine.',
  },
  problem: {
    label: 'Problem',
    color: 'red',
    advice: 'The agent runs and cannot publish, or several agents report this source.',
  },
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
  standby: {
    label: 'Standby',
    color: 'gray',
    advice: 'The folder is shared, and another host has it.',
  },
  retired: {
    label: 'Retired',
    color: 'gray',
    advice: 'An operator has retired it. A report brings it back.',
  },
};
/** The worst first. */
export const STATE_ORDER = Object.keys(STATES) as SourceState[];

/** `2,000 sources: 3 stale, 1,997 current` */
export function summaryOf(states: List['states']): string {
  const all = states.reduce((sum, { sources }) => sum + sources, 0);
  const parts = states.map(
    ({ state, sources }) => `${formatCount(sources)} ${STATES[state].label.toLowerCase()}`,
  );
  return `${formatCount(all)} sources: ${parts.join(', ')}`;
}
