import { type Cell, csvLines } from '../../csv';
import type { Chart, Column, End, Head, ReportFile, Table } from './document';
import { HtmlFile } from './html-file';

type PdfModule = typeof import('./pdf/pdf-file');

/** Formats of a run, with how a statement that is too large for its row is written in them; null: only its beginning. */
export const REPORT_FORMATS = {
  html: { mediaType: 'text/html; charset=utf-8', statements: null, open: (head: Head) => new HtmlFile(head) },
  csv: { mediaType: 'text/csv; charset=utf-8', statements: 'csv', open: (head: Head) => new CsvFile(head) },
  json: { mediaType: 'application/json', statements: 'json', open: (head: Head) => new JsonFile(head) },
  pdf: {
    mediaType: 'application/pdf',
    statements: null,
    /** Its library is loaded for the first file. Most processes make none. */
    open: (head: Head) => new (require('./pdf/pdf-file') as PdfModule).PdfFile(head),
  },
} as const satisfies Record<
  string,
  {
    readonly mediaType: string;
    readonly statements: 'csv' | 'json' | null;
    readonly open: (head: Head) => ReportFile;
  }
>;
export type ReportFormat = keyof typeof REPORT_FORMATS;
export const REPORT_FORMAT_NAMES = Object.keys(REPORT_FORMATS) as ReportFormat[];

/** The name of a file of a run. */
export const fileNameOf = (reportId: string, runId: string, format: string) =>
  `${reportId}-${runId}.${format}`;

/** Spreadsheets take a text that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A text that a spreadsheet would take for a formula gets an apostrophe. The file in JSON has every text as it is. */
const safeLines = (rows: readonly (readonly Cell[])[]) =>
  csvLines(rows, (text) => (FORMULA.test(text) ? `'${text}` : text));

class CsvFile implements ReportFile {
  constructor(private readonly head: Head) {}

  begin(): string {
    return safeLines([this.head.columns.map(({ name }) => name)]);
  }

  rows(rows: readonly (readonly Cell[])[]): string {
    return safeLines(rows);
  }

  end(_sections: readonly (Table | Chart)[], end: End): string {
    const { head } = this;
    const { startTime, endTime, timeZone, filter, parameters } = head.question;
    return safeLines([
      ['#report', head.reportId, head.title],
      ['#run', head.runId, head.createdAt],
      ['#period', startTime, endTime, timeZone],
      ['#filter', filter],
      ...Object.entries(parameters).map(([name, value]): Cell[] => ['#parameter', name, value]),
      ['#rows', end.rows],
      ...end.gaps.map(({ hostName, databaseName, reason, afterTime, beforeTime }): Cell[] => [
        ...['#gap', hostName, databaseName, reason, afterTime, beforeTime],
      ]),
      ...end.behind.map(({ hostName, databaseName, completeThrough }): Cell[] => [
        ...['#behind', hostName, databaseName, completeThrough],
      ]),
      ...(end.removed ? [['#removed', end.removed.from, end.removed.to, end.removed.events]] : []),
      ['#log', end.log.size, end.log.root],
    ]);
  }
}

class JsonFile implements ReportFile {
  #isFirst = true;
  /** What stands before each value of a row. */
  readonly #names: readonly string[];

  constructor(private readonly head: Head) {
    this.#names = head.columns.map(({ name }, i) => `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  }

  begin(): string {
    return `{"report":${JSON.stringify(this.head)},\n"rows":[`;
  }

  rows(rows: readonly (readonly Cell[])[]): string {
    let text = '';
    for (const row of rows) {
      text += this.#isFirst ? '\n' : ',\n';
      this.#isFirst = false;
      for (const [i, name] of this.#names.entries()) text += name + jsonOf(row[i] ?? null);
      text += '}';
    }
    return text;
  }

  end(sections: readonly (Table | Chart)[], end: End): string {
    const written = sections.map((section) =>
      section.kind === 'chart'
        ? section
        : { ...section, rows: section.rows.map((row) => named(section.columns, row)) },
    );
    return `\n],\n"sections":${JSON.stringify(written)},\n"end":${JSON.stringify(end)}}\n`;
  }
}

/** Texts that stand in JSON as they are. */
const PLAIN = /^[ !#-[\]-~]*$/;
const jsonOf = (cell: Cell): string =>
  typeof cell === 'string' && PLAIN.test(cell) ? `"${cell}"` : JSON.stringify(cell);

const named = (columns: readonly Column[], row: readonly Cell[]) =>
  Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null]));
