import type { AgentConfig } from './config/parse-config';
import { publishDatabase, talliedOf, type WorkerOptions } from './database-worker';
import { abortedAfter } from './grace';
import { errorText } from './log';
import { Occasionally } from './occasionally';
import { type AgentContext, obstacleOf } from './run-agent';

/** How often the configuration file is looked at, at least. */
const CONFIG_POLL_MAX_MS = 2_000;

/** Publishes as files grow, with the configuration as it is at the time, until it is stopped. @returns the exit code */
export async function follow(context: AgentContext, stop: AbortSignal): Promise<number> {
  const { log } = context;
  let { config } = context;
  while (!stop.aborted) {
    const restart = new AbortController();
    const end = AbortSignal.any([stop, restart.signal]);
    const publishing = publishAll({ ...context, config }, end);
    const changed = await nextConfig(context, config, end);
    if (changed !== null) {
      log.info(`${context.configPath}: has changed and is in use now`);
      config = changed;
    }
    restart.abort();
    await publishing;
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

async function publishAll(context: AgentContext, stop: AbortSignal): Promise<void> {
  const { board, config, configPath, clock, log, times } = context;
  const obstacle = obstacleOf(config, configPath);
  const { tenantId } = config;
  board.obstacle = obstacle;
  if (obstacle === null && tenantId !== null) {
    const settings = { ...context, config: { ...config, tenantId } };
    const activities = board.show(tenantId, config.databases);
    await Promise.all(
      activities.map(({ database, activity }) => keepPublishing({ ...settings, database, activity }, stop)),
    );
    return;
  }
  board.show('', []);
  const said = new Occasionally(clock, times.repeatMs);
  while (!stop.aborted) {
    if (said.isDue(obstacle ?? '')) log.warn(obstacle ?? '');
    await clock.wait(times.repeatMs, stop);
  }
}

/** One database's failure (a full disk, say) is no other's, and may pass. */
async function keepPublishing(options: WorkerOptions, stop: AbortSignal): Promise<void> {
  const { activity, database, clock, times } = options;
  const log = activity.recording(options.log);
  log.info(`${database.name}: follows ${database.glob.pattern ?? 'the file'} in ${database.glob.folder}`);
  const abandon = abortedAfter(stop, times.stopGraceMs);
  while (!stop.aborted) {
    try {
      const tally = await publishDatabase(options, stop, abandon);
      log.info(`${database.name}: ${talliedOf(tally)} in this run`);
    } catch (error) {
      activity.failure = errorText(error);
      log.error(`${database.name}: failed and is tried again: ${activity.failure}`);
      await clock.wait(times.restartMs, stop);
    }
  }
}

/** The key does not show in the JSON. */
const isSame = (a: AgentConfig, b: AgentConfig): boolean =>
  JSON.stringify(a) === JSON.stringify(b) && a.apiKey.reveal() === b.apiKey.reveal();
