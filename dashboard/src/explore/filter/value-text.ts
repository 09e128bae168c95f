import type { ExpressionField } from '../../../../src/event/expression/expression';
import { filterOf } from '../../../../src/event/filters';

/** What an unquoted value can't hold, or can't begin with, without being read as something else. */
const NEEDS_QUOTES = /[\s()"*]|^-|^(?:AND|OR|NOT)$/;
/** Backslashes that would be read as an escape: before another one, a quotation mark, or the end. */
const ESCAPES = /\\+(?="|$)|\\{2,}/g;

/** A value as a filter has it: in quotation marks where it needs them. */
export function quoteValue(value: string): string {
  if (!NEEDS_QUOTES.test(value)) return value;
  const escaped = value.replace(ESCAPES, (run) => run + run).replaceAll('"', '\\"');
  return `"${escaped}"`;
}

/** The name of a field as the filters of the API have it, else its own. */
export const fieldText = (field: ExpressionField): string => filterOf(field) ?? field;
