import type { CheckpointEntry } from '../checkpoint/checkpoint-entry';
import { errorCode, errorText } from '../log';
import type { Problems } from '../problems';
import { FileByteSource } from '../sqlaudit/file-byte-source';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import { SqlAuditFile } from '../sqlaudit/reader';
import type { FoundFile } from './audit-glob';
import { FollowedFile } from './followed-file';

interface Identity {
  readonly found: FoundFile;
  /** Null where the file has no readable header. */
  readonly fileGuid: string | null;
  /** The header may still be written, or could not be read just now. */
  readonly isOpen: boolean;
}

/** How long a file without a path is remembered: a rename may take a moment. */
const GONE_MS = 600_000;

/**
 * The audit files of a database by their GUID: a copy or a rename is no new file, and another file under a known
 * name is one. Files whose name, size and times are as before are not opened.
 */
export class FileSet {
  private identities = new Map<string, Identity>();
  private readonly files = new Map<string, FollowedFile>();
  private readonly goneSinceMs = new Map<string, number>();

  constructor(
    private readonly entryOf: (fileGuid: string) => CheckpointEntry | null,
    private readonly problems: Problems,
  ) {}

  /** @param found in order of creation. @returns the files that are there, in that order */
  async refresh(found: readonly FoundFile[], nowMs: number): Promise<readonly FollowedFile[]> {
    const identities = new Map<string, Identity>();
    const byGuid = new Map<string, FoundFile>();
    for (const file of found) {
      const identity = await this.identify(file);
      identities.set(file.path, identity);
      const { fileGuid } = identity;
      if (fileGuid === null) continue;
      const other = byGuid.get(fileGuid);
      byGuid.set(fileGuid, other ? this.better(fileGuid, other, file) : file);
    }
    this.identities = identities;
    for (const [fileGuid, file] of byGuid) this.place(fileGuid, file);
    this.forgetGone(byGuid, nowMs);
    return this.ordered(byGuid);
  }

  /** All known files, those without a path too. */
  all(): Iterable<FollowedFile> {
    return this.files.values();
  }

  /** Another file has taken the path. */
  replaced(file: FollowedFile, nowMs: number): void {
    if (file.found) this.identities.delete(file.found.path);
    file.found = null;
    file.release();
    this.goneSinceMs.set(file.fileGuid, nowMs);
  }

  private async identify(found: FoundFile): Promise<Identity> {
    const known = this.identities.get(found.path);
    const isSameFile = known !== undefined && !known.isOpen && known.found.inode === found.inode;
    if (isSameFile && known.found.size === found.size && known.found.version === found.version) return known;
    // It has grown, so it will be read, and reading checks whose header it has.
    if (isSameFile && known.fileGuid !== null && known.found.size < found.size) return { ...known, found };
    return { found, ...(await this.readHeader(found)) };
  }

  private async readHeader({ path }: FoundFile): Promise<Omit<Identity, 'found'>> {
    let source: FileByteSource | null = null;
    try {
      source = await FileByteSource.open(path);
      const opened = await SqlAuditFile.open(source);
      if (opened.kind === 'opened') return { fileGuid: opened.file.fileGuid, isOpen: false };
      if (opened.kind === 'foreign' && !(await isBlank(source))) {
        this.problems.report(path, `byte ${opened.offset}: ${opened.reason}`);
        return { fileGuid: null, isOpen: false };
      }
      this.problems.reportUnfinished(path, 'byte 0: the file header is not written');
    } catch (error) {
      if (errorCode(error) === null) throw error;
      if (errorCode(error) !== 'ENOENT') this.problems.report(path, `cannot be read: ${errorText(error)}`);
    } finally {
      await source?.close();
    }
    return { fileGuid: null, isOpen: true };
  }

  /** Which of two paths of one file to read: the one that grows, else the one in use, else the one SQL Server named. */
  private better(fileGuid: string, a: FoundFile, b: FoundFile): FoundFile {
    if (a.size !== b.size) return a.size > b.size ? a : b;
    const inUse = this.files.get(fileGuid)?.found?.path;
    if (inUse === b.path) return b;
    return inUse !== a.path && a.audit === null && b.audit !== null ? b : a;
  }

  private place(fileGuid: string, found: FoundFile): void {
    const known = this.files.get(fileGuid);
    if (known) {
      known.found = found;
      known.name = found.name;
    } else {
      this.files.set(fileGuid, new FollowedFile(fileGuid, found, this.entryOf(fileGuid)));
    }
  }

  private forgetGone(present: ReadonlyMap<string, unknown>, nowMs: number): void {
    for (const [fileGuid, file] of this.files) {
      if (present.has(fileGuid)) {
        this.goneSinceMs.delete(fileGuid);
        continue;
      }
      if (file.found !== null) {
        this.goneSinceMs.set(fileGuid, nowMs);
        if (file.hasUnread) this.problems.report(file.found.path, 'is gone before it was read to its end');
        file.found = null;
        file.release();
      } else if (nowMs - (this.goneSinceMs.get(fileGuid) ?? nowMs) > GONE_MS) {
        this.files.delete(fileGuid);
        this.goneSinceMs.delete(fileGuid);
      }
    }
  }

  private ordered(byGuid: ReadonlyMap<string, FoundFile>): readonly FollowedFile[] {
    const files = [...byGuid.keys()].flatMap((fileGuid) => this.files.get(fileGuid) ?? []);
    files.sort((a, b) => compare(a.found?.created ?? 0n, b.found?.created ?? 0n) || compare(a.name, b.name));
    const audits = new Set<string>();
    for (const file of files.toReversed()) {
      file.isLast = !audits.has(file.audit);
      audits.add(file.audit);
    }
    return files;
  }
}

/** Space that was reserved for a file which is about to be written. */
const isBlank = async (source: FileByteSource): Promise<boolean> =>
  (await source.read(0, SECTOR_BYTES)).every((byte) => byte === 0);

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
