import { type AgentContext, configProblemOf } from './agent-context';
import { publishDatabase, talliedOf, type WorkerResult } from './database-worker';
import { abortedAfter, sharedByDatabases } from './deadline';
import { errorText } from './log';
import { Pace } from './pace';
import { reportOff } from './settings/report-off';

/** Publishes the present records of the audit files. @returns the exit code: 0 only if none is left or rejected */
export async function publishOnce(context: AgentContext, stop: AbortSignal): Promise<number> {
  const { board, clock, config, configPath, log, print, times } = context;
  const problem = configProblemOf(config, configPath);
  const { tenantId } = config;
  board.problem = problem;
  if (problem !== null || tenantId === null) {
    // Publishing that is switched off is intended. A missing tenant id is not.
    const isWanted = !config.enabled;
    log[isWanted ? 'info' : 'error'](problem ?? '');
    return isWanted || tenantId !== null ? 0 : 1;
  }
  const abandon = abortedAfter(stop, times.stopGraceMs);
  sharedByDatabases(stop, abandon);
  const pace = new Pace(config.pace, clock);
  const isOff = new Set(config.switchedOff);
  const results = await Promise.all(
    board.show(tenantId, [...config.databases, ...config.switchedOff]).map(async ({ database, activity }) => {
      const options = { ...context, config: { ...config, tenantId }, database, activity, pace };
      try {
        if (isOff.has(database)) {
          await reportOff(options, stop, abandon);
          return false;
        }
        const result = await publishDatabase(options, stop, abandon);
        print(summaryOf(database.name, result));
        if (result.problem !== null) {
          log.error(`${database.name}: not everything could be published: ${result.problem}`);
        }
        if (result.rejected > 0) {
          log.error(
            `${database.name}: ${result.rejected} rejected events are kept in ${result.deadLettersPath}`,
          );
        }
        return isClean(result);
      } catch (error) {
        activity.ownProblem = errorText(error);
        log.error(`${database.name}: failed: ${activity.ownProblem}`);
        return false;
      }
    }),
  );
  if (stop.aborted) log.warn('stopped before the end; what was published is noted');
  return results.every(Boolean) && !stop.aborted ? 0 : 1;
}

const summaryOf = (name: string, result: WorkerResult): string =>
  `${name}: ${talliedOf(result)} from ${result.fileCount} ${result.fileCount === 1 ? 'file' : 'files'}`;

const isClean = ({ problem, rejected, problemCount }: WorkerResult): boolean =>
  problem === null && rejected === 0 && problemCount === 0;
