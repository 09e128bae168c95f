import type { Answer } from '../../support/answer';

export const PATH = '/audit-activity/export';

/** The events of an NDJSON body. */
// biome-ignore lint/suspicious/noExplicitAny: tests read lines of every shape
export const linesOf = ({ text }: Pick<Answer, 'text'>): any[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/**
 * @returns the rows of a CSV body by RFC 4180. A cell with nothing in it is null, and a cell of two quotation marks is
 * ''
 */
export function rowsOf({ text }: Pick<Answer, 'text'>): (string | null)[][] {
  const rows: (string | null)[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let row: (string | null)[] = [];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const found = cell.exec(text);
    if (!found) throw new Error(`no cell at ${at}: ${text.slice(at, at + 40)}`);
    const [, quoted, plain, end] = found;
    row.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
