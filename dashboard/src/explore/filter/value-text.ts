import type { ExpressionField } from '../../../../src/event/expression/expression';
import { filterOf } from '../../../../src/event/filters';

/** Characters that an unquoted value must not contain, or must not begin with, since the filter reads them otherwise. */
const NEEDS_QUOTES = /[\s()"*/]|^[-<>]|^(?:AND|OR|NOT|TO)$/;
/** Backslashes that would be read as an escape: before another one, a quotation mark, or the end. */
const ESCAPES = /\\+(?="|$)|\\{2,}/g;

/** A value as a filter writes it, with quotation marks if it needs them. */
export function quoteValue(value: string): string {
  if (!NEEDS_QUOTES.test(value)) return value;
  const escaped = value.replace(ESCAPES, (run) => run + run).replaceAll('"', '\\"');
  return `"${escaped}"`;
}

/** The name of a field in the API's filters, else its own name. */
export const fieldText = (field: ExpressionField): string => filterOf(field) ?? field;
