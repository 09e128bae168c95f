import { type Bookmark, isAtEnd } from '../bookmarks/bookmark';
import type { Bookmarks } from '../bookmarks/bookmarks';
import type { Clock } from '../clock';
import type { GapNote, OpenGaps } from '../gaps/open-gaps';
import type { Problems } from '../problems';
import type { AuditSource, Listing, UnreadableFolder } from '../source/audit-source';
import { isFileAt } from '../source/identity';
import type { Spool } from '../spool/spool';
import { FileSet } from './file-set';
import type { FollowedFile } from './followed-file';
import type { UnknownLoss } from './identities';
import { LOSS_AFTER, lossOf } from './lost-files';
import type { Hindrance } from './unread';

/** A listing may miss a file that is being renamed, or overwritten with a copy of itself, at that moment. */
const DOUBT_MS = 10;
const NEVER = new AbortController().signal;

interface AuditFilesOptions {
  readonly source: AuditSource;
  /** Whether a folder that is away, or empty, is another host's for now. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly problems: Problems;
  readonly gaps: OpenGaps;
  readonly spool: Spool;
  readonly bookmarks: FileBookmarks;
}

/** The bookmarks: how far each file is acknowledged, and which files were found. */
export type FileBookmarks = Pick<Bookmarks, 'of' | 'all' | 'noteFound'>;

/** The audit files of a database as they appear and disappear, and the losses if a file disappears too early. */
export class AuditFiles {
  private readonly set: FileSet;
  private known: readonly FollowedFile[] = [];
  private listedAt: number | null = null;
  private skipped: readonly UnreadableFolder[] = [];
  private away = false;

  constructor(private readonly options: AuditFilesOptions) {
    const { bookmarks, problems, source } = options;
    const unfinished = [...bookmarks.all()].filter(([, bookmark]) => mayBeMissed(bookmark));
    const bookmarkOf = (fileGuid: string) => bookmarks.of(fileGuid);
    const lost = (loss: UnknownLoss) => this.noteUnknown(loss);
    this.set = new FileSet({ source, problems, unfinished, bookmarkOf, lost });
  }

  /** All files, oldest first, including those that disappeared recently. */
  get all(): readonly FollowedFile[] {
    return this.known;
  }

  get present(): readonly FollowedFile[] {
    return this.known.filter((file) => file.found !== null);
  }

  /** Time of the last listing, in milliseconds since 1970; null if there was none yet, or the folder cannot be listed. */
  get listedAtMs(): number | null {
    return this.listedAt;
  }

  /** Whether a shared folder was away at the last listing. */
  get isAway(): boolean {
    return this.away;
  }

  /** Files and folders that could not be read at the last listing. */
  get unread(): readonly Hindrance[] {
    const folders = this.skipped.map(({ folder, reason }) => ({ path: folder, reason, bytes: 0 }));
    return [...folders, ...this.set.unread];
  }

  /** Lists the files, and notes what is lost with missing ones. @returns whether the listing succeeded */
  async look(): Promise<boolean> {
    if (!(await this.list())) return false;
    // Later records must not be read before the file's own, so nothing is read while it is unclear where the file is.
    while (this.set.isUnreadInDoubt || this.set.doubtful().some((file) => this.lossOf(file) !== null)) {
      await this.options.clock.wait(DOUBT_MS, NEVER);
      if (!(await this.list())) return false;
    }
    await this.noteFound();
    await this.noteLosses();
    return true;
  }

  /** Searches for a file that is no longer at its path. @returns whether the search could decide where it is, if anywhere */
  lookFor(file: FollowedFile): Promise<boolean> {
    this.set.vanished(file);
    return this.look();
  }

  private async list(): Promise<boolean> {
    const { bookmarks, clock, isShared, problems, source, spool } = this.options;
    const [nowMs, listedAt] = [clock.elapsed(), clock.now()];
    const listing = await source.list((path) => this.set.unchanged(path, nowMs));
    if (isShared && isAway(listing)) {
      // Nothing is missing: the files are where the folder is now.
      this.away = true;
      this.listedAt = null;
      return false;
    }
    if (listing.kind === 'unreadable') {
      this.away = false;
      this.listedAt = null;
      problems.report(listing.folder, `cannot be listed: ${listing.reason}`);
      return false;
    }
    this.skipped = listing.skipped.map(({ folder, reason }) => ({
      folder,
      reason: `cannot be listed: ${reason}`,
    }));
    for (const { folder, reason } of this.skipped) problems.report(folder, reason);
    // It is unknown whether a file in such a folder still exists.
    const isInDoubt = ({ path }: Pick<Bookmark, 'path'>) =>
      listing.skipped.some((folder) => isBelow(folder, path));
    const isMissed = [...bookmarks.all()].some(
      ([, bookmark]) => mayBeMissed(bookmark) && isInDoubt(bookmark),
    );
    if (isMissed || this.set.unread.some(isInDoubt)) {
      this.away = false;
      this.listedAt = null;
      return false;
    }
    this.known = await this.set.refresh(listing.files, await spool.files(), nowMs);
    // Both at once: a folder that is back is no folder that cannot be listed.
    this.away = false;
    this.listedAt = listedAt;
    for (const file of this.known) {
      const { isComplete, length } = spool.stateOf(file.fileGuid);
      if (isComplete) file.settle(length);
    }
    return true;
  }

