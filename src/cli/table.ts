import { onOneLine } from '../event/visible-text';

/** Rows as text with aligned columns, for people. Programs use `--json`. */
export function toTable(rows: readonly object[]): string {
  const [first] = rows;
  if (!first) return 'none';
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name as keyof typeof row])))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A row with its fields in this order. */
export const inOrder =
  <N extends string>(names: readonly N[]) =>
  <R extends Readonly<Record<N, unknown>>>(row: R) =>
    Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<R, N>;

/** A value on one line, for people. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length > 0 ? onOneLine(value.join(',')) : '-';
  return onOneLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
