import type { Cell } from '../../csv';
import type { AnyField } from '../../event/fields';
import type { TextForm } from '../../event/marks';
import { type DeclaredHours, WorkTimes } from '../../event/working-hours';
import { Zone } from '../../event/zone';
import { type EventValues, type PartOfEvent, readerOf } from '../../store/rows/event-values';
import type { Section } from './declarations';
import type { Chart, End, Head, ReportFile, Table, Written } from './document';
import { FileWriter } from './file-writer';
import { REPORT_FORMATS, type ReportFormat } from './files';
import { zipped } from './piece-bytes';
import { RunningRoot } from './running-root';
import { fieldValue, type Period, Tally } from './tally';

export type Row = readonly Cell[];
/** Rows, or values of events of which they are made. */
export type Rows = readonly Row[] | EventValues;

/** What the files of a run are made of beside its rows: plain data, since a thread gets it. */
export interface RunPlan {
  readonly head: Head;
  readonly formats: readonly ReportFormat[];
  /** What sums rows up that are events. Null: the rows are none. */
  readonly events: {
    readonly sections: readonly Section[];
    /** The fields of the values of a row: the columns of the head, and those that only sections read. */
    readonly fields: readonly AnyField[];
    readonly period: Period;
    readonly workingHours: readonly DeclaredHours[];
  } | null;
}

/** A piece of a file, as it is stored. */
export interface Piece {
  readonly format: ReportFormat;
  readonly piece: number;
  readonly bytes: Uint8Array;
}

/** What a call gives back: pieces that are full, and texts that are not written yet. */
export interface Made {
  readonly pieces: readonly Piece[];
  /** Texts with marks of large statements. Their bytes are to be written before more rows. */
  readonly marked: readonly {
    readonly format: ReportFormat;
    readonly form: TextForm;
    readonly text: string;
  }[];
}

/** A file that is done. */
export interface MadeFile {
  readonly format: ReportFormat;
  readonly bytes: number;
  readonly sha256: string;
  /** Bytes that its pieces take. */
  readonly stored: number;
}

export type MadeEnd = Made & {
  readonly files: readonly MadeFile[];
  /** Null: the rows are no events. */
  readonly recordIdsRoot: string | null;
};

/** Makes the files of runs. A run has a number. */
export interface FileMaker {
  begin(run: number, plan: RunPlan): Promise<Made>;
  /**
   * May be called before the last call has ended.
   * @param hasMarks whether a statement among them has a mark: texts with statements are then given back
   */
  rows(run: number, rows: Rows, hasMarks: boolean): Promise<Made>;
  /** Writes a part of a text that was given back. */
  write(run: number, format: ReportFormat, part: string | Uint8Array): Promise<Made>;
  /** @param sections of rows that are no events */
  end(run: number, end: Omit<End, 'recordIdsRoot'>, sections: readonly (Table | Chart)[]): Promise<MadeEnd>;
  /** Forgets a run, whether it ended or not. */
  forget(run: number): Promise<void>;
  close(): Promise<void>;
}

/** Makes files on the caller's thread. */
export class LocalFileMaker implements FileMaker {
  readonly #runs = new Map<number, RunFiles>();

  async begin(run: number, plan: RunPlan): Promise<Made> {
    const files = new RunFiles(plan);
    this.#runs.set(run, files);
    return files.begin();
  }

  async rows(run: number, rows: Rows, hasMarks: boolean): Promise<Made> {
    return this.#of(run).rows(rows, hasMarks);
  }

  async write(run: number, format: ReportFormat, part: string | Uint8Array): Promise<Made> {
    return this.#of(run).write(format, part);
  }

  async end(
    run: number,
    end: Omit<End, 'recordIdsRoot'>,
    sections: readonly (Table | Chart)[],
  ): Promise<MadeEnd> {
    return this.#of(run).end(end, sections);
  }

  async forget(run: number): Promise<void> {
    this.#runs.delete(run);
  }

  async close(): Promise<void> {
    this.#runs.clear();
  }

  #of(run: number): RunFiles {
    const files = this.#runs.get(run);
    if (!files) throw new Error('the files of this run are not open');
    return files;
  }
}