  /** To be called before a batch takes the bookmarks of all files. */
  forgetGone(): void {
    this.set.forgetGone(this.options.clock.elapsed(), (file) => this.lossOf(file) === null);
  }

  /**
   * Notes new files before anything else. If a new file disappeared before it is published and noted, a gap that ends at
   * its first record, or a complete copy of the file before it, would claim that nothing else is missing.
   */
  private async noteFound(): Promise<void> {
    const { bookmarks } = this.options;
    const isNew = ({ fileGuid, found }: FollowedFile) =>
      found?.isSpooled === false && bookmarks.of(fileGuid) === null;
    const found = this.known.filter(isNew).map((file) => [file.fileGuid, file.firstBookmark()] as const);
    if (found.length > 0) await bookmarks.noteFound(new Map(found));
  }

  /** Notes what is missing of files that are gone, once their copies are read: the gap begins behind the copies. */
  async noteLosses(): Promise<void> {
    for (const file of this.set.gone()) {
      if (file.isDue) continue;
      const loss = this.lossOf(file);
      if (loss === null) continue;
      if (await this.isStillThere(file)) {
        this.options.problems.report(
          file.path ?? file.name,
          'is not read to its end, and is none of the files to follow now',
        );
        this.set.forget(file);
        continue;
      }
      this.note(file, loss);
      file.lost();
    }
    for (const file of this.known) {
      if (!file.isPassedBy || file.isLast || file.isDue) continue;
      this.noteAfter(file);
      file.passedByNoted();
    }
  }

  /** Whether the file still exists, although the configuration now names other files. */
  private async isStillThere({ path, fileGuid, found }: FollowedFile): Promise<boolean> {
    return path !== null && found === null && isFileAt(this.options.source, path, fileGuid);
  }

  private note(file: FollowedFile, loss: Omit<GapNote, 'beforeTime'>): void {
    this.options.problems.report(file.path ?? file.name, loss.detail);
    this.options.gaps.note(file, { ...loss, beforeTime: this.firstTimeAfter(file) });
  }

  /**
   * Where several hosts share the folder, the gap does not name the file: it is of files that were begun later, and a host
   * that publishes the file as a whole has not seen them.
   */
  private noteAfter(file: FollowedFile): void {
    const { gaps, isShared, problems } = this.options;
    const { name, fileGuid, audit, created, lastTime } = file;
    const beforeTime = this.firstTimeAfter(file);
    problems.report(file.path ?? name, LOSS_AFTER.detail);
    if (!isShared) gaps.note(file, { ...LOSS_AFTER, beforeTime });
    else {
      const range = `${LOSS_AFTER.range} ${fileGuid}`;
      gaps.note({ name, fileGuid: null, audit, created, lastTime }, { ...LOSS_AFTER, range, beforeTime });
    }
  }

  private lossOf(file: FollowedFile) {
    return lossOf(file, this.options.spool.stateOf(file.fileGuid));
  }

  private noteUnknown({ reason, found, detail }: UnknownLoss): void {
    const { audit, created, name } = found;
    const file = { name, fileGuid: null, audit: audit ?? name, created, lastTime: null };
    this.options.gaps.note(file, { reason, range: 'all', detail });
  }

  /** Event time of the first record of the audit's next file; null until that is read. */
  private firstTimeAfter(file: FollowedFile): string | null {
    const later = this.known.slice(this.known.indexOf(file) + 1);
    return later.find(({ audit, found }) => audit === file.audit && found !== null)?.firstTime ?? null;
  }
}

/** The file may hold more than was acknowledged. */
const mayBeMissed = (bookmark: Bookmark): boolean =>
  bookmark.isLost === undefined && (!isAtEnd(bookmark) || bookmark.mayGrow !== undefined);

/** An empty folder is the place where a disk or a share is mounted: SQL Server always has a file open. */
const isAway = (listing: Listing): boolean =>
  listing.kind === 'unreadable'
    ? listing.isAway === true
    : listing.files.length + listing.skipped.length === 0;

const isBelow = ({ folder }: UnreadableFolder, path = ''): boolean =>
  path.startsWith(folder) && /^([\\/]|$)/.test(path.slice(folder.length));
