import { readFile, rename } from 'node:fs/promises';
import { z } from 'zod';
import type { Clock } from '../clock';
import { replaceFile } from '../durable-file';
import { errorCode, type Log } from '../log';
import { Turns } from '../turns';
import { type CheckpointEntry, checkpointEntry, type Snapshot } from './checkpoint-entry';

/** Entries of files that have been gone for so long are dropped: nobody brings such a file back. */
const GONE_DAYS_MAX = 90;
const DAY_MS = 24 * 3600_000;

const savedEntry = checkpointEntry.extend({ seen: z.iso.date() });
type SavedEntry = z.infer<typeof savedEntry>;
const savedCheckpoint = z.object({
  version: z.literal(1),
  database: z.string(),
  files: z.record(z.string(), savedEntry),
});

/** How far each file of a database was published, on disk. */
export class Checkpoint {
  private readonly writes = new Turns();

  private constructor(
    private readonly path: string,
    private readonly database: string,
    /** As they are on disk. */
    private entries: ReadonlyMap<string, SavedEntry>,
    private readonly clock: Clock,
  ) {}

  /** A file that cannot be used is set aside: the service recognises what it is sent again. */
  static async load(
    path: string,
    { database, log, clock }: { readonly database: string; readonly log: Log; readonly clock: Clock },
  ): Promise<Checkpoint> {
    const text = await textOf(path);
    const files = text === null ? {} : parse(text);
    if (files === null) {
      const aside = `${path}.damaged-${clock.now()}`;
      await rename(path, aside);
      log.warn(`${database}: the checkpoint ${path} is damaged: kept as ${aside}, all files are read again`);
    }
    return new Checkpoint(path, database, new Map(Object.entries(files ?? {})), clock);
  }

  entry(fileGuid: string): CheckpointEntry | null {
    return this.entries.get(fileGuid) ?? null;
  }

  /** All entries, by file GUID. */
  all(): Iterable<readonly [fileGuid: string, entry: CheckpointEntry]> {
    return this.entries;
  }

  /** Notes files that are not known yet; resolves when that is on disk. */
  noteFound(found: ReadonlyMap<string, CheckpointEntry>): Promise<void> {
    return this.writes.take(async () => {
      const entries = new Map([...found].filter(([fileGuid]) => !this.entries.has(fileGuid)));
      if (entries.size > 0) await this.write({ entries, present: new Set() });
    });
  }

  /** Resolves when the change is on disk. */
  save(change: Snapshot): Promise<void> {
    return this.writes.take(() => this.write(change));
  }

  private async write({ entries, present }: Snapshot): Promise<void> {
    const nowMs = this.clock.now();
    const seen = dayOf(nowMs);
    const next = new Map(this.entries);
    for (const [fileGuid, entry] of entries) next.set(fileGuid, { ...entry, seen });
    const oldest = dayOf(nowMs - GONE_DAYS_MAX * DAY_MS);
    for (const [fileGuid, entry] of next) {
      if (present.has(fileGuid)) next.set(fileGuid, { ...entry, seen });
      else if (entry.seen < oldest) next.delete(fileGuid);
    }
    const files = Object.fromEntries(next);
    await replaceFile(this.path, `${JSON.stringify({ version: 1, database: this.database, files })}\n`);
    this.entries = next;
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function parse(text: string): Record<string, SavedEntry> | null {
  try {
    const { success, data } = savedCheckpoint.safeParse(JSON.parse(text));
    return success ? data.files : null;
  } catch {
    // Not even JSON; the caller says so.
    return null;
  }
}
