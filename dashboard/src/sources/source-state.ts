import type { SourceState } from '../../../src/modules/sources/audit-source';
import type { SourcesQuery } from '../../generated/operations';
import type { In } from '../lib/texts';
import type { SOURCES } from './texts';

type List = SourcesQuery['auditSourceList'];
export type Source = List['items'][number];

export const keyOf = ({ tenantId, hostName, databaseName }: Source): string =>
  JSON.stringify([tenantId, hostName, databaseName]);

type Texts = In<typeof SOURCES>;

/** Their words are in the catalogue, and so is the advice, by this name. */
export const STATES = {
  stale: { color: 'red', advice: 'adviceStale' },
  problem: { color: 'red', advice: 'adviceProblem' },
  lagging: { color: 'orange', advice: 'adviceLagging' },
  gaps: { color: 'orange', advice: 'adviceGaps' },
  current: { color: 'green', advice: null },
  standby: { color: 'gray', advice: 'adviceStandby' },
  retired: { color: 'gray', advice: 'adviceRetired' },
} as const satisfies Record<SourceState, { color: string; advice: keyof Texts | null }>;
/** The worst first. */
export const STATE_ORDER = Object.keys(STATES) as SourceState[];

/** How its agent follows the settings of its group; null: it has none. */
export function settingsText(source: Source, t: Texts): string | null {
  const { agentGroup, wantedVersion, runningVersion, refusedSettings, followsSettings } = source;
  if (agentGroup === null && runningVersion === null) return null;
  const group = agentGroup === null ? t.noGroup : t.ofGroup(agentGroup);
  if (followsSettings && wantedVersion !== null) return t.follows(group, wantedVersion);
  const version = (n: number | null) => (n === null ? t.noVersion : String(n));
  const refused = refusedSettings.length > 0 ? t.refuses(refusedSettings.join(', ')) : '';
  return t.followsNot(group, version(wantedVersion), version(runningVersion)) + refused;
}

/** How far its agent has come with the package that it is offered; null: it is offered none. */
export const packageText = ({ wantedPackage, packageState }: Source, t: Texts): string | null =>
  wantedPackage === null || packageState === null ? null : t.ofPackage(wantedPackage, t[packageState]);

/** `2,000 sources: 3 stale, 1,997 current` */
export function summaryOf(states: List['states'], t: Texts): string {
  const all = states.reduce((sum, { sources }) => sum + sources, 0);
  return t.summary(all, states.map(({ state, sources }) => t.ofState(sources, t[state])).join(', '));
}
