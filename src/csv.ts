export type Cell = string | number | boolean | null;

/**
 * RFC 4180. Texts are in quotation marks, and absent values are empty without them. Values stay unchanged, even if a
 * spreadsheet would read them as formulas, because evidence must not be altered.
 * @param shown a text as the lines have it, where it is not the text itself
 */
export function csvLines(
  rows: readonly (readonly Cell[])[],
  shown: (text: string) => string = (text) => text,
): string {
  let lines = '';
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) {
      const cell = row[i] ?? null;
      if (i > 0) lines += ',';
      if (cell !== null) lines += typeof cell === 'string' ? quoted(shown(cell)) : cell;
    }
    lines += '\r\n';
  }
  return lines;
}

const quoted = (text: string): string => `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;
