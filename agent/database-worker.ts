import { join } from 'node:path';
import type { Bookmark } from './bookmarks/bookmark';
import { Bookmarks } from './bookmarks/bookmarks';
import { wholeFiles } from './bookmarks/whole-files';
import type { Clock } from './clock';
import type { AgentConfig, DatabaseConfig } from './config/parse-config';
import { fileNameOf } from './durable-file';
import { GapStore } from './gaps/gap-store';
import { errorText, type Log } from './log';
import { Occasionally } from './occasionally';
import type { Pace } from './pace';
import { Problems } from './problems';
import { reportBeside } from './report/report-beside';
import type { KeptSettings } from './settings/kept-settings';
import type { Environment } from './source/environment';
import { isShared, isStored, openSource } from './source/open-source';
import { Spool } from './spool/spool';
import type { DatabaseActivity } from './status/database-activity';
import { fileProgressOf } from './status/file-progress';
import { type Batch, DatabaseTail } from './tail/database-tail';
import type { AgentTimes } from './times';
import type { OfferedPackage } from './update/offered-package';
import { DeadLetters, deadLettersPath } from './uplink/dead-letters';
import { IngestClient } from './uplink/ingest-client';
import { PatientSender } from './uplink/patient-sender';
import { type Published, type PublishedCounts, Publisher } from './uplink/publisher';
import { gapsOf, newestStored, type Refusals } from './uplink/refused-events';

export interface WorkerOptions {
  readonly config: AgentConfig & { readonly tenantId: string };
  readonly database: DatabaseConfig;
  readonly activity: DatabaseActivity;
  readonly dataDir: string;
  readonly kept: KeptSettings;
  readonly packages: OfferedPackage;
  readonly once: boolean;
  /** Of all databases together. */
  readonly pace: Pace;
  readonly times: AgentTimes;
  readonly clock: Clock;
  readonly env?: Environment;
  readonly log: Log;
  /** Files that were found and could not be noted, for the next attempt after one that failed, or with other settings. */
  readonly found?: Map<string, Bookmark>;
}

export interface WorkerResult extends PublishedCounts {
  readonly fileCount: number;
  /** Number of problems with files, by which published records may be incomplete. */
  readonly problemCount: number;
  /** Why events that were read are not published; null if all were published. */
  readonly problem: string | null;
  readonly deadLettersPath: string;
}

/** The most bytes of a request, unless a single event is larger. The service accepts far larger requests. */
const REQUEST_BYTES_MAX = 4 * 1024 * 1024;
/** For all databases together: batches in flight, the next batch, and a request of each are in memory at once. */
const BATCH_BYTES = { max: 1024 * 1024, min: 64 * 1024, sum: 2 * 1024 * 1024 };
/**
 * Per database, while the service accepts events. The service works on two batches of a tenant at once, and the third is
 * ready when one of them is done.
 */
const BATCHES_IN_FLIGHT = 3;

/**
 * Publishes the audit files of one database, keeps bookmarks, and reports on the database, until it is stopped.
 * @param stop ends reading
 * @param abandon ends the request in flight as well
 */
