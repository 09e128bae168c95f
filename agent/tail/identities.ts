import { errorCode, errorText } from '../log';
import type { Problems } from '../problems';
import type { AuditSource, FoundFile } from '../source/audit-source';
import type { Hindrance } from './unread';

/** The loss of a file whose header was never read. */
export interface UnknownLoss {
  readonly reason: 'FILE_DELETED' | 'UNREADABLE';
  readonly found: FoundFile;
  readonly detail: string;
}

interface KnownPath {
  readonly found: FoundFile;
  /** Null if the file has no readable header. */
  readonly fileGuid: string | null;
  /** Whether the header may still be written, or cannot be read at this moment. */
  readonly isOpen: boolean;
  /** Why the file could not be read so far, although it is not empty; else null. */
  readonly unread: string | null;
}

/** Finds which audit file is at each path. Files whose size and times have not changed are not opened. */
export class Identities {
  private byPath = new Map<string, KnownPath>();
  /** Unread files that the last listing did not have. It may have missed them. */
  private missed: readonly FoundFile[] = [];

  /** @param lost is called for each audit file, by its name, that will never be read */
  constructor(
    private readonly source: AuditSource,
    private readonly problems: Problems,
    private readonly lost: (loss: UnknownLoss) => void,
  ) {}

  /** @returns the files of `found` that have a GUID */
  async of(found: readonly FoundFile[]): Promise<readonly (readonly [fileGuid: string, FoundFile])[]> {
    const byPath = new Map<string, KnownPath>();
    for (const file of found) byPath.set(file.path, await this.identify(file));
    this.noteUnread(byPath);
    this.byPath = byPath;
    return [...byPath.values()].flatMap(({ fileGuid, found: file }) =>
      fileGuid === null ? [] : [[fileGuid, file] as const],
    );
  }

  /** Non-empty files that could not be read at the last listing. */
  get unread(): readonly Hindrance[] {
    return [...this.byPath.values()].flatMap(({ unread, found: { path, size } }) =>
      unread === null ? [] : [{ path, reason: unread, bytes: size }],
    );
  }

  /** Whether another listing may still find an unread file. */
  get isInDoubt(): boolean {
    return this.missed.length > 0;
  }

  at(path: string): KnownPath | null {
    return this.byPath.get(path) ?? null;
  }

  forget(path: string): void {
    this.byPath.delete(path);
  }

  /** Notes unread files that two listings did not have, unless they exist under another name. */
  private noteUnread(now: ReadonlyMap<string, KnownPath>): void {
    const unread = [...this.byPath.values()].flatMap(({ unread, found }) => (unread === null ? [] : found));
    const there = new Set([...now.values()].map(({ found }) => fingerprintOf(found)));
    const isGone = (found: FoundFile) => !now.has(found.path) && !there.has(fingerprintOf(found));
    for (const found of this.missed)
      if (isGone(found)) this.tell('FILE_DELETED', found, 'was removed before it could be read');
    this.missed = unread.filter(isGone);
  }

  private tell(reason: UnknownLoss['reason'], found: FoundFile, detail: string): void {
    this.problems.report(found.path, detail);
    if (found.audit !== null) this.lost({ reason, found, detail });
  }

  private async identify(found: FoundFile): Promise<KnownPath> {
    const known = this.byPath.get(found.path);
    const isSameFile = known !== undefined && !known.isOpen && known.found.inode === found.inode;
    if (isSameFile && known.found.size === found.size && known.found.version === found.version) return known;
    // The file has grown, so it will be read, and reading compares the GUID.
    if (isSameFile && known.fileGuid !== null && known.found.size < found.size) return { ...known, found };
    return { found, ...(await this.readHeader(found)) };
  }

  private async readHeader(found: FoundFile): Promise<Omit<KnownPath, 'found'>> {
    const { path } = found;
    try {
      const identity = await this.source.identify(path);
      if (identity.kind === 'file') return { fileGuid: identity.fileGuid, isOpen: false, unread: null };
      if (identity.kind === 'foreign') {
        this.tell('UNREADABLE', found, `byte ${identity.offset}: ${identity.reason}`);
        return { fileGuid: null, isOpen: false, unread: null };
      }
      this.problems.reportUnfinished(path, 'byte 0: the file header is not written');
      return { fileGuid: null, isOpen: true, unread: null };
    } catch (error) {
      if (errorCode(error) === null) throw error;
      const reason = `cannot be read: ${errorText(error)}`;
      if (errorCode(error) !== 'ENOENT') this.problems.report(path, reason);
      return { fileGuid: null, isOpen: true, unread: found.size > 0 ? reason : null };
    }
  }
}

/** The properties that a rename does not change. The inode alone is not enough, since systems reuse it at once. */
const fingerprintOf = ({ inode, size, mtimeMs }: FoundFile): string => `${inode} ${size} ${mtimeMs}`;
