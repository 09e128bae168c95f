import type { CheckpointEntry } from '../checkpoint/checkpoint-entry';
import type { Problems } from '../problems';
import type { FoundFile } from './audit-glob';
import { FollowedFile } from './followed-file';
import { Identities, type UnknownLoss } from './identities';

/** How long a file without a path is remembered: a rename may take a moment. */
const GONE_MS = 600_000;
/** A file that is missing from so many listings is gone; one may just miss a file that is being renamed. */
const MISSED_LISTINGS = 2;
/** How often a file that is finished is looked at nevertheless: its name may have been given to another. */
const RECHECK_MS = 60_000;

interface Gone {
  readonly sinceMs: number;
  readonly listings: number;
}

/** The audit files of a database by their GUID: a copy or a rename is no new file, another file under a known name is. */
export class FileSet {
  private readonly identities: Identities;
  private readonly files = new Map<string, FollowedFile>();
  private readonly missing = new Map<string, Gone>();
  private recheckAtMs = 0;

  /** @param known what the checkpoint tells of files that are not at their end or may have grown since */
  constructor(
    known: Iterable<readonly [fileGuid: string, entry: CheckpointEntry]>,
    private readonly entryOf: (fileGuid: string) => CheckpointEntry | null,
    problems: Problems,
    lost: (loss: UnknownLoss) => void,
  ) {
    this.identities = new Identities(problems, lost);
    for (const [fileGuid, entry] of known) this.files.set(fileGuid, new FollowedFile(fileGuid, null, entry));
    // Which of them were the last is known before any is found.
    this.ordered();
  }

  /**
   * @param found in order of creation
   * @param spooled copies in the spool, by GUID
   * @returns all files known, in that order, those that are gone for now too
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

  /** What is known of a path, where that need not be looked at again now. */
  unchanged(path: string, nowMs: number): FoundFile | null {
    if (nowMs >= this.recheckAtMs) return null;
    const identity = this.identities.at(path);
    if (identity === null || identity.fileGuid === null) return null;
    return this.files.get(identity.fileGuid)?.isFinished ? identity.found : null;
  }

  /** Files that are gone, and those of which only a copy is left. */
  gone(): FollowedFile[] {
    return this.missed((listings) => listings >= MISSED_LISTINGS);
  }

  /** Those of them that another listing may still find. */
  doubtful(): FollowedFile[] {
    return this.missed((listings) => listings < MISSED_LISTINGS);
  }

  private missed(isAmong: (listings: number) => boolean): FollowedFile[] {
    return [...this.missing].flatMap(([fileGuid, { listings }]) =>
      isAmong(listings) ? (this.files.get(fileGuid) ?? []) : [],
    );
  }

  /** To be called when what became of all files is noted: the end of a file that was gone long enough. */
  forgetGone(nowMs: number): void {
    for (const [fileGuid, { sinceMs }] of this.missing) {
      if (nowMs - sinceMs <= GONE_MS || this.files.get(fileGuid)?.found) continue;
      this.files.delete(fileGuid);
      this.missing.delete(fileGuid);
    }
  }

  forget({ fileGuid }: FollowedFile): void {
    this.files.delete(fileGuid);
    this.missing.delete(fileGuid);
  }

  /** Nothing, or another file, is at its path by now. */
  vanished(file: FollowedFile): void {
    if (file.found) this.identities.forget(file.found.path);
    file.gone();
  }

  private place(fileGuid: string, paths: readonly FoundFile[]): void {
    const known = this.files.get(fileGuid);
    const [best, ...others] = paths.toSorted(byPreference(known?.found?.path ?? null));
    if (best === undefined) return;
    const file = known ?? new FollowedFile(fileGuid, best, this.entryOf(fileGuid));
    file.seen(best, others);
    this.files.set(fileGuid, file);
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
      file.isLast = !audits.has(file.audit);
      // A file that is gone stays as it was last seen, whatever came after it; into reserved space its size tells nothing.
      if (file.found?.isSpooled === false) file.mayGrow = file.isLast || file.isAtReserved;
      audits.add(file.audit);
    }
    return files;
  }
}

/** Of the paths of a file: the one that grows, else the original, the one in use, the one SQL Server named. */
const byPreference =
  (inUse: string | null) =>
  (a: FoundFile, b: FoundFile): number =>
    b.size - a.size ||
    Number(a.isSpooled) - Number(b.isSpooled) ||
    Number(b.path === inUse) - Number(a.path === inUse) ||
    Number(a.audit === null) - Number(b.audit === null);

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
