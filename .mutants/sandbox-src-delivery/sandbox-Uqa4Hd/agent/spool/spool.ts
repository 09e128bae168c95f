import { mkdir, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../log';
import type { Problems } from '../problems';
import type { AuditSource, FoundFile } from '../source/audit-source';
import { isFile } from '../source/identity';
import { findFile } from '../source/local-folder';
import type { Bytes, OpenBytes } from '../sqlaudit/bytes';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import { soundEnd, writtenEnd } from '../sqlaudit/sound-end';
import { SpooledCopy } from './spooled-copy';

/** Disk space that copies leave free for other files, such as the agent's bookmarks. */
const FREE_BYTES_MIN = 256 * 1024 * 1024;
/** Bytes that are copied between two checks whether the agent must stop. */
const STEP_BYTES = 8 * 1024 * 1024;
const MARK = '.full';

interface SpoolOptions {
  readonly folder: string;
  /** The most bytes of all copies together; 0: nothing is copied, but existing copies are still read. */
  readonly bytesMax: number;
  readonly source: Pick<AuditSource, 'open'>;
  readonly problems: Problems;
}

/** A file to copy. */
interface FileToKeep {
  readonly fileGuid: string;
  /** All paths of the file. With reserved space, their sizes do not tell which one holds the most. */
  readonly paths: readonly FoundFile[];
  /** SQL Server may still write it. */
  readonly isLast: boolean;
}

/**
 * Copies of audit files that SQL Server may remove before they are published. Each copy holds its file from the first
 * byte and is named by the file's GUID. Once the file is gone, the agent reads the copy in its place.
 */
export class Spool {
  private readonly copies = new Map<string, SpooledCopy>();
  /** Files for which there was no room. Each has a mark on disk, so that a restarted agent knows why the file is lost. */
  private readonly refused = new Set<string>();
  /** Files whose copy is being written or removed. */
  private readonly busy = new Set<string>();

  private constructor(private readonly options: SpoolOptions) {}

  static async open(options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(options);
    for (const copy of await SpooledCopy.list(options.folder)) spool.copies.set(copy.fileGuid, copy);
    for (const name of await readdir(options.folder).catch(() => []))
      if (name.endsWith(MARK)) spool.refused.add(name.slice(0, -MARK.length));
    return spool;
  }

  /** The copies as files to read, by the GUID of the file. */
  async files(): Promise<(readonly [fileGuid: string, FoundFile])[]> {
    const begun = [...this.copies.values()].filter(({ length }) => length > 0);
    const found = await Promise.all(
      begun.map(async ({ fileGuid, path }) => [fileGuid, await findFile(path)] as const),
    );
    return found.flatMap(([fileGuid, file]) =>
      file === null ? [] : [[fileGuid, { ...file, isSpooled: true }] as const],
    );
  }

  /** GUIDs of the files with a copy or a mark. */
  guids(): readonly string[] {
    return [...new Set([...this.copies.keys(), ...this.refused])];
  }

  /** How much of a file the spool has. */
  stateOf(fileGuid: string) {
    const copy = this.copies.get(fileGuid);
    const isFull = this.refused.has(fileGuid);
    return { length: copy?.length ?? 0, isComplete: copy?.isComplete ?? false, isFull };
  }

  /** Copies the present content of a file, as far as there is room. A failure is reported, and publishing continues. */
  async keep(file: FileToKeep, stop: AbortSignal): Promise<void> {
    const { fileGuid } = file;
    const paths = file.paths.filter(({ isSpooled }) => !isSpooled);
    const [first] = paths;
    if (this.options.bytesMax === 0 || first === undefined || this.busy.has(fileGuid)) return;
    const copy = this.copies.get(fileGuid) ?? SpooledCopy.begin(this.options.folder, fileGuid, first.name);
    if (copy.isComplete) return;
    this.busy.add(fileGuid);
    const opened: OpenBytes[] = [];
    try {
      await mkdir(this.options.folder, { recursive: true });
      for (const { path } of paths) opened.push(await this.options.source.open(path));
      for (const bytes of opened) if (!(await isFile(bytes, fileGuid))) return;
      await this.copy(file, copy, opened, stop);
    } catch (error) {
      // The file may be gone meanwhile, or the disk may be full.
      this.options.problems.report(first.path, `cannot be copied to the spool: ${errorText(error)}`);
    } finally {
      await Promise.all(opened.map((bytes) => bytes.close()));
      this.busy.delete(fileGuid);
    }
  }

  /** Removes the copy of a file that is no longer needed, unless the copy is being written at this moment. */
  async release(fileGuid: string): Promise<void> {
    const copy = this.copies.get(fileGuid);
    if (this.busy.has(fileGuid)) return;
    this.busy.add(fileGuid);
    try {
      await this.admit(fileGuid);
      await copy?.remove();
      this.copies.delete(fileGuid);
    } catch (error) {
      // The next batch tries it again.
      this.options.problems.report(
        copy?.path ?? this.markOf(fileGuid),
        `cannot be removed: ${errorText(error)}`,
      );
    } finally {
      this.busy.delete(fileGuid);
    }
  }

  private async copy(
    file: FileToKeep,
    copy: SpooledCopy,
    opened: readonly Bytes[],
    stop: AbortSignal,
  ): Promise<void> {
    this.copies.set(file.fileGuid, copy);
    await this.admit(file.fileGuid);
    for (const bytes of opened) if (!(await this.copySound(file, copy, bytes, stop))) return;
    // A block that is still being written is copied once it is whole.
    if (file.isLast) return;
    for (const bytes of opened) if (!(await this.copyRest(file, copy, bytes))) return;
    await copy.complete();
  }

  /** @returns whether the copy has all whole blocks now */
  private async copySound(
    file: FileToKeep,
    copy: SpooledCopy,
    bytes: Bytes,
    stop: AbortSignal,
  ): Promise<boolean> {
    while (!stop.aborted) {
      const from = Math.max(copy.length, SECTOR_BYTES);
      const maxBytes = (await this.room()) - (from - copy.length);
      const { end, lacksRoom } = await soundEnd(bytes, from, { enoughBytes: STEP_BYTES, maxBytes });
      if (end > from) await copy.extend(bytes, end);
      else return lacksRoom ? this.refuse(file) : true;
    }
    return false;
  }

  /** Copies damage too: the reader judges it. @returns whether there was room for it */
  private async copyRest(file: FileToKeep, copy: SpooledCopy, bytes: Bytes): Promise<boolean> {
    const end = await writtenEnd(bytes, copy.length);
    if (end - copy.length > (await this.room())) return this.refuse(file);
    if (end > copy.length) await copy.extend(bytes, end);
    return true;
  }

  private async refuse({ fileGuid }: FileToKeep): Promise<false> {
    this.refused.add(fileGuid);
    const { folder, problems } = this.options;
    problems.report(folder, 'the spool is full: files that are removed before they are published are lost');
    await writeFile(this.markOf(fileGuid), '');
    return false;
  }

  private async admit(fileGuid: string): Promise<void> {
    if (this.refused.delete(fileGuid)) await rm(this.markOf(fileGuid), { force: true });
  }

  private markOf(fileGuid: string): string {
    return join(this.options.folder, `${fileGuid}${MARK}`);
  }

  private async room(): Promise<number> {
    const { bavail, bsize } = await statfs(this.options.folder);
    const used = [...this.copies.values()].reduce((sum, { length }) => sum + length, 0);
    return Math.min(this.options.bytesMax - used, bavail * bsize - FREE_BYTES_MIN);
  }
}