/** Rows whose text is made at once. The parts of a longer text have left the processor's cache before its bytes are made. */
const ROWS_AT_ONCE = 8;

/** The files of a run that is being made, and what sums its rows up. */
class RunFiles {
  readonly #files: readonly {
    readonly format: ReportFormat;
    readonly file: ReportFile;
    readonly writer: FileWriter;
  }[];
  #pieces: Piece[] = [];
  /** What is being written. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #columns: number;
  readonly #events: {
    readonly fields: readonly AnyField[];
    readonly read: (values: EventValues) => readonly PartOfEvent[];
    readonly tally: Tally;
    readonly root: RunningRoot;
    readonly recordId: number;
  } | null;

  constructor({ head, formats, events }: RunPlan) {
    this.#columns = head.columns.length;
    this.#events = events && {
      fields: events.fields,
      read: readerOf(events.fields),
      tally: tallyOf(events, head),
      root: new RunningRoot(),
      recordId: events.fields.indexOf('recordId'),
    };
    this.#files = formats.map((format) => ({
      format,
      file: REPORT_FORMATS[format].open(head),
      writer: new FileWriter(async (piece, bytes) => {
        const stored = await zipped(bytes);
        // Copied, since a message has the whole memory of which `stored` is a part.
        this.#pieces.push({ format, piece, bytes: new Uint8Array(stored) });
        return stored.length;
      }),
    }));
  }

  async begin(): Promise<Made> {
    for (const { file, writer } of this.#files) await writer.write(file.begin());
    return { pieces: this.#taken(), marked: [] };
  }

  /** Rows are written in the order of the calls. */
  rows(rows: Rows, hasMarks: boolean): Promise<Made> {
    const made = this.#last.then(() => this.#rows(rows, hasMarks));
    this.#last = made.catch(() => {}); // each call hears its own failure
    return made;
  }

  async #rows(given: Rows, hasMarks: boolean): Promise<Made> {
    const rows = 'json' in given ? this.#read(given) : given;
    for (const row of rows) {
      this.#events?.tally.add(row);
      this.#events?.root.add(row[this.#events.recordId] as string);
    }
    const shown = rows.map((row) => (row.length > this.#columns ? row.slice(0, this.#columns) : row));
    const marked: Made['marked'][number][] = [];
    for (const { format, file, writer } of this.#files) {
      const form = REPORT_FORMATS[format].statements;
      const few = hasMarks && form !== null ? shown.length : ROWS_AT_ONCE;
      for (let at = 0; at < shown.length; at += few) {
        const text: Written = file.rows(shown.slice(at, at + few));
        if (hasMarks && typeof text === 'string' && form !== null) marked.push({ format, form, text });
        else await writer.write(text);
      }
    }
    return { pieces: this.#taken(), marked };
  }

  #read(values: EventValues): readonly Row[] {
    const { fields, read } = this.#events ?? { fields: [], read: () => [] };
    return read(values).map((event) => fields.map((field) => fieldValue(event, field)));
  }

  async write(format: ReportFormat, part: string | Uint8Array): Promise<Made> {
    const bytes = typeof part === 'string' ? part : Buffer.from(part.buffer, part.byteOffset, part.length);
    await this.#files.find((one) => one.format === format)?.writer.write(bytes);
    return { pieces: this.#taken(), marked: [] };
  }

  async end(end: Omit<End, 'recordIdsRoot'>, given: readonly (Table | Chart)[]): Promise<MadeEnd> {
    const recordIdsRoot = this.#events?.root.root ?? null;
    const sections = this.#events?.tally.sections() ?? given;
    const files: MadeFile[] = [];
    for (const { format, file, writer } of this.#files) {
      await writer.write(file.end(sections, { ...end, recordIdsRoot }));
      const sha256 = await writer.end();
      files.push({ format, bytes: writer.bytes, sha256, stored: writer.stored });
    }
    return { pieces: this.#taken(), marked: [], files, recordIdsRoot };
  }

  #taken(): readonly Piece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }
}

function tallyOf(
  { sections, fields, period, workingHours }: NonNullable<RunPlan['events']>,
  head: Head,
): Tally {
  const zone = new Zone(head.question.timeZone);
  return new Tally(sections, fields, zone, period, new WorkTimes(workingHours, zone));
}
