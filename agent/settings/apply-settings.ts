import { z } from 'zod';
import {
  type AgentSetting,
  REFUSED_REASONS,
  type RefusedSetting,
  type RunningSettings,
} from '../../src/event/agent-settings';
import { REPORT_CHARS_MAX } from '../../src/event/source-report';
import { LIMITS } from '../../src/limits';
import { configFile } from '../config/config-schema';
import type { AgentConfig, DatabaseConfig } from '../config/parse-config';
import type { Log } from '../log';
import { type DatabaseActivity, offText } from '../status/database-activity';
import { KeptSettings } from './kept-settings';

const { PollIntervalMs, BatchMaxEvents, LogLevel } = configFile.shape.EventHubPublisher.shape;
const names = z
  .array(z.string().max(REPORT_CHARS_MAX.databaseName))
  .max(LIMITS.agentGroupDatabasesMax)
  .nullish();
const databases = z.object({ on: names, off: names });

/**
 * The configuration with the settings that the service wants, as far as the file allows them. Each is checked as a value
 * of the file is. The others are named, and the file's values stay.
 * @param keptText see `KeptSettings.text`
 */
export function withSettings(config: AgentConfig, keptText: string | null): AgentConfig {
  const wanted = KeptSettings.wanted(keptText, config.tenantId);
  if (wanted === null) return config;
  const refused: RefusedSetting[] = [];
  const { settings } = wanted;
  const { databasesOn: on, databasesOff: off } = settings;
  const take = <T>(setting: AgentSetting, schema: z.ZodType<T>, value: unknown): T | undefined => {
    if (value === undefined || value === null) return undefined;
    if (!config.allowedSettings.includes(setting)) {
      refused.push({ setting, reason: 'NOT_ALLOWED' });
      return undefined;
    }
    const taken = schema.safeParse(value);
    if (!taken.success) refused.push({ setting, reason: 'OUT_OF_BOUNDS' });
    return taken.data;
  };
  const isOfDatabases = (on ?? off ?? null) !== null;
  const given = {
    pollIntervalMs: take('PollInterval', PollIntervalMs, settings.pollIntervalMs),
    batchEventsMax: take('BatchSize', BatchMaxEvents, settings.batchMaxEvents),
    logLevel: take('LogLevel', LogLevel, settings.logLevel),
    databases: take('Databases', databases, isOfDatabases ? { on, off } : null),
  };
  return {
    ...config,
    pollIntervalMs: given.pollIntervalMs ?? config.pollIntervalMs,
    batchEventsMax: given.batchEventsMax ?? config.batchEventsMax,
    logLevel: given.logLevel ?? config.logLevel,
    ...(given.databases && switched(config, given.databases)),
    wanted: { version: wanted.version, refused },
  };
}

/** A name that the file does not have changes nothing: hosts of one group have different databases. */
function switched(config: AgentConfig, { on, off }: z.infer<typeof databases>) {
  const has = (list: readonly string[] | null | undefined, { name }: DatabaseConfig) =>
    list?.some((one) => one.toLowerCase() === name.toLowerCase()) ?? false;
  return {
    databases: [
      ...config.databases.filter((one) => !has(off, one)),
      ...config.disabled.filter((one) => has(on, one) && !has(off, one)),
    ],
    switchedOff: config.databases.filter((one) => has(off, one)),
    disabled: config.disabled.filter((one) => !has(on, one) || has(off, one)),
  };
}

/** What the agent works with on one database, for its report. */
export const runningOf = (
  { wanted, pollIntervalMs, batchEventsMax, logLevel }: AgentConfig,
  { offBy }: Pick<DatabaseActivity, 'offBy'>,
): RunningSettings => ({
  version: wanted.version,
  pollIntervalMs,
  batchMaxEvents: batchEventsMax,
  logLevel,
  isOn: offBy === null,
  refused: wanted.refused,
});

/** Logs what the service wants. No setting can hide that a database is switched off. */
export function tellWanted({ wanted, switchedOff }: AgentConfig, log: Log): void {
  if (wanted.version === null) return;
  log.info(`the settings of the service (version ${wanted.version}) are in use`);
  for (const { setting, reason } of wanted.refused)
    log.warn(`the service wants another ${setting}, which is not applied: ${REFUSED_REASONS[reason]}`);
  for (const { name } of switchedOff) log.error(`${name}: ${offText(wanted.version)}`);
}
