import { sep } from 'node:path';
import type { Checkpoint } from '../checkpoint/checkpoint';
import { type CheckpointEntry, isAtEnd } from '../checkpoint/checkpoint-entry';
import type { Clock } from '../clock';
import type { GapNote, OpenGaps } from '../gaps/open-gaps';
import type { Problems } from '../problems';
import type { Spool } from '../spool/spool';
import { type AuditGlob, listAuditFiles } from './audit-glob';
import { FileSet } from './file-set';
import type { FollowedFile } from './followed-file';
import type { UnknownLoss } from './identities';
import { LOSS_AFTER, lossOf } from './lost-files';
import { unreadEntryOf } from './progress';
import { isFileAt } from './same-file';

/** A file that is being renamed, or written over with a copy of itself, may be missed for a moment. */
const DOUBT_MS = 10;
const NEVER = new AbortController().signal;

export interface AuditFilesOptions {
  readonly glob: AuditGlob;
  readonly clock: Clock;
  readonly problems: Problems;
  readonly gaps: OpenGaps;
  readonly spool: Spool;
  readonly checkpoint: FileNotes;
}

/** What was acknowledged of which file, and which files were found. */
export type FileNotes = Pick<Checkpoint, 'entry' | 'all' | 'noteFound'>;

/** The audit files of a database, as they come and go, and what is lost with those that go too early. */
export class AuditFiles {
  private readonly set: FileSet;
  private known: readonly FollowedFile[] = [];
  private listedAt: number | null = null;

  constructor(private readonly options: AuditFilesOptions) {
    const { checkpoint, problems } = options;
    const unfinished = [...checkpoint.all()].filter(([, entry]) => mayBeMissed(entry));
    const lost = (loss: UnknownLoss) => this.noteUnknown(loss);
    this.set = new FileSet(unfinished, (fileGuid) => checkpoint.entry(fileGuid), problems, lost);
  }

  /** In the order in which they were begun; of those that are gone, the ones that were there until lately too. */
  get all(): readonly FollowedFile[] {
    return this.known;
  }

  get present(): readonly FollowedFile[] {
    return this.known.filter((file) => file.found !== null);
  }

  /** When the folder was last looked at, in milliseconds since 1970; null: not yet, or it cannot be. */
  get listedAtMs(): number | null {
    return this.listedAt;
  }

  /** Finds out which files are there, and what is lost with those that are not. @returns whether that could be found out */
  async look(): Promise<boolean> {
    if (!(await this.list())) return false;
    // What was written after a file must not be read before it, so nothing is read in doubt where it is.
    while (this.set.doubtful().some((file) => this.lossOf(file) !== null)) {
      await this.options.clock.wait(DOUBT_MS, NEVER);
      if (!(await this.list())) return false;
    }
    await this.noteFound();
    await this.noteLosses();
    return true;
  }

  /** Looks for a file that is not at its path any more. @returns whether it could be found out where it is, if anywhere */
  lookFor(file: FollowedFile): Promise<boolean> {
    this.set.vanished(file);
    return this.look();
  }

  private async list(): Promise<boolean> {
    const { checkpoint, clock, glob, problems, spool } = this.options;
    const nowMs = clock.now();
    const listing = await listAuditFiles(glob, (path) => this.set.unchanged(path, nowMs));
    if (listing.kind === 'unreadable') {
      this.listedAt = null;
      problems.report(listing.folder, `cannot be listed: ${listing.reason}`);
      return false;
    }
    for (const { folder, reason } of listing.skipped) problems.report(folder, `cannot be listed: ${reason}`);
    // Nobody can say whether a file in such a folder is still there.
    const isInDoubt = ({ path }: CheckpointEntry) =>
      listing.skipped.some(({ folder }) => path?.startsWith(folder + sep));
    if ([...checkpoint.all()].some(([, entry]) => mayBeMissed(entry) && isInDoubt(entry))) {
      this.listedAt = null;
      return false;
    }
    this.known = await this.set.refresh(listing.files, await spool.files(), nowMs);
    this.listedAt = nowMs;
    for (const file of this.known) {
      const { isComplete, length } = spool.stateOf(file.fileGuid);
      if (isComplete) file.settle(length);
    }
    return true;
  }

  /** To be called when the checkpoint is about to tell of all files. */
  forgetGone(): void {
    this.set.forgetGone(this.options.clock.now());
  }

  /**
   * A file leaves its trace before anything else is noted: a gap that ends at its first record, or a complete copy
   * of the file before it, would say that nothing is missing should this one go before it is published.
   */
  private async noteFound(): Promise<void> {
    const { checkpoint } = this.options;
    const isNew = ({ fileGuid, found }: FollowedFile) =>
      found?.isSpooled === false && checkpoint.entry(fileGuid) === null;
    const found = this.known.filter(isNew).map((file) => [file.fileGuid, unreadEntryOf(file)] as const);
    if (found.length > 0) await checkpoint.noteFound(new Map(found));
  }

  /** Notes what is missing of files that are gone, once what is left of them is read: the gap begins behind that. */
  async noteLosses(): Promise<void> {
    const { problems } = this.options;
    for (const file of this.set.gone()) {
      if (file.isDue) continue;
      const loss = this.lossOf(file);
      if (loss === null) continue;
      if (await isStillAt(file)) {
        problems.report(
          file.path ?? file.name,
          'is not read to its end, and is none of the files to follow now',
        );
        this.set.forget(file);
        continue;
      }
      this.note(file, loss);
      file.isLost = true;
    }
    for (const file of this.known) {
      if (!file.isPassedBy || file.isLast || file.isDue) continue;
      this.note(file, LOSS_AFTER);
      file.isPassedBy = false;
    }
  }

  private note(file: FollowedFile, loss: Omit<GapNote, 'beforeTime'>): void {
    this.options.problems.report(file.path ?? file.name, loss.detail);
    this.options.gaps.note(file, { ...loss, beforeTime: this.firstTimeAfter(file) });
  }

  private lossOf(file: FollowedFile) {
    return lossOf(file, this.options.spool.stateOf(file.fileGuid));
  }

  private noteUnknown({ reason, found, detail }: UnknownLoss): void {
    const { audit, created, name } = found;
    const file = { name, fileGuid: null, audit: audit ?? name, created, lastTime: null };
    this.options.gaps.note(file, { reason, range: 'all', detail });
  }

  /** Event time of the first record of the file that continues another; null while that is not read. */
  private firstTimeAfter(file: FollowedFile): string | null {
    const later = this.known.slice(this.known.indexOf(file) + 1);
    return later.find(({ audit, found }) => audit === file.audit && found !== null)?.firstTime ?? null;
  }
}

/** More may stand in it than was acknowledged. */
const mayBeMissed = (entry: CheckpointEntry): boolean =>
  entry.isLost === undefined && (!isAtEnd(entry) || entry.mayGrow !== undefined);

/** The configuration names other files now, but nobody has removed this one. */
async function isStillAt({ path, fileGuid, found }: FollowedFile): Promise<boolean> {
  return path !== null && found === null && isFileAt(path, fileGuid);
}
