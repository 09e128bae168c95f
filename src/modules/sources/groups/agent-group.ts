import type { AgentSetting, WantedSettings } from '../../../event/agent-settings';
import { globTest, parseGlob } from '../../../rules/glob';
import type { AuditSource } from '../audit-source';

export interface AgentGroup {
  readonly groupId: string;
  readonly tenantId: number;
  readonly name: string;
  readonly position: number;
  readonly hosts: readonly string[];
  readonly version: number;
  readonly changedAt: Date;
  readonly settings: WantedSettings;
}

/** What an operator says of a group. Absent: it stays as it is. */
export interface GroupChange {
  readonly name?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly position?: number | undefined;
  readonly settings: Partial<{ [N in keyof WantedSettings]: WantedSettings[N] | undefined }>;
  readonly unset?: readonly AgentSetting[] | undefined;
}

export const NOTHING_WANTED: WantedSettings = {
  pollIntervalMs: null,
  batchMaxEvents: null,
  logLevel: null,
  databasesOn: null,
  databasesOff: null,
};

const FIELDS_OF: Record<AgentSetting, readonly (keyof WantedSettings)[]> = {
  PollInterval: ['pollIntervalMs'],
  BatchSize: ['batchMaxEvents'],
  LogLevel: ['logLevel'],
  Databases: ['databasesOn', 'databasesOff'],
};

/** The settings after a change. What the change sets counts more than what it unsets. */
export function settingsAfter(before: WantedSettings, { settings, unset = [] }: GroupChange): WantedSettings {
  const without = Object.fromEntries(
    unset.flatMap((name) => FIELDS_OF[name]).map((field): [string, null] => [field, null]),
  );
  const given = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined && value !== null),
  );
  return { ...before, ...without, ...given };
}

type NamesHost = (hostName: string) => boolean;

/** Each pattern of a group is read once, and compared with each host once. */
const known = new WeakMap<AgentGroup, NamesHost>();

/** Whether a pattern with `*` for any text and `?` for one character matches a whole host name, in any letter case. */
function namesHostOf(group: AgentGroup): NamesHost {
  const before = known.get(group);
  if (before) return before;
  const tests = group.hosts.map((pattern) => globTest(parseGlob(pattern.toLowerCase())));
  const told = new Map<string, boolean>();
  const namesHost = (hostName: string) => {
    const toldBefore = told.get(hostName);
    if (toldBefore !== undefined) return toldBefore;
    const name = hostName.toLowerCase();
    const isNamed = tests.some((test) => test(name));
    told.set(hostName, isNamed);
    return isNamed;
  };
  known.set(group, namesHost);
  return namesHost;
}

/** The group of a host: the first that matches. @param groups of one tenant, in their order */
export const groupOf = (groups: readonly AgentGroup[], hostName: string): AgentGroup | null =>
  groups.find((group) => namesHostOf(group)(hostName)) ?? null;

/** Whether the agent of a source runs the settings of its group, and refuses none. @param group null: it has none */
export const runsSettings = ({ running }: Pick<AuditSource, 'running'>, group: AgentGroup | null): boolean =>
  (group?.version ?? null) === (running?.version ?? null) && (running?.refused ?? []).length === 0;
