import { pick, type Shape, selectionOf } from '../event/shape';
import { onOneLine } from '../event/visible-text';

/**
 * The selection of fields that a command asks for, in the order of its columns: the named fields first, then the
 * others.
 */
export function columnsOf<S extends Shape>({ fields }: S, ...first: (keyof S['fields'] & string)[]): string {
  const names = [...new Set([...first, ...Object.keys(fields)])];
  return selectionOf({ fields: pick(fields, names) }).join(' ');
}

/** Rows as text with aligned columns, for people. Programs use `--json`. */
export function toTable(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const [first] = rows;
  if (!first) return 'none';
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
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

/** A value on one line, for people. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length > 0 ? onOneLine(value.join(',')) : '-';
  return onOneLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
