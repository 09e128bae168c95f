import type { Cell } from '../../../csv';
import { at, type FontName, INK, PAGE, type PdfDocument } from './pdf-document';
import type { Line } from './pdf-font';

/** A column of a table. */
export interface PdfColumn {
  readonly title: string;
  /** Its share of the width, compared with the others. */
  readonly share: number;
  readonly isRight: boolean;
  readonly font: FontName;
  /** Whether many rows have the same few values, whose lines are remembered. */
  readonly isRepeated?: boolean;
  readonly textOf: (value: Cell) => string;
}

/** A row whose lines are known. */
export interface LaidRow {
  readonly cells: readonly (readonly Line[])[];
  readonly height: number;
}

const SIZES: Readonly<Record<FontName, number>> = { text: 6.4, bold: 6.4, mono: 5.4 };
const LEADING = 7.8;
const [PAD_X, PAD_Y] = [3, 2.5];
/** A cell is a part of a page. The whole text is in CSV and JSON. */
const LINES_MAX = 24;
const REMEMBERED_MAX = 5_000;
const [HEAD_COLOR, RULE_COLOR] = ['0.953 0.961 0.973', '0.851 0.871 0.902'];

/** A table over the width of a page. */
export class PdfTable {
  readonly #places: readonly { readonly x: number; readonly width: number }[];
  readonly #remembered: readonly Map<Cell, readonly Line[]>[];

  constructor(
    private readonly document: PdfDocument,
    private readonly columns: readonly PdfColumn[],
    private readonly width: number,
  ) {
    const all = columns.reduce((sum, { share }) => sum + share, 0);
    let x = 0;
    this.#places = columns.map(({ share }) => {
      const place = { x: PAGE.left + x, width: (share / all) * width };
      x += place.width;
      return place;
    });
    this.#remembered = columns.map(() => new Map());
  }

  /** @returns the y below it */
  head(y: number): number {
    const cells = this.columns.map(({ title }, i) => this.#lines('bold', title, i));
    const height = heightOf(cells);
    this.document.draw(`${HEAD_COLOR} rg ${box(PAGE.left, y, this.width, height)} re f\n`);
    return this.#drawCells({ cells, height }, y, () => 'bold');
  }

  lay(row: readonly Cell[]): LaidRow {
    const cells = this.columns.map((column, i) => this.#cell(column, row[i] ?? null, i));
    return { cells, height: heightOf(cells) };
  }

  /** @returns the y below it */
  draw(row: LaidRow, y: number): number {
    return this.#drawCells(row, y, (i) => this.columns[i]?.font ?? 'text');
  }

  #cell({ font, isRepeated, textOf }: PdfColumn, value: Cell, i: number): readonly Line[] {
    if (!isRepeated) return this.#lines(font, textOf(value), i);
    const remembered = this.#remembered[i] as Map<Cell, readonly Line[]>;
    const known = remembered.get(value);
    if (known) return known;
    const lines = this.#lines(font, textOf(value), i);
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(value, lines);
    return lines;
  }

  #lines(font: FontName, text: string, i: number): readonly Line[] {
    const { width } = this.#places[i] as { width: number };
    return this.document.fonts[font].lines(text, ((width - 2 * PAD_X) * 1000) / SIZES[font], LINES_MAX);
  }

  #drawCells({ cells, height }: LaidRow, y: number, fontOf: (i: number) => FontName): number {
    let drawn = `BT ${INK} rg\n`;
    cells.forEach((lines, i) => {
      const name = fontOf(i);
      const size = SIZES[name];
      const { x, width } = this.#places[i] as { x: number; width: number };
      drawn += `/${this.document.fonts[name].id} ${size} Tf\n`;
      lines.forEach((line, n) => {
        if (line.hex === '') return;
        const right = this.columns[i]?.isRight === true;
        const left = right ? x + width - PAD_X - (line.width * size) / 1000 : x + PAD_X;
        drawn += `${at(left, y + PAD_Y + size + n * LEADING - 0.6)} <${line.hex}> Tj\n`;
      });
    });
    const below = y + height;
    drawn += `ET ${RULE_COLOR} RG 0.5 w ${PAGE.left} ${below.toFixed(2)} m ${PAGE.left + this.width} ${below.toFixed(2)} l S\n`;
    this.document.draw(drawn);
    return below;
  }
}

const heightOf = (cells: readonly (readonly Line[])[]) =>
  Math.max(1, ...cells.map(({ length }) => length)) * LEADING + 2 * PAD_Y;

/** The operands of a rectangle. */
export const box = (x: number, y: number, width: number, height: number): string =>
  [x, y, width, height].map((n) => n.toFixed(2)).join(' ');