export async function publishDatabase(
  given: WorkerOptions,
  stop: AbortSignal,
  abandon: AbortSignal,
): Promise<WorkerResult> {
  const options = { ...given, log: given.activity.recording(given.log) };
  const { config, database, dataDir, once, times, clock, log, activity } = options;
  const fileName = fileNameOf(database.name);
  // Each tenant has its own state: with another tenant id, everything is published from the beginning.
  const tenantFolder = fileNameOf(config.tenantId);
  const bookmarks = await bookmarksOfDatabase(options);
  const gaps = await gapsOfDatabase(options);
  const problems = new Problems(database.name, log, once);
  const isOfStore = isStored(database.source);
  const source = openSource(database.source, {
    env: given.env ?? {},
    clock,
    times,
    bookmarks,
    once,
    stop,
    folder: join(dataDir, 'objects', tenantFolder, fileName),
  });
  if (!once) log.info(`${database.name}: follows ${source.title}`);
  const spool = await Spool.open({
    folder: join(dataDir, 'spool', tenantFolder, fileName),
    // No newer object removes an older one.
    bytesMax: isOfStore ? 0 : config.spoolBytesMax,
    source,
    problems,
  });
  const limits = {
    eventsMax: config.batchEventsMax,
    bytesMax: batchBytesMax(config.databases.length),
    ageMaxMs: config.batchAgeMaxMs,
  };
  const tail = new DatabaseTail({
    database: database.name,
    source,
    isShared: isShared(database.source),
    sourceType: database.source.type,
    limits,
    pollIntervalMs: config.pollIntervalMs,
    once,
    times: isOfStore ? { ...times, joinWaitMs: times.storedJoinWaitMs } : times,
    clock,
    log,
    problems,
    bookmarks,
    gaps,
    spool,
  });
  const deadLetters = new DeadLetters(deadLettersPath(dataDir, database.name));
  const publisher = publisherOf(options, deadLetters);
  activity.begin({
    files: () => tail.present.map((file) => fileProgressOf(file, bookmarks.of(file.fileGuid))),
    unread: () => tail.unread,
    listedAtMs: () => tail.listedAtMs,
    isAway: () => tail.isAway,
    pendingGaps: () => gaps.count,
    source: () => source.state?.() ?? null,
  });
  const reporting = reportBeside(options, gaps, sharingOf(options, bookmarks), abandon);
  const said = new Occasionally(clock, times.repeatMs);
  try {
    const settle = async (batch: Batch, refusals: Refusals) => {
      const { events, snapshot } = batch;
      if (refusals.size > 0)
        log.error(`${database.name}: ${refusals.size} events rejected, kept in ${deadLetters.path}`);
      const found = { database: database.name, keptIn: deadLetters.path, nowMs: clock.now() };
      for (const gap of gapsOf(events, refusals, found)) await gaps.add(gap);
      // This comes last: if anything fails before, the events are read again.
      if (snapshot.bookmarks.size > 0) await bookmarks.save(snapshot);
      await tail.keeper.saved();
      activity.acknowledged(events.length, newestStored(events, refusals), publisher.tally);
      if (!once && events.length > 0 && said.isDue('progress'))
        log.info(`${database.name}: ${talliedOf(publisher.tally)} so far`);
      tail.settled(batch);
    };
    const publish = ({ events }: Batch) => publisher.publish(events, abandon);
    const room = ({ events }: Batch) => options.pace.room(events.json.length, stop);
    const problem = await deliverAll(tail, stop, activity, { room, publish, settle });
    return {
      ...publisher.tally,
      fileCount: tail.fileCount,
      problemCount: problems.count,
      problem,
      deadLettersPath: deadLetters.path,
    };
  } catch (error) {
    // This comes before the last report, which includes it.
    activity.ownProblem = errorText(error);
    throw error;
  } finally {
    await reporting.finish();
    activity.end();
  }
}

/** How far each file of a database is published. */
export const bookmarksOfDatabase = (options: WorkerOptions): Promise<Bookmarks> => {
  const { clock, config, database, dataDir, found = new Map(), log } = options;
  const path = join(dataDir, 'checkpoints', fileNameOf(config.tenantId), `${fileNameOf(database.name)}.json`);
  return Bookmarks.load(path, { database: database.name, log, clock, found });
};

/** The files that are published whole, where several hosts share the folder; null: they do not. */
export const sharingOf = (
  { database }: WorkerOptions,
  bookmarks: Bookmarks,
): (() => readonly string[]) | null => (isShared(database.source) ? () => wholeFiles(bookmarks) : null);

