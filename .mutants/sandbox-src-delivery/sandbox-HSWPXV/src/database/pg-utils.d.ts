/** The driver's types lack this module. The driver's own `pg-cursor` uses it in the same way. */
declare module 'pg/lib/utils' {
  /** A value as the text, or the bytes, of a parameter. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
