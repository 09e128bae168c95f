import { join } from 'node:path';
import { Checkpoint } from './checkpoint/checkpoint';
import type { Clock } from './clock';
import type { AgentConfig, DatabaseConfig } from './config/parse-config';
import { fileNameOf } from './durable-file';
import type { Log } from './log';
import { Occasionally } from './occasionally';
import { Problems } from './problems';
import { type Batch, DatabaseTail } from './tail/database-tail';
import type { AgentTimes } from './times';
import { DeadLetters } from './uplink/dead-letters';
import { IngestClient } from './uplink/ingest-client';
import { PatientSender } from './uplink/patient-sender';
import { Publisher, type Tally } from './uplink/publisher';

export interface WorkerOptions {
  readonly config: AgentConfig & { readonly tenantId: string };
  readonly database: DatabaseConfig;
  readonly dataDir: string;
  readonly once: boolean;
  readonly times: AgentTimes;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WorkerResult extends Tally {
  readonly fileCount: number;
  /** Records of them may be missing in what was published. */
  readonly problemCount: number;
  /** Why events that were read are not published; null where all are. */
  readonly unpublished: string | null;
  readonly deadLettersPath: string;
}

/** A request never holds more than this, but for a single event that is larger. Far below what the service takes. */
const REQUEST_BYTES_MAX = 4 * 1024 * 1024;
/** A batch and the next one are in memory at once. */
const BATCH_BYTES_MAX = 1024 * 1024;

/**
 * Publishes what is in the audit files of one database, and notes how far, until it is stopped.
 * @param stop ends reading
 * @param abandon ends the request in flight as well
 */
export async function publishDatabase(
  options: WorkerOptions,
  stop: AbortSignal,
  abandon: AbortSignal,
): Promise<WorkerResult> {
  const { config, database, dataDir, once, times, clock, log } = options;
  const fileName = fileNameOf(database.name);
  // A tenant's events are not another tenant's: with another tenant id everything is new.
  const checkpointPath = join(dataDir, 'checkpoints', fileNameOf(config.tenantId), `${fileName}.json`);
  const checkpoint = await Checkpoint.load(checkpointPath, { database: database.name, log, clock });
  const problems = new Problems(database.name, log, once);
  const limits = {
    eventsMax: config.batchEventsMax,
    bytesMax: BATCH_BYTES_MAX,
    ageMaxMs: config.batchAgeMaxMs,
  };
  const tail = new DatabaseTail({
    ...{ database: database.name, glob: database.glob, sourceType: database.sourceType },
    ...{ limits, pollIntervalMs: config.pollIntervalMs, once, times, clock, log, problems },
    entryOf: (fileGuid) => checkpoint.entry(fileGuid),
  });
  const client = new IngestClient(config, times.requestTimeoutMs);
  const send: IngestClient['send'] = (events, signal) => client.send(events, signal);
  const sender = new PatientSender({ database: database.name, send, once, times, clock, log });
  const deadLetters = new DeadLetters(join(dataDir, 'rejected', `${fileName}.ndjson`));
  const publisher = new Publisher(sender, deadLetters, {
    eventsMax: config.batchEventsMax,
    bytesMax: REQUEST_BYTES_MAX,
  });

  const said = new Occasionally(clock, times.repeatMs);
  const unpublished = await deliverAll(tail, stop, async ({ events, snapshot }) => {
    const rejectedBefore = publisher.tally.rejected;
    const problem = await publisher.publish(events, abandon);
    if (problem !== null) return problem;
    const rejected = publisher.tally.rejected - rejectedBefore;
    if (rejected > 0) log.warn(`${database.name}: ${rejected} events rejected, kept in ${deadLetters.path}`);
    // Last: whatever happens before, the events are read again.
    if (snapshot.entries.size > 0) await checkpoint.save(snapshot);
    if (!once && events.length > 0 && said.isDue('progress'))
      log.info(`${database.name}: ${talliedOf(publisher.tally)} so far`);
    return null;
  });
  return {
    ...publisher.tally,
    fileCount: tail.fileCount,
    problemCount: problems.count,
    unpublished,
    deadLettersPath: deadLetters.path,
  };
}

/** `150 published (0 duplicates, 0 rejected)` */
export const talliedOf = ({ accepted, duplicates, rejected }: Tally): string =>
  `${accepted} published (${duplicates} duplicates, ${rejected} rejected)`;

/**
 * Delivers one batch after the other, while the next one is being read: the order is kept, and two are in memory.
 * @returns why it ended before the last, else null
 */
async function deliverAll(
  tail: DatabaseTail,
  stop: AbortSignal,
  deliver: (batch: Batch) => Promise<string | null>,
): Promise<string | null> {
  const failed = new AbortController();
  let inFlight: Promise<string | null> = Promise.resolve(null);
  for await (const batch of tail.batches(AbortSignal.any([stop, failed.signal]))) {
    const problem = await inFlight;
    if (problem !== null) return problem;
    inFlight = deliver(batch);
    // A failure must not wait for the next batch to be noticed; it is thrown below.
    inFlight.catch(() => failed.abort());
  }
  return inFlight;
}
