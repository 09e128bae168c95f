import { type AgentContext, configProblemOf } from './agent-context';
import type { Bookmark } from './bookmarks/bookmark';
import { OwnKey } from './config/own-key';
import { type AgentConfig, secretsOf } from './config/parse-config';
import type { Secret } from './config/secret';
import { publishDatabase, talliedOf, type WorkerOptions } from './database-worker';
import { abortedAfter, sharedByDatabases } from './deadline';
import { errorText } from './log';
import { Occasionally } from './occasionally';
import { Pace } from './pace';
import { renewKey } from './renew-key';
import { reportOff } from './settings/report-off';

/** The longest time between two looks at the configuration file. */
const CONFIG_POLL_MAX_MS = 2_000;

/** Files that were found and could not be noted, by GUID, of each database by tenant and name. */
type FoundFiles = Map<string, Map<string, Bookmark>>;

/** Publishes files as they grow, always with the current configuration, until it is stopped. @returns the exit code */
export async function follow(context: AgentContext, stop: AbortSignal): Promise<number> {
  const { log } = context;
  const found: FoundFiles = new Map();
  let { config } = context;
  while (!stop.aborted) {
    const restart = new AbortController();
    const end = AbortSignal.any([stop, restart.signal]);
    sharedByDatabases(end);
    const publishing = publishAll({ ...context, config }, found, end);
    const ownKey = new OwnKey(context.dataDir);
    const renewing = renewKey({ ...context, config, ownKey, random: Math.random }, end);
    const updating = context.packages.follow(config, end);
    const changed = await nextConfig(context, config, end);
    if (changed !== null) {
      log.info(`${context.configPath}: has changed and is in use now`);
      config = changed;
    }
    restart.abort();
    await publishing;
    await renewing;
    await updating;
  }
  log.info('stopped');
  return 0;
}

/** Waits for a valid configuration that differs. @returns null when stopped */
async function nextConfig(
  { file, clock }: AgentContext,
  current: AgentConfig,
  stop: AbortSignal,
): Promise<AgentConfig | null> {
  while (!stop.aborted) {
    await clock.wait(Math.min(current.pollIntervalMs, CONFIG_POLL_MAX_MS), stop);
    if (stop.aborted) return null;
    const changed = await file.loadChanged();
    if (changed !== null && !isSame(changed, current)) return changed;
  }
  return null;
}

async function publishAll(context: AgentContext, found: FoundFiles, stop: AbortSignal): Promise<void> {
  const { board, config, configPath, clock, log, times } = context;
  const problem = configProblemOf(config, configPath);
  const { tenantId } = config;
  board.problem = problem;
  if (problem === null && tenantId !== null) {
    const pace = new Pace(config.pace, clock);
    const settings = { ...context, config: { ...config, tenantId }, pace };
    const isOff = new Set(config.switchedOff);
    const activities = board.show(tenantId, [...config.databases, ...config.switchedOff]);
    await Promise.all(
      activities.map(({ database, activity }) => {
        const work = isOff.has(database) ? reportOff : publishDatabase;
        const key = JSON.stringify([tenantId, database.name]);
        const ofDatabase = found.get(key) ?? new Map<string, Bookmark>();
        found.set(key, ofDatabase);
        return keepWorking({ ...settings, database, activity, found: ofDatabase }, work, stop);
      }),
    );
    return;
  }
  board.show('', []);
  const said = new Occasionally(clock, times.repeatMs);
  while (!stop.aborted) {
    if (said.isDue(problem ?? '')) log.warn(problem ?? '');
    await clock.wait(times.repeatMs, stop);
  }
}

/** A problem that stops one database (a full disk, say) affects no other database, and may pass. */
async function keepWorking(
  options: WorkerOptions,
  work: typeof publishDatabase | typeof reportOff,
  stop: AbortSignal,
): Promise<void> {
  const { activity, database, clock, times } = options;
  const log = activity.recording(options.log);
  const abandon = abortedAfter(stop, times.stopGraceMs);
  while (!stop.aborted) {
    try {
      const tally = await work(options, stop, abandon);
      if (tally) log.info(`${database.name}: ${talliedOf(tally)} in this run`);
    } catch (error) {
      activity.ownProblem = errorText(error);
      log.error(`${database.name}: failed and is tried again: ${activity.ownProblem}`);
      await clock.wait(times.restartMs, stop);
    }
  }
}

/** The JSON does not show secrets. */
const isSame = (a: AgentConfig, b: AgentConfig): boolean =>
  JSON.stringify(a) === JSON.stringify(b) &&
  JSON.stringify(secretsOf(a).map(reveal)) === JSON.stringify(secretsOf(b).map(reveal));
const reveal = (secret: Secret): string => secret.reveal();
