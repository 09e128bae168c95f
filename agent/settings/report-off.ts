import { bookmarksOfDatabase, gapsOfDatabase, sharingOf, type WorkerOptions } from '../database-worker';
import { reportBeside } from '../report/report-beside';

/** Reports on a database that the service has switched off, until it is stopped, so that nobody takes it for complete. */
export async function reportOff(
  options: WorkerOptions,
  stop: AbortSignal,
  abandon: AbortSignal,
): Promise<void> {
  const { activity, config } = options;
  activity.offBy = config.wanted.version;
  const sharing = sharingOf(options, await bookmarksOfDatabase(options));
  const reporting = reportBeside(options, await gapsOfDatabase(options), sharing, abandon);
  if (!options.once && !stop.aborted)
    await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  await reporting.finish();
}
