import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FILETIME_UNIX_EPOCH, TICKS_PER_MS } from '../../../src/event/event-time';
import type { AuditFileWriter } from '../../agent/sqlaudit/support/sqlaudit-writer';
import { AuditFile, type Part } from './audit-file';
import type { Random } from './random';
import { isFull, type ServerClock, SessionRows, type WrittenRow } from './session-rows';

export interface TargetOptions {
  readonly folder: string;
  readonly name: string;
  readonly writer: AuditFileWriter;
  readonly random: Random;
  readonly clock: ServerClock;
  readonly hasHostNames: boolean;
  readonly isReserved: boolean;
  readonly rolloverFilesMax: number | null;
  /** Called right before a file is deleted. @param next the file that was begun after it */
  onDelete(file: KeptFile, next: AuditFile): void;
  /** Called right before somebody renames a file. */
  onRename(file: KeptFile): void;
}

/** MAXSIZE of the server audit. */
const FILE_BYTES_MAX = 64 * 1024;

/** A file with the paths that lead to it. */
export interface KeptFile {
  readonly file: AuditFile;
  /** The file's own path first, unless that is gone; then its copies, which may be shorter. */
  paths: string[];
  /** The file no longer has the name that SQL Server gave it. */
  isRenamed: boolean;
  isDeleted: boolean;
}

/** The file target of one server audit: writes, rolls over and deletes as SQL Server does. */
export class AuditTarget {
  /** All files that ever existed, in order. */
  readonly files: KeptFile[] = [];
  private readonly rows: SessionRows;
  private readonly guid: string;
  private createdMs = 0n;

  constructor(private readonly options: TargetOptions) {
    this.rows = new SessionRows(options.random.fork(), options.clock, options.hasHostNames);
    this.guid = options.random.guid().toUpperCase();
    this.rollOver(null);
  }

  get current(): AuditFile {
    const last = this.files.at(-1);
    if (!last) throw new Error('there is always a file');
    return last.file;
  }

  write(count: number, cut: number | null): void {
    const rows = Array.from({ length: count }, () => this.rows.next());
    this.append(rows, cut);
  }

  rollOver(cut: number | null): void {
    const { folder, name, random, clock, writer, isReserved } = this.options;
    if (this.files.length > 0) {
      this.current.writeMore(1);
      this.current.close();
    }
    // Names of files hold the time in whole milliseconds.
    const nowMs = (clock.next() + FILETIME_UNIX_EPOCH) / TICKS_PER_MS;
    this.createdMs = nowMs > this.createdMs ? nowMs : this.createdMs + 1n;
    const path = join(folder, `${name}_${this.guid}_0_${this.createdMs * TICKS_PER_MS}.sqlaudit`);
    const file = new AuditFile(random.guid(), path, isReserved ? FILE_BYTES_MAX : 0);
    file.names.push(basename(path));
    this.files.push({ file, paths: [path], isRenamed: false, isDeleted: false });
    file.append(writer.prologue(file.guid), [], cut);
    this.deleteOldest();
  }

  /** The server dies in the middle of a write, and begins a new file when it is up again. */
  crash(): void {
    this.current.tear();
    this.rows.crash();
    this.rollOver(null);
  }

  /** Somebody copies a file beside itself. If space is reserved, the copy has its final size at once. */
  copy(which: number, number: number): void {
    const kept = this.chosen(which, ({ paths }) => paths.length === 1);
    const path = kept?.paths[0];
    if (!kept || path === undefined) return;
    const name = basename(path, '.sqlaudit');
    const { folder, random } = this.options;
    const copy = join(
      folder,
      random.chance(0.5) ? `${name} - Copy (${number}).sqlaudit` : `Copy ${number} of ${name}.sqlaudit`,
    );
    copyFileSync(path, copy);
    kept.paths.push(copy);
    kept.file.names.push(basename(copy));
  }

  /**
   * Somebody gives a file that is done a name of his own. One whose records go on in another file is
   * left alone: nothing but its name says that they belong together.
   */
  rename(which: number, number: number): void {
    const kept = this.chosen(
      which,
      ({ file, isRenamed }) => file !== this.current && !isRenamed && !goesOn(file),
    );
    const path = kept?.paths[0];
    if (!kept || path === undefined) return;
    const renamed = join(this.options.folder, `kept ${number}.sqlaudit`);
    kept.file.names.push(basename(renamed));
    this.options.onRename(kept);
    renameSync(path, renamed);
    kept.paths[0] = renamed;
    kept.isRenamed = true;
  }

  /** Completes the block and all records that have begun. */
  finish(): void {
    this.current.writeMore(1);
    this.append([...this.rows.rest()], null);
  }

  close(): void {
    this.current.close();
  }

  /** Every row whose bytes were all written, in order. */
  parts(): Part[] {
    return this.files.flatMap(({ file }) => file.wholeParts);
  }

  private append(rows: readonly WrittenRow[], cut: number | null): void {
    this.current.writeMore(1);
    const sequence = this.current.sequence + 1;
    const bytes = this.options.writer.block(
      rows.map(({ row }) => row),
      { sequence },
    );
    if (this.current.next + bytes.length > FILE_BYTES_MAX && sequence > 1) {
      this.rollOver(null);
      this.append(rows, cut);
      return;
    }
    const file = this.current;
    file.sequence = sequence;
    const blockOffset = file.next;
    const parts = rows.map((row, index) => ({
      ...row,
      file,
      blockOffset,
      index,
      blockEnd: blockOffset + bytes.length,
      completeAtMs: Number.POSITIVE_INFINITY,
    }));
    file.append(bytes, parts, cut);
  }

  /** Deletes the oldest files that still have their names, as MAX_ROLLOVER_FILES demands. */
  private deleteOldest(): void {
    const { rolloverFilesMax, onDelete } = this.options;
    if (rolloverFilesMax === null) return;
    const named = this.files.filter(({ isDeleted, isRenamed }) => !isDeleted && !isRenamed);
    for (const kept of named.slice(0, -1 - rolloverFilesMax)) {
      const next = this.files[this.files.indexOf(kept) + 1];
      if (next) onDelete(kept, next.file);
      // The copies go first, so that a shorter copy is never all that is left.
      for (const path of kept.paths.toReversed()) rmSync(path);
      kept.paths = [];
      kept.isDeleted = true;
    }
  }

  private chosen(which: number, fits: (kept: KeptFile) => boolean): KeptFile | null {
    const files = this.files.filter((kept) => !kept.isDeleted && fits(kept));
    return files[Math.floor(which * files.length)] ?? null;
  }
}

/** Whether a reader could think that records of this file begin or end in another file. */
function goesOn({ parts }: AuditFile): boolean {
  const lastOfSession = new Map(parts.map(({ row }) => [row.session_id, row]));
  return parts.some(isContinued) || [...lastOfSession.values()].some(isFull);
}

const isContinued = ({ row }: Part, i: number, parts: readonly Part[]): boolean =>
  Number(row.sequence_number) > 1 &&
  !parts.slice(0, i).some((before) => before.row.session_id === row.session_id);
