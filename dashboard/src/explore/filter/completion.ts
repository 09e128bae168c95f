import {
  EXPRESSION_FIELDS,
  type ExpressionField,
  fieldNamed,
} from '../../../../src/event/expression/expression';
import type { FIELD_LABELS } from '../../lib/field-labels';
import type { In } from '../../lib/texts';
import { fieldText, quoteValue } from './value-text';

/** The name or value that is being typed at the caret, from `start` on. */
export type Typed =
  | { readonly kind: 'field'; readonly typed: string; readonly start: number }
  | {
      readonly kind: 'value';
      readonly field: ExpressionField;
      readonly typed: string;
      readonly start: number;
    };

const FIELD = /(?:^|[\s(-])([A-Za-z]+)$/;
/** The value may be one of several in parentheses, and its quotation mark may still be open. */
const VALUE = /(?:^|[\s(-])([A-Za-z]+)[:~](?:\((?:[^()]*[\s(])?)?("[^"]*|[^\s()"]*)$/;

/** Null: there is nothing to complete. */
export function typedAt(text: string, caret: number): Typed | null {
  const before = text.slice(0, caret);
  const [, name, value = ''] = VALUE.exec(before) ?? [];
  if (name !== undefined) {
    const field = fieldNamed(name);
    const start = caret - value.length;
    return field && { kind: 'value', field, typed: value.replace(/^"/, ''), start };
  }
  const [, typed] = FIELD.exec(before) ?? [];
  return typed === undefined ? null : { kind: 'field', typed, start: caret - typed.length };
}

/** The fields whose name or label contains the typed text; those that begin with it come first. */
export function fieldsLike(typed: string, labels: In<typeof FIELD_LABELS>): readonly ExpressionField[] {
  const wanted = typed.toLowerCase();
  const texts = (field: ExpressionField) =>
    [field, fieldText(field), labels[field]].map((each) => each.toLowerCase());
  const rank = (field: ExpressionField) => (texts(field).some((text) => text.startsWith(wanted)) ? 0 : 1);
  return EXPRESSION_FIELDS.filter((field) => texts(field).some((text) => text.includes(wanted))).toSorted(
    (a, b) => rank(a) - rank(b),
  );
}

export interface Completed {
  readonly text: string;
  readonly caret: number;
}

/** The text with a field's name or a value in place of its typed part. */
export function complete(text: string, caret: number, { start }: Typed, inserted: string): Completed {
  const rest = text.slice(caret).replace(/^[^\s()"]*"?/, '');
  const before = text.slice(0, start) + inserted;
  return { text: before + rest, caret: before.length };
}

export const fieldInsert = (field: ExpressionField): string => `${fieldText(field)}:`;
export const valueInsert = (value: string): string => quoteValue(value);
