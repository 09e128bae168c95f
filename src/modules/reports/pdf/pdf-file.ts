import type { Cell } from '../../../csv';
import { Zone } from '../../../event/zone';
import { LIMITS } from '../../../limits';
import type { Chart, Column, End, Head, ReportFile, Table } from '../document';
import { aboutItems, cellText, introOf, ROWS_TITLE } from '../page-text';
import { drawChart } from './pdf-chart';
import { FAINT, PAGE, PdfDocument } from './pdf-document';
import { PdfTable } from './pdf-table';

const WIDTH = PAGE.width - PAGE.left - PAGE.right;
const BOTTOM = PAGE.height - PAGE.bottom;
const CHART_HEIGHT = 120;
const NUMBERED =
  'The fonts of this file lack some characters, or cannot join them: they are written as ⟦U+XXXX⟧. ' +
  'The other files of the run have them as they are.';

/**
 * A document of pages. Rows are written as they come; what sums them up is known behind them, and its pages are put
 * before theirs.
 */
export class PdfFile implements ReportFile {
  readonly #zone: Zone;
  readonly #document: PdfDocument;
  readonly #table: PdfTable;
  #y = 0;
  #rows = 0;

  constructor(
    private readonly head: Head,
    private readonly rowsMax: number = LIMITS.reportPdfRowsMax,
  ) {
    this.#zone = new Zone(head.question.timeZone);
    this.#document = new PdfDocument(`Audit Activity · ${head.reportId} · run ${head.runId}`, {
      title: head.title,
      id: head.runId,
      createdAt: new Date(head.createdAt),
    });
    this.#table = new PdfTable(this.#document, this.#textsOf(head.columns), WIDTH);
  }

  begin(): Buffer {
    this.#newPage();
    this.#heading(ROWS_TITLE);
    this.#y = this.#table.head(this.#y);
    return this.#document.read();
  }

  rows(rows: readonly (readonly Cell[])[]): Buffer {
    for (const row of rows.slice(0, this.rowsMax - this.#rows)) {
      this.#rows++;
      this.#row(this.#table, row);
    }
    return this.#document.read();
  }

  end(sections: readonly (Table | Chart)[], end: End): Buffer {
    if (this.#rows === 0) this.#line('None.');
    if (this.#rows < end.rows)
      this.#line(`The first ${this.#rows} of ${end.rows} rows; CSV and JSON have all.`);
    this.#about(end);
    const first = this.#document.pages;
    this.#newPage();
    this.#title();
    for (const section of sections)
      if (section.kind === 'chart') this.#chart(section);
      else this.#section(section);
    const { pages } = this.#document;
    return this.#document.end(Array.from({ length: pages - first }, (_, i) => first + i));
  }

  #title(): void {
    const [product, about] = introOf(this.head, this.#zone);
    this.#document.text(this.head.title, PAGE.left, this.#y + 16, { font: 'bold', size: 18 });
    this.#y += 26;
    this.#paragraph(product, 8.5, FAINT);
    this.#paragraph(about, 8.5);
  }

  #section(section: Table): void {
    const table = new PdfTable(this.#document, this.#textsOf(section.columns), WIDTH);
    this.#heading(section.title);
    this.#y = table.head(this.#y);
    for (const row of section.rows) this.#row(table, row);
    if (section.more > 0) this.#line(`and ${section.more} more`);
    if (section.rows.length === 0) this.#line('None.');
  }

  #row(table: PdfTable, row: readonly Cell[]): void {
    const laid = table.lay(row);
    if (this.#y + laid.height > BOTTOM) {
      this.#newPage();
      this.#y = table.head(this.#y);
    }
    this.#y = table.draw(laid, this.#y);
  }

  #chart(chart: Chart): void {
    this.#heading(chart.title, CHART_HEIGHT);
    drawChart(this.#document, chart, { x: PAGE.left, y: this.#y, width: WIDTH, height: CHART_HEIGHT });
    this.#y += CHART_HEIGHT;
  }

  #about(end: End): void {
    const table = new PdfTable(
      this.#document,
      [
        { title: 'About this report', share: 1, isRight: false, font: 'text', textOf: String },
        { title: '', share: 4, isRight: false, font: 'text', textOf: String },
      ],
      WIDTH,
    );
    this.#room(60);
    this.#y = table.head(this.#y + 14);
    for (const [name, value] of aboutItems(this.head, end, this.#zone)) this.#row(table, [name, value]);
    if (Object.values(this.#document.fonts).some(({ hasNumbers }) => hasNumbers)) this.#line(NUMBERED);
  }

  #textsOf = (columns: readonly Column[]) =>
    columns.map((column) => ({
      title: column.title,
      share: SHARES[column.kind] + (column.name === 'recordId' ? 0.3 : 0),
      isRight: column.kind === 'number',
      font: column.kind === 'statement' ? ('mono' as const) : ('text' as const),
      isRepeated: column.kind === 'text' && column.name !== 'recordId',
      textOf: (value: Cell) => cellText(column, value, this.#zone),
    }));

  #heading(text: string, behind = 40): void {
    this.#room(24 + behind);
    this.#document.text(text, PAGE.left, this.#y + 16, { font: 'bold', size: 11 });
    this.#y += 23;
  }

  #line(text: string): void {
    this.#y += 4;
    this.#paragraph(text, 7.5, FAINT);
  }

  #paragraph(text: string, size: number, color?: string): void {
    const font = this.#document.fonts.text;
    for (const line of font.lines(text, (WIDTH * 1000) / size, 20)) {
      this.#room(size * 1.4);
      this.#document.line(line, PAGE.left, this.#y + size, { size, ...(color && { color }) });
      this.#y += size * 1.4;
    }
    this.#y += 3;
  }

  /** Begins a page where so much does not fit on this one. */
  #room(height: number): void {
    if (this.#y + height > BOTTOM) this.#newPage();
  }

  #newPage(): void {
    this.#document.addPage();
    this.#y = PAGE.top;
  }
}

/** Shares of the width. */
const SHARES: Readonly<Record<Column['kind'], number>> = { text: 1, time: 1, number: 0.6, statement: 2.4 };
