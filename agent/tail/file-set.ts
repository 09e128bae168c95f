import type { Bookmark } from '../bookmarks/bookmark';
import type { Problems } from '../problems';
import type { AuditSource, FoundFile } from '../source/audit-source';
import { FileBytes } from '../sqlaudit/bytes';
import { FollowedFile } from './followed-file';
import { Identities, type UnknownLoss } from './identities';
import type { Hindrance } from './unread';

/** How long a file without a path is remembered: a rename may take a moment. */
const GONE_MS = 600_000;
/** A file is gone when this many listings miss it, since a single listing may miss a file that is being renamed. */
const MISSED_LISTINGS = 2;
/** How often a finished file is checked again, since another file may have taken its name. */
const RECHECK_MS = 60_000;

interface Gone {
  readonly sinceMs: number;
  readonly listings: number;
}

interface FileSetOptions {
  readonly source: AuditSource;
  readonly problems: Problems;
  /** The bookmarks of files that are not read to their end, or may have grown since. */
  readonly unfinished: Iterable<readonly [fileGuid: string, bookmark: Bookmark]>;
  bookmarkOf(fileGuid: string): Bookmark | null;
  lost(loss: UnknownLoss): void;
}

/** The audit files of a database by GUID: a copy or a rename is not a new file; another file under a known name is one. */
export class FileSet {
  private readonly identities: Identities;
  private readonly files = new Map<string, FollowedFile>();
  private readonly missing = new Map<string, Gone>();
  private recheckAtMs = 0;

  constructor(private readonly options: FileSetOptions) {
    const { source, problems, unfinished, lost } = options;
    this.identities = new Identities(source, problems, lost);
    for (const [fileGuid, bookmark] of unfinished)
      this.files.set(fileGuid, this.follow(fileGuid, null, bookmark));
    // Before any file is found, the bookmarks say which files were the newest of their audits.
    this.ordered();
  }

  /**
   * @param found in order of creation
   * @param spooled copies in the spool, by GUID
   * @returns all known files in that order, including those that are missing for now
   */
  async refresh(
    found: readonly FoundFile[],
    spooled: readonly (readonly [fileGuid: string, FoundFile])[],
    nowMs: number,
  ): Promise<readonly FollowedFile[]> {
    if (nowMs >= this.recheckAtMs) this.recheckAtMs = nowMs + RECHECK_MS;
    const byGuid = new Map<string, FoundFile[]>();
    for (const [fileGuid, file] of [...(await this.identities.of(found)), ...spooled]) {
      const paths = byGuid.get(fileGuid);
      if (paths) paths.push(file);
      else byGuid.set(fileGuid, [file]);
    }
    for (const [fileGuid, paths] of byGuid) this.place(fileGuid, paths);
    this.noteMissing(byGuid, nowMs);
    return this.ordered();
  }

  /** The known facts about a path that need not be checked again now; else null. */
  unchanged(path: string, nowMs: number): FoundFile | null {
    if (nowMs >= this.recheckAtMs) return null;
    const known = this.identities.at(path);
    if (known === null || known.fileGuid === null) return null;
    return this.files.get(known.fileGuid)?.isFinished ? known.found : null;
  }

  /** Files that could not be read, at the last listing or at the last attempt to read them. */
  get unread(): readonly Hindrance[] {
    const followed = [...this.files.values()].flatMap(({ found, unreadable }) =>
      found === null || unreadable === null ? [] : [{ path: found.path, reason: unreadable, bytes: 0 }],
    );
    return [...this.identities.unread, ...followed];
  }

  /** Files that are gone, and files of which only a copy is left. */
  gone(): FollowedFile[] {
    return this.missed((listings) => listings >= MISSED_LISTINGS);
  }

  /** Missing files that another listing may still find. */
  doubtful(): FollowedFile[] {
    return this.missed((listings) => listings < MISSED_LISTINGS);
  }

  private missed(isAmong: (listings: number) => boolean): FollowedFile[] {
    return [...this.missing].flatMap(([fileGuid, { listings }]) =>
      isAmong(listings) ? (this.files.get(fileGuid) ?? []) : [],
    );
  }

  /** Whether another listing may still find a file that could never be read. */
  get isUnreadInDoubt(): boolean {
    return this.identities.isInDoubt;
  }

  /** Forgets files that have been gone for long, once the loss of each is noted. */
  forgetGone(nowMs: number, isNoted: (file: FollowedFile) => boolean): void {
    for (const [fileGuid, { sinceMs }] of this.missing) {
      const file = this.files.get(fileGuid);
      if (nowMs - sinceMs <= GONE_MS || (file && (file.found || !isNoted(file)))) continue;
      this.files.delete(fileGuid);
      this.missing.delete(fileGuid);
    }
  }

  forget({ fileGuid }: FollowedFile): void {
    this.files.delete(fileGuid);
    this.missing.delete(fileGuid);
  }

  /** To be called if nothing, or another file, is at the path of the file. */
  vanished(file: FollowedFile): void {
    if (file.found) this.identities.forget(file.found.path);
    file.gone();
  }

  private place(fileGuid: string, paths: readonly FoundFile[]): void {
    const known = this.files.get(fileGuid);
    const [best, ...others] = paths.toSorted(byPreference(known?.found?.path ?? null));
    if (best === undefined) return;
    const file = known ?? this.follow(fileGuid, best, this.options.bookmarkOf(fileGuid));
    file.seen(best, others);
    this.files.set(fileGuid, file);
  }

  private follow(fileGuid: string, found: FoundFile | null, bookmark: Bookmark | null): FollowedFile {
    const { source } = this.options;
    return new FollowedFile(fileGuid, found, bookmark, ({ path, isSpooled }) =>
      isSpooled ? FileBytes.open(path) : source.open(path),
    );
  }

  private noteMissing(present: ReadonlyMap<string, readonly FoundFile[]>, nowMs: number): void {
    for (const [fileGuid, file] of this.files) {
      const found = present.get(fileGuid);
      if (found?.some(({ isSpooled }) => !isSpooled)) {
        this.missing.delete(fileGuid);
        continue;
      }
      const { sinceMs, listings } = this.missing.get(fileGuid) ?? { sinceMs: nowMs, listings: 0 };
      this.missing.set(fileGuid, { sinceMs, listings: listings + 1 });
      if (found === undefined) file.gone();
    }
  }

  private ordered(): readonly FollowedFile[] {
    const files = [...this.files.values()];
    files.sort((a, b) => compare(a.created, b.created) || compare(a.name, b.name));
    const audits = new Set<string>();
    for (const file of files.toReversed()) {
      file.rank(!audits.has(file.audit));
      audits.add(file.audit);
    }
    return files;
  }
}

/** Chooses the path from which a file is read: one that grows, else the original, the one in use, or SQL Server's name. */
const byPreference =
  (inUse: string | null) =>
  (a: FoundFile, b: FoundFile): number =>
    b.size - a.size ||
    Number(a.isSpooled) - Number(b.isSpooled) ||
    Number(b.path === inUse) - Number(a.path === inUse) ||
    Number(a.audit === null) - Number(b.audit === null);

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
