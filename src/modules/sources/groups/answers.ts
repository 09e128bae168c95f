import { controlProblems, nameProblems } from '../../../caller/name-problems';
import {
  AGENT_LOG_LEVELS,
  AGENT_SETTING_NAMES,
  AGENT_SETTINGS,
  BATCH_EVENTS,
  POLL_INTERVAL_MS,
  REFUSED_REASONS,
} from '../../../event/agent-settings';
import type { InputShape, ParameterSpecs } from '../../../event/parameter-specs';
import type { Choices, Shape, ShapeFields } from '../../../event/shape';
import { REPORT_CHARS_MAX } from '../../../event/source-report';
import { LIMITS } from '../../../limits';
import { empty, type Problem, problem, tooLong } from '../../../problem';
import { OFFERED_PACKAGE, SOURCE_PACKAGE } from '../packages/answers';

const LOG_LEVEL = {
  name: 'AgentLogLevel',
  doc: "Which lines an agent's log has.",
  values: AGENT_LOG_LEVELS,
} as const satisfies Choices;

const SETTING = {
  name: 'AgentSetting',
  doc: 'A setting that the file of an agent may allow the service to change.',
  values: AGENT_SETTINGS,
} as const satisfies Choices;

const REASON = {
  name: 'AgentSettingRefusal',
  doc: 'Why an agent does not apply a setting.',
  values: REFUSED_REASONS,
} as const satisfies Choices;

/** The settings that an agent is to run. */
export const WANTED_SETTINGS = {
  name: 'WantedAgentSettings',
  doc: "Settings that an agent is to run. Null: as in the agent's file.",
  fields: {
    pollIntervalMs: { kind: 'integer', nullable: true, doc: AGENT_SETTINGS.PollInterval },
    batchMaxEvents: { kind: 'integer', nullable: true, doc: AGENT_SETTINGS.BatchSize },
    logLevel: { kind: 'choice', choices: LOG_LEVEL, nullable: true, doc: AGENT_SETTINGS.LogLevel },
    databasesOn: { kind: 'text', isList: true, nullable: true, doc: 'Databases to publish.' },
    databasesOff: { kind: 'text', isList: true, nullable: true, doc: 'Databases not to publish.' },
  },
} as const satisfies Shape;

const REFUSED = {
  setting: { kind: 'choice', choices: SETTING },
  reason: { kind: 'choice', choices: REASON },
} as const;

/** The settings with which an agent works on a source. */
export const RUNNING_SETTINGS = {
  name: 'RunningAgentSettings',
  doc: 'The settings with which an agent works on a source, as it last reported them.',
  fields: {
    version: { kind: 'integer', nullable: true, doc: 'Of the settings of its group. Null: it has none.' },
    pollIntervalMs: { kind: 'integer' },
    batchMaxEvents: { kind: 'integer' },
    logLevel: { kind: 'choice', choices: LOG_LEVEL },
    isOn: { kind: 'boolean', doc: 'Whether the database is published.' },
    refused: {
      kind: 'object',
      isList: true,
      of: { name: 'RefusedAgentSetting', doc: 'A setting that the agent does not apply.', fields: REFUSED },
    },
  },
} as const satisfies Shape;

/** What a source shows of the settings and the package of its agent. */
export const SOURCE_SETTINGS = {
  agentGroup: { kind: 'text', nullable: true, doc: 'The group of agents that counts. Null: none.' },
  wantedVersion: {
    kind: 'integer',
    nullable: true,
    doc: 'Of the settings that its agent is to run. Null: those of its file.',
  },
  runningVersion: {
    kind: 'integer',
    nullable: true,
    doc: 'Of the settings that its agent has taken in, at its last report. Null: none.',
  },
  refusedSettings: {
    kind: 'text',
    isList: true,
    doc: 'The settings of that version that its agent does not apply, each with the reason.',
  },
  followsSettings: {
    kind: 'boolean',
    doc: 'Whether its agent has taken in the wanted version, and refuses nothing of it.',
  },
  running: { kind: 'object', of: RUNNING_SETTINGS, nullable: true, doc: 'Null: its agent tells none.' },
  ...SOURCE_PACKAGE,
} as const satisfies ShapeFields;

/** What the answer to a report says. */
export const WANTED_OF_GROUP = {
  settingsVersion: {
    kind: 'integer',
    nullable: true,
    doc: "Of the settings of the agent's group. Null: it is in no group.",
  },
  settings: {
    kind: 'object',
    of: WANTED_SETTINGS,
    nullable: true,
    doc: 'What the agent is to run, as far as its file allows it. Null: what its file says.',
  },
  ...OFFERED_PACKAGE,
} as const satisfies ShapeFields;

