import { LIMITS } from '../limits';

/** The settings of agents that the service may want otherwise, by the names under which an agent's file allows them. */
export const AGENT_SETTINGS = {
  PollInterval: 'The time between two listings of the audit files.',
  BatchSize: 'The most events of a request.',
  LogLevel: 'The least level of the lines in the log.',
  Databases: 'Which databases of the file are published.',
} as const;
export type AgentSetting = keyof typeof AGENT_SETTINGS;
export const AGENT_SETTING_NAMES = Object.keys(AGENT_SETTINGS) as AgentSetting[];

export const AGENT_LOG_LEVELS = {
  info: 'Everything.',
  warn: 'Warnings and errors.',
  error: 'Errors.',
} as const;
export type AgentLogLevel = keyof typeof AGENT_LOG_LEVELS;

/** Why an agent does not apply a setting. */
export const REFUSED_REASONS = {
  NOT_ALLOWED: 'The file of the agent does not allow the service to change it.',
  OUT_OF_BOUNDS: 'The agent does not take the value.',
} as const;
export type RefusedReason = keyof typeof REFUSED_REASONS;

/** A setting that an agent does not apply. */
export interface RefusedSetting {
  readonly setting: AgentSetting;
  readonly reason: RefusedReason;
}

/** What the service wants of an agent. Null: as in the agent's file. */
export interface WantedSettings {
  readonly pollIntervalMs: number | null;
  readonly batchMaxEvents: number | null;
  readonly logLevel: AgentLogLevel | null;
  /** Labels of databases, in any letter case. */
  readonly databasesOn: readonly string[] | null;
  readonly databasesOff: readonly string[] | null;
}

/** The settings with which an agent works on one database. */
export interface RunningSettings {
  /** Of the wanted settings that it has taken in. Null: none are wanted. */
  readonly version: number | null;
  readonly pollIntervalMs: number;
  readonly batchMaxEvents: number;
  readonly logLevel: AgentLogLevel;
  /** Whether the database is published. */
  readonly isOn: boolean;
  readonly refused: readonly RefusedSetting[];
}

export const POLL_INTERVAL_MS = { min: 10, max: 3_600_000 } as const;
export const BATCH_EVENTS = { min: 1, max: LIMITS.ingestBatchEventsMax } as const;
