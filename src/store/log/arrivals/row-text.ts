import { randomBytes } from 'node:crypto';
import type { JsonScalar } from '../../../event/audit-record';
import {
  AUDIT_EVENT_FIELDS,
  type AuditEvent,
  COLUMN_OF,
  FIELD_NAMES,
  type FieldName,
} from '../../../event/fields';
import { eventTimeOf } from '../../../event/record-id';
import { parseStoredJson, textOrNull } from '../../rows/stored-text';

/**
 * An event's row as one text: the statement joins the values. The driver reads one value faster than sixteen, and a text
 * goes to another thread faster than an object. The text begins with its boundary, which also stands between the values.
 * The boundary is random and made anew for each statement, so no stored value holds it.
 */
export interface RowText {
  readonly recordId: string;
  readonly text: string;
}

/** An event of the log as the database returned it. */
export interface ArrivedRow extends RowText {
  /** As of `ArrivedEvent`. */
  readonly position: number;
}

const BOUNDARY_BYTES = 9;
const BOUNDARY_CHARS = 12;
export const newBoundary = (): string => randomBytes(BOUNDARY_BYTES).toString('base64url');

const NAMES: readonly FieldName[] = FIELD_NAMES.filter((name) => name !== 'recordId' && name !== 'eventTime');
/** The columns whose values are joined, in this order. None is ever NULL. */
export const JOINED_COLUMNS: readonly string[] = [...NAMES.map((name) => COLUMN_OF[name]), 'additional'];

/** The record id, followed by the joined values. */
export type RowValues = readonly string[];

export function valuesOf({ recordId, text }: RowText): RowValues {
  const values = text.split(text.slice(0, BOUNDARY_CHARS));
  // The boundary at the beginning leaves an empty text before it.
  values[0] = recordId;
  return values;
}

/** Code of the value of a field. */
function codeOf(name: FieldName): string {
  if (name === 'recordId') return 'row[0]';
  if (name === 'eventTime') return 'time(row[0])';
  const value = `row[${NAMES.indexOf(name) + 1}]`;
  const spec = AUDIT_EVENT_FIELDS[name];
  if (spec.kind === 'boolean') return `${value} === 't'`;
  return 'charsMax' in spec ? `shortText(${value})` : `text(${value})`;
}

const OBJECT = FIELD_NAMES.map((name) => `${name}: ${codeOf(name)}`).join(', ');

/**
 * Makes a function that makes the fields of an event. It is compiled, as the mappers of `event-rows.ts` are.
 * @param shortText makes the texts whose length is limited
 */
export const fieldsMapper = (shortText = textOrNull): ((values: RowValues) => AuditEvent) =>
  new Function('text', 'time', 'shortText', `return (row) => ({ ${OBJECT} });`)(
    ...[textOrNull, eventTimeOf, shortText],
  );

/** Stored JSON. */
export const storedAdditional = (values: RowValues): string => values.at(-1) ?? '{}';

export const additionalOf = (values: RowValues): Readonly<Record<string, JsonScalar>> =>
  parseStoredJson(storedAdditional(values));