/** As an agent reports it. */
export const RUNNING_REPORT = {
  name: 'RunningAgentSettingsReport',
  doc: 'The settings with which the agent works on the source.',
  fields: {
    version: {
      kind: 'integer',
      min: 1,
      doc: '`settingsVersion` of the last answer that it has taken in. Null: none.',
    },
    pollIntervalMs: { kind: 'integer', ...POLL_INTERVAL_MS, isRequired: true },
    batchMaxEvents: { kind: 'integer', ...BATCH_EVENTS, isRequired: true },
    logLevel: { kind: 'enum', choices: LOG_LEVEL, isRequired: true },
    isOn: { kind: 'boolean', isRequired: true },
    refused: {
      kind: 'object',
      isList: true,
      itemsMax: AGENT_SETTING_NAMES.length,
      isRequired: true,
      of: {
        name: 'RefusedAgentSettingReport',
        doc: 'A setting that the agent does not apply.',
        fields: {
          setting: { kind: 'enum', choices: SETTING, isRequired: true },
          reason: { kind: 'enum', choices: REASON, isRequired: true },
        },
      },
    },
  },
} as const satisfies InputShape;

export const AGENT_GROUP = {
  name: 'AgentGroup',
  doc: 'Hosts of a tenant, and the settings that the agents there are to run.',
  fields: {
    groupId: { kind: 'id' },
    tenantId: { kind: 'text' },
    name: { kind: 'text' },
    position: { kind: 'integer', doc: 'Of two groups with a host, the one with the lower position counts.' },
    hosts: { kind: 'text', isList: true, doc: 'Patterns of host names.' },
    version: { kind: 'integer', doc: 'Grows with each change; no other group of the tenant ever has it.' },
    changedAt: { kind: 'time' },
    settings: { kind: 'object', of: WANTED_SETTINGS },
  },
} as const satisfies Shape;

/** The problems of each text of a list together, each named with its place. */
const eachOf =
  (charsMax: number) =>
  (texts: readonly string[], field: string): Problem[] =>
    texts.flatMap((text, i) => {
      const at = `${field}[${i}]`;
      if (text.trim() === '') return [empty(at)];
      return text.length > charsMax ? [tooLong(at, charsMax)] : controlProblems(text, at);
    });

const hostsProblems = (hosts: readonly string[], field: string): Problem[] =>
  hosts.length === 0 ? [empty(field)] : eachOf(REPORT_CHARS_MAX.hostName)(hosts, field);

const DATABASES = {
  kind: 'texts',
  itemsMax: LIMITS.agentGroupDatabasesMax,
  check: eachOf(REPORT_CHARS_MAX.databaseName),
} as const;
const SETTINGS = {
  pollIntervalMs: { kind: 'integer', ...POLL_INTERVAL_MS, doc: AGENT_SETTINGS.PollInterval },
  batchMaxEvents: { kind: 'integer', ...BATCH_EVENTS, doc: AGENT_SETTINGS.BatchSize },
  logLevel: { kind: 'enum', choices: LOG_LEVEL, doc: AGENT_SETTINGS.LogLevel },
  databasesOn: { ...DATABASES, doc: 'Databases to publish, also those that the file has off.' },
  databasesOff: { ...DATABASES, doc: 'Databases not to publish.' },
} as const satisfies ParameterSpecs;
const HOSTS = {
  kind: 'texts',
  itemsMax: LIMITS.agentGroupHostsMax,
  check: hostsProblems,
  doc: 'Patterns of host names, in which * stands for any text and ? for one character; letter case does not matter.',
} as const;
const POSITION = { kind: 'integer', min: 1, max: 1_000_000 } as const;
const GROUP = { kind: 'reference', isRequired: true } as const;

export const AGENT_GROUPS = {
  tenantId: { kind: 'reference', doc: 'Null: of every tenant.' },
} as const satisfies ParameterSpecs;

export const CREATE_AGENT_GROUP = {
  tenantId: { kind: 'reference', isRequired: true },
  name: { kind: 'text', isRequired: true, check: nameProblems },
  hosts: { ...HOSTS, isRequired: true },
  position: { ...POSITION, doc: 'Null: after all others.' },
  ...SETTINGS,
} as const satisfies ParameterSpecs;

export const UPDATE_AGENT_GROUP = {
  groupId: GROUP,
  name: { kind: 'text', check: nameProblems },
  hosts: HOSTS,
  position: POSITION,
  ...SETTINGS,
  unset: {
    kind: 'choices',
    values: AGENT_SETTING_NAMES,
    doc: "Settings that become those of the agents' files again.",
  },
} as const satisfies ParameterSpecs;

export const DELETE_AGENT_GROUP = { groupId: GROUP } as const satisfies ParameterSpecs;

/** A database cannot be both on and off. */
export function databaseProblems({
  databasesOn,
  databasesOff,
}: {
  readonly databasesOn?: readonly string[] | null | undefined;
  readonly databasesOff?: readonly string[] | null | undefined;
}): Problem[] {
  const off = new Set((databasesOff ?? []).map((name) => name.toLowerCase()));
  return (databasesOn ?? []).flatMap((name, i) =>
    off.has(name.toLowerCase()) ? [problem(`databasesOn[${i}]`, 'conflict', 'is in databasesOff too')] : [],
  );
}
