import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | boolean | null;

/**
 * RFC 4180. Texts are in quotation marks, and absent values are empty without them. Values stay unchanged, even if a
 * spreadsheet would read them as formulas, because evidence must not be altered.
 */
export const csvLines = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: 'windows', quoted_string: true, cast: { boolean: String } },
  );
