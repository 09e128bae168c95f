import { AUDIT_EVENT_FIELDS, COLUMN_OF, type FieldName } from '../../event/fields';
import { eventTimeOf } from '../../event/record-id';
import { fromStoredJson, textOf } from './stored-text';

/** Code of an expression that takes the value of a field from `row`. @param at code of the value of a column */
function expressionOf(name: FieldName, at: (column: string) => string): string {
  const value = at(COLUMN_OF[name]);
  if (name === 'eventTime') return `time(${at(COLUMN_OF.recordId)})`;
  const { kind } = AUDIT_EVENT_FIELDS[name];
  return kind === 'boolean' || kind === 'id' ? value : `text(${value})`;
}

/** Functions that the code of a value may call. */
type Helpers = Readonly<Record<string, (value: never) => unknown>>;
const HELPERS: Helpers = {
  text: textOf,
  time: eventTimeOf,
  json: fromStoredJson,
};

/**
 * Makes a function that turns a row into an object of the fields and of the values beside them. The function is
 * compiled: a loop over names makes objects that are slow to make and to read, and a page has twenty times sixteen
 * values.
 * @param beside code of the other values, by name
 * @param more functions that this code calls
 * @param at code of the value of a column of `row`
 */
export function mapperOf<R, T>(
  names: readonly FieldName[],
  beside: Readonly<Record<string, string>>,
  more: Helpers = {},
  at: (column: string) => string = (column) => `row.${column}`,
): (row: R) => T {
  const fields = [...names.map((name) => [name, expressionOf(name, at)]), ...Object.entries(beside)];
  const object = fields.map(([name, expression]) => `${name}: ${expression}`).join(', ');
  const helpers = { ...HELPERS, ...more };
  // The code has nothing variable but names of the field table and constants of the files of this folder.
  const make = new Function(...Object.keys(helpers), `return (row) => ({ ${object} });`);
  return make(...Object.values(helpers));
}
