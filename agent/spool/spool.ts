import { mkdir, statfs } from 'node:fs/promises';
import { errorText } from '../log';
import type { Problems } from '../problems';
import { FileByteSource } from '../sqlaudit/file-byte-source';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import { SqlAuditFile } from '../sqlaudit/reader';
import { type FoundFile, findFile } from '../tail/audit-glob';
import { soundEnd, writtenEnd } from './sound-end';
import { SpooledCopy } from './spooled-copy';

/** Room that is left to others on the disk, the checkpoint not the least. */
const FREE_BYTES_MIN = 256 * 1024 * 1024;
/** So much is copied before it is looked whether publishing goes on. */
const STEP_BYTES = 8 * 1024 * 1024;

export interface SpoolOptions {
  readonly folder: string;
  /** Bytes of all copies together; 0: nothing is copied, what is there is still read. */
  readonly bytesMax: number;
  readonly problems: Problems;
}

/** A file to copy. */
export interface Source {
  readonly fileGuid: string;
  readonly found: FoundFile | null;
  /** It may still be written. */
  readonly isLast: boolean;
}

/**
 * Copies of audit files that SQL Server may remove before they are published. Each holds its file from the first
 * byte, so that it is read like the file; it is known by the file's GUID and stands in for it once that is gone.
 */
export class Spool {
  private readonly copies = new Map<string, SpooledCopy>();
  /** Files for which there was no room. */
  private readonly refused = new Set<string>();

  private constructor(private readonly options: SpoolOptions) {}

  static async open(options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(options);
    for (const copy of await SpooledCopy.list(options.folder)) spool.copies.set(copy.fileGuid, copy);
    return spool;
  }

  /** The copies as files to read. */
  async files(): Promise<FoundFile[]> {
    const found = await Promise.all([...this.copies.values()].map(({ path }) => findFile(path)));
    return found.flatMap((file) => (file === null ? [] : [{ ...file, isSpooled: true }]));
  }

  guids(): readonly string[] {
    return [...this.copies.keys()];
  }

  /** What there is of a file. */
  stateOf(fileGuid: string) {
    const copy = this.copies.get(fileGuid);
    const isFull = this.refused.has(fileGuid);
    return { length: copy?.length ?? 0, isComplete: copy?.isComplete ?? false, isFull };
  }

  /** Copies what a file holds by now, as far as there is room. Whatever fails is reported; publishing goes on. */
  async keep(file: Source, stop: AbortSignal): Promise<void> {
    const { fileGuid, found } = file;
    if (this.options.bytesMax === 0 || found === null || found.isSpooled) return;
    const copy = this.copies.get(fileGuid) ?? SpooledCopy.begin(this.options.folder, fileGuid, found.name);
    if (copy.isComplete) return;
    try {
      await mkdir(this.options.folder, { recursive: true });
      const source = await FileByteSource.open(found.path);
      try {
        if (await isOf(source, fileGuid)) await this.copy(file, copy, source, stop);
      } finally {
        await source.close();
      }
    } catch (error) {
      // The file may be gone by now, the disk full.
      this.options.problems.report(found.path, `cannot be copied to the spool: ${errorText(error)}`);
    }
  }

  /** Forgets a copy that is not needed any more. */
  async release(fileGuid: string): Promise<void> {
    const copy = this.copies.get(fileGuid);
    if (copy === undefined) return;
    this.refused.delete(fileGuid);
    try {
      await copy.remove();
      this.copies.delete(fileGuid);
    } catch (error) {
      // It is tried again after the next batch.
      this.options.problems.report(copy.path, `cannot be removed: ${errorText(error)}`);
    }
  }

  private async copy(file: Source, copy: SpooledCopy, source: FileByteSource, stop: AbortSignal) {
    this.copies.set(file.fileGuid, copy);
    this.refused.delete(file.fileGuid);
    while (!stop.aborted) {
      const from = Math.max(copy.length, SECTOR_BYTES);
      const maxBytes = (await this.room()) - (from - copy.length);
      const { end, lacksRoom } = await soundEnd(source, from, { enoughBytes: STEP_BYTES, maxBytes });
      if (end > from) await copy.extend(source, end);
      else if (lacksRoom) return this.refuse(file);
      // What is still being written is copied when it is whole.
      else return file.isLast ? undefined : this.copyRest(file, copy, source);
    }
  }

  /** Damage is copied too: it is for the reader to judge. */
  private async copyRest(file: Source, copy: SpooledCopy, source: FileByteSource): Promise<void> {
    const end = await writtenEnd(source, copy.length);
    if (end - copy.length > (await this.room())) return this.refuse(file);
    if (end > copy.length) await copy.extend(source, end);
    await copy.complete();
  }

  private refuse({ fileGuid }: Source): void {
    this.refused.add(fileGuid);
    const { folder, problems } = this.options;
    problems.report(folder, 'the spool is full: files that are removed before they are published are lost');
  }

  private async room(): Promise<number> {
    const { bavail, bsize } = await statfs(this.options.folder);
    const used = [...this.copies.values()].reduce((sum, { length }) => sum + length, 0);
    return Math.min(this.options.bytesMax - used, bavail * bsize - FREE_BYTES_MIN);
  }
}

async function isOf(source: FileByteSource, fileGuid: string): Promise<boolean> {
  const opened = await SqlAuditFile.open(source);
  return opened.kind === 'opened' && opened.file.fileGuid === fileGuid;
}
