import { hasMark, type TextForm } from '../../event/marks';
import type { Chart, End, Table } from './document';
import type { FileMaker, Made, MadeEnd, Piece, Row, Rows, RunPlan } from './run-files';

/** Pieces that are written to the database at once. */
const STORED_AT_ONCE = 3;
/** Calls with rows that the maker of files has at once. */
const WRITTEN_AT_ONCE = 2;

let runs = 0;

/**
 * Hands the rows of a run to the maker of its files, and stores the pieces that it makes. Rows are read while those
 * before them are written.
 */
export class RunWriter {
  readonly #run = ++runs;
  readonly #statement: number;
  /** The rows that are being written, the oldest first. */
  readonly #writing: Promise<unknown>[] = [];
  /** Whether the rows before have marks. */
  #hasMarks = false;
  readonly #storing: Promise<unknown>[] = [];

  /** @param whole the text of a part of a file, with large statements in the places of their marks */
  constructor(
    private readonly files: FileMaker,
    private readonly plan: RunPlan,
    private readonly put: (piece: Piece) => Promise<unknown>,
    private readonly whole: (text: string, form: TextForm) => AsyncIterable<string | Buffer>,
  ) {
    this.#statement = plan.head.columns.findIndex(({ kind }) => kind === 'statement');
  }

  async begin(): Promise<void> {
    await this.#take(await this.files.begin(this.#run, this.plan));
  }

  /** Returns once there is room for more rows. Texts of large statements are written before the rows after them. */
  async rows(rows: Rows): Promise<void> {
    const hasMarks = 'json' in rows ? hasMark(rows.json) : this.#haveMarks(rows);
    while (this.#writing.length >= (hasMarks || this.#hasMarks ? 1 : WRITTEN_AT_ONCE))
      await this.#writing.shift();
    this.#hasMarks = hasMarks;
    const written = this.files.rows(this.#run, rows, hasMarks).then((made) => this.#take(made));
    // A failure is heard when more rows come, or none.
    written.catch(() => {});
    this.#writing.push(written);
  }

  #haveMarks(rows: readonly Row[]): boolean {
    return rows.some((row) => {
      const statement = row[this.#statement];
      return typeof statement === 'string' && hasMark(statement);
    });
  }

  async end(end: Omit<End, 'recordIdsRoot'>, sections: readonly (Table | Chart)[]): Promise<MadeEnd> {
    await Promise.all(this.#writing);
    const made = await this.files.end(this.#run, end, sections);
    await this.#take(made);
    await Promise.all(this.#storing);
    return made;
  }

  /** Must be called in the end, also after a failure. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing);
    await Promise.allSettled(this.#storing);
    await this.files.forget(this.#run).catch(() => {}); // the thread has ended
  }

  async #take({ pieces, marked }: Made): Promise<void> {
    for (const { format, form, text } of marked)
      for await (const part of this.whole(text, form))
        await this.#take(await this.files.write(this.#run, format, part));
    for (const piece of pieces) {
      const stored = this.put(piece);
      stored.catch(() => {}); // it is heard when a later piece waits for this one
      this.#storing.push(stored);
      if (this.#storing.length > STORED_AT_ONCE) await this.#storing.shift();
    }
  }
}
