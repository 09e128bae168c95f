import { publishDatabase, talliedOf, type WorkerResult } from './database-worker';
import { abortedAfter } from './grace';
import { errorText } from './log';
import { type AgentContext, obstacleOf } from './run-agent';

/** Publishes all that is in the audit files now. @returns the exit code: 0 only where nothing is left or kept back */
export async function publishOnce(context: AgentContext, stop: AbortSignal): Promise<number> {
  const { board, config, configPath, log, print, times } = context;
  const obstacle = obstacleOf(config, configPath);
  const { tenantId } = config;
  board.obstacle = obstacle;
  if (obstacle !== null || tenantId === null) {
    // Switched off is a state somebody wants; a missing tenant id is not.
    const isWanted = !config.enabled;
    log[isWanted ? 'info' : 'error'](obstacle ?? '');
    return isWanted || tenantId !== null ? 0 : 1;
  }
  const abandon = abortedAfter(stop, times.stopGraceMs);
  const results = await Promise.all(
    board.show(tenantId, config.databases).map(async ({ database, activity }) => {
      const options = { ...context, config: { ...config, tenantId }, database, activity };
      try {
        const result = await publishDatabase(options, stop, abandon);
        print(summaryOf(database.name, result));
        if (result.unpublished !== null) {
          log.error(`${database.name}: not everything could be published: ${result.unpublished}`);
        }
        if (result.rejected > 0) {
          log.error(
            `${database.name}: ${result.rejected} rejected events are kept in ${result.deadLettersPath}`,
          );
        }
        return isClean(result);
      } catch (error) {
        activity.failure = errorText(error);
        log.error(`${database.name}: failed: ${activity.failure}`);
        return false;
      }
    }),
  );
  if (stop.aborted) log.warn('stopped before the end; what was published is noted');
  return results.every(Boolean) && !stop.aborted ? 0 : 1;
}

const summaryOf = (name: string, result: WorkerResult): string =>
  `${name}: ${talliedOf(result)} from ${result.fileCount} ${result.fileCount === 1 ? 'file' : 'files'}`;

const isClean = ({ unpublished, rejected, problemCount }: WorkerResult): boolean =>
  unpublished === null && rejected === 0 && problemCount === 0;
