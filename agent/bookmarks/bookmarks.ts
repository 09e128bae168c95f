import { rename } from 'node:fs/promises';
import { z } from 'zod';
import type { Clock } from '../clock';
import { readIfThere, replaceFile } from '../durable-file';
import type { Log } from '../log';
import { Turns } from '../turns';
import { type Bookmark, bookmark, type Snapshot } from './bookmark';

/** Bookmarks of files that have been gone for this time are dropped: nobody brings such a file back. */
const GONE_DAYS_MAX = 90;
const DAY_MS = 24 * 3600_000;

const savedBookmark = bookmark.extend({ seen: z.iso.date() });
type SavedBookmark = z.infer<typeof savedBookmark>;
/** On disk, the bookmark file is still called a checkpoint, its first name. */
const savedFile = z.object({
  version: z.literal(1),
  database: z.string(),
  files: z.record(z.string(), savedBookmark),
});

/** How far each file of a database is published, on disk. */
export class Bookmarks {
  private readonly writes = new Turns();

  private constructor(
    private readonly path: string,
    private readonly database: string,
    /** The bookmarks as they are on disk. */
    private saved: ReadonlyMap<string, SavedBookmark>,
    private readonly clock: Clock,
    /** Files that were found, and whose bookmarks could not be written yet. */
    private readonly found: Map<string, Bookmark>,
  ) {}

  /**
   * A file that cannot be used is set aside: the service recognises events that it gets again.
   * @param found what earlier bookmarks of this process could not write
   */
  static async load(
    path: string,
    {
      database,
      log,
      clock,
      found = new Map(),
    }: {
      readonly database: string;
      readonly log: Log;
      readonly clock: Clock;
      readonly found?: Map<string, Bookmark>;
    },
  ): Promise<Bookmarks> {
    const text = await readIfThere(path);
    const files = text === null ? {} : parse(text);
    if (files === null) {
      const aside = `${path}.damaged-${clock.now()}`;
      await rename(path, aside);
      log.warn(
        `${database}: the bookmark file ${path} is damaged: kept as ${aside}, all files are read again`,
      );
    }
    return new Bookmarks(path, database, new Map(Object.entries(files ?? {})), clock, found);
  }

  of(fileGuid: string): Bookmark | null {
    return this.saved.get(fileGuid) ?? null;
  }

  /** All bookmarks, by file GUID, also of files that were found and could not be noted. */
  all(): Iterable<readonly [fileGuid: string, bookmark: Bookmark]> {
    return this.found.size === 0 ? this.saved : new Map([...this.found, ...this.saved]);
  }

  /** Notes files that have no bookmark yet; resolves when the note is on disk. */
  noteFound(found: ReadonlyMap<string, Bookmark>): Promise<void> {
    return this.writes.take(async () => {
      const bookmarks = new Map([...found].filter(([fileGuid]) => !this.saved.has(fileGuid)));
      if (bookmarks.size === 0) return;
      try {
        await this.write(bookmarks, null);
      } catch (error) {
        for (const [fileGuid, one] of bookmarks) this.found.set(fileGuid, one);
        throw error;
      }
    });
  }

  /** Resolves when the change is on disk. */
  save(change: Snapshot): Promise<void> {
    return this.writes.take(() => this.write(change.bookmarks, change.present));
  }

  /** @param present null: it is not known which files exist, so no bookmark is dropped */
  private async write(bookmarks: Snapshot['bookmarks'], present: Snapshot['present'] | null): Promise<void> {
    const nowMs = this.clock.now();
    const seen = dayOf(nowMs);
    const next = new Map(this.saved);
    for (const [fileGuid, one] of bookmarks) next.set(fileGuid, { ...one, seen });
    const oldest = dayOf(nowMs - GONE_DAYS_MAX * DAY_MS);
    for (const [fileGuid, one] of present === null ? [] : next) {
      if (present?.has(fileGuid)) next.set(fileGuid, { ...one, seen });
      else if (one.seen < oldest) next.delete(fileGuid);
    }
    const files = Object.fromEntries(next);
    await replaceFile(this.path, `${JSON.stringify({ version: 1, database: this.database, files })}\n`);
    this.saved = next;
    for (const fileGuid of next.keys()) this.found.delete(fileGuid);
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function parse(text: string): Record<string, SavedBookmark> | null {
  try {
    const { success, data } = savedFile.safeParse(JSON.parse(text));
    return success ? data.files : null;
  } catch {
    // The text is not JSON; the caller reports that.
    return null;
  }
}
