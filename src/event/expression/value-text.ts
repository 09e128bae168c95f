import { filterOf } from '../filters';
import type { ExpressionField } from './expression';

/** Characters that an unquoted value must not contain, or must not begin with, since the filter reads them otherwise. */
const NEEDS_QUOTES = /[\s()"*/]|^[-<>]|^(?:AND|OR|NOT|TO)$/;
/** Backslashes that would be read as an escape: before another one, a quotation mark, or the end. */
const ESCAPES = /\\+(?="|$)|\\{2,}/g;

/** A text in quotation marks. */
export const inQuotes = (text: string): string =>
  `"${text.replace(ESCAPES, (run) => run + run).replaceAll('"', '\\"')}"`;

/** A value as a filter writes it, with quotation marks if it needs them. */
export const quoteValue = (value: string): string => (NEEDS_QUOTES.test(value) ? inQuotes(value) : value);

/** The name of a field in the API's filters, else its own name. */
export const fieldText = (field: ExpressionField): string => filterOf(field) ?? field;