/** The gaps of a database that the service does not know yet. */
export const gapsOfDatabase = ({ config, database, dataDir, log }: WorkerOptions): Promise<GapStore> => {
  const path = join(dataDir, 'gaps', fileNameOf(config.tenantId), `${fileNameOf(database.name)}.ndjson`);
  return GapStore.load(path, { log });
};

const batchBytesMax = (databases: number): number =>
  Math.max(BATCH_BYTES.min, Math.min(BATCH_BYTES.max, Math.floor(BATCH_BYTES.sum / databases)));

/** `150 published (0 duplicates, 0 rejected)` */
export const talliedOf = ({ accepted, duplicates, rejected }: PublishedCounts): string =>
  `${accepted} published (${duplicates} duplicates, ${rejected} rejected)`;

function publisherOf(options: WorkerOptions, deadLetters: DeadLetters): Publisher {
  const { config, database, activity, once, times, clock, log } = options;
  const client = new IngestClient(config, times.requestTimeoutMs);
  const sender = new PatientSender({
    database: database.name,
    once,
    times,
    clock,
    log,
    send: (events, signal) => client.send(events, signal),
    onProblem: (problem) => {
      activity.serviceProblem = problem;
    },
  });
  return new Publisher(sender, deadLetters, {
    eventsMax: config.batchEventsMax,
    bytesMax: REQUEST_BYTES_MAX,
  });
}

interface Delivery {
  /** Resolves when the batch may be published. */
  room(batch: Batch): Promise<void>;
  publish(batch: Batch): Promise<Published>;
  /** Notes that the batch is published. */
  settle(batch: Batch, refusals: Refusals): Promise<void>;
}

/**
 * Delivers batches while the next ones are being read. A few are in flight at once, and they are settled in their order,
 * so that a bookmark never moves past unpublished events.
 * @returns why it ended before the last batch, else null
 */
async function deliverAll(
  tail: DatabaseTail,
  stop: AbortSignal,
  activity: DatabaseActivity,
  { room, publish, settle }: Delivery,
): Promise<string | null> {
  const failed = new AbortController();
  const inFlight: Promise<string | null>[] = [];
  let isTaken = false;
  /** One batch until the service has accepted a batch, and one while the service accepts nothing. */
  const inFlightMax = () => (isTaken && activity.serviceProblem === null ? BATCHES_IN_FLIGHT : 1);
  const deliver = async (batch: Batch, before: Promise<string | null> | undefined) => {
    // Publishing starts now and is settled below. An error before that must not end the process as unhandled.
    const published = publish(batch);
    published.catch(() => failed.abort());
    const problemBefore = await before;
    if (problemBefore) return problemBefore;
    const { problem, refusals } = await published;
    if (problem !== null) return problem;
    await settle(batch, refusals);
    isTaken = true;
    return null;
  };
  for await (const batch of tail.batches(AbortSignal.any([stop, failed.signal]))) {
    activity.read(batch.events.length);
    if (!(await roomFor(inFlight, inFlightMax, (delivery) => tail.keeper.watchDuring(delivery, stop)))) break;
    await tail.keeper.watchDuring(room(batch), stop);
    const delivery = tail.keeper.delivering(deliver(batch, inFlight.at(-1)));
    inFlight.push(delivery);
    // An error must be noticed before the next batch is read. It is thrown below.
    delivery.catch(() => failed.abort());
  }
  // Each delivery returns the problem of the one before, if there was one.
  await Promise.allSettled(inFlight);
  return (await inFlight.at(-1)) ?? null;
}

/** Waits until there is room for another delivery. @returns false if a delivery has failed */
async function roomFor(
  inFlight: Promise<string | null>[],
  inFlightMax: () => number,
  wait: (delivery: Promise<string | null>) => Promise<string | null>,
): Promise<boolean> {
  while (inFlight[0] && inFlight.length >= inFlightMax()) {
    if ((await wait(inFlight[0])) !== null) return false;
    inFlight.shift();
  }
  return true;
}
