import { type AnyField, AUDIT_EVENT_FIELDS, type FieldName, LIFTED_NAMES, LIST_FIELDS } from '../fields';
import { FILTER_NAMES, FILTERS } from '../filters';
import type { SearchTerm } from '../search';

/**
 * The conditions of the parameter `filter` on an event. Every part is true or false of every event, even of an event
 * that lacks the field, so `not` is the exact complement.
 */
export type Expression =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Expression[] }
  | { readonly kind: 'not'; readonly of: Expression }
  | FieldTerm
  | WordTerm;

/**
 * A condition on one field.
 * holds    the statement contains the text as a phrase of a search
 * between  the value is a number within the bounds
 * within   the value is an address within the network that the text names
 */
export interface FieldTerm {
  readonly kind: 'field';
  readonly field: ExpressionField;
  readonly how: 'equals' | 'begins' | 'present' | 'holds' | 'between' | 'within';
  /**
   * Empty only for `present`. For a boolean field it is `true` or `false`; a record id is in lower case. Bounds stand as
   * the language writes them.
   */
  readonly text: string;
  /** Whether letter case is folded on both sides. */
  readonly isFolded: boolean;
  /** Only of `between`. */
  readonly bounds?: Bounds;
}

/** The least and the largest number, both inclusive, as decimal texts. Null: there is no such bound. */
export interface Bounds {
  readonly from: string | null;
  readonly to: string | null;
}

/** A word, a beginning of a word or a phrase in any field, as in `search`. */
export interface WordTerm {
  readonly kind: 'words';
  readonly term: SearchTerm;
}

/**
 * Fields that an expression can name: those of a list item except times, the statement in place of its preview, and the
 * lifted fields.
 */
export type ExpressionField = Exclude<AnyField, 'eventTime'>;
export const EXPRESSION_FIELDS: readonly ExpressionField[] = [
  ...LIST_FIELDS.filter((name): name is Exclude<typeof name, 'eventTime'> => !isTime(name)),
  'statement',
  ...LIFTED_NAMES,
];

function isTime(name: FieldName): boolean {
  return AUDIT_EVENT_FIELDS[name].kind === 'time';
}

/** Fields by the names a caller may use, in lower case: their own, and those of the filters. */
const BY_NAME: ReadonlyMap<string, ExpressionField> = new Map([
  ...FILTER_NAMES.map((name) => [name.toLowerCase(), FILTERS[name].field] as const),
  ...EXPRESSION_FIELDS.map((name) => [name.toLowerCase(), name] as const),
]);

/** Null: there is no such field. @param name letter case is folded */
export const fieldNamed = (name: string): ExpressionField | null => BY_NAME.get(name.toLowerCase()) ?? null;

/** Every name that `fieldNamed` knows, as it is written in documents. */
export const EXPRESSION_NAMES: readonly string[] = [
  ...new Set<string>([...EXPRESSION_FIELDS, ...FILTER_NAMES]),
];

/** The condition that a field has a text. @param isFolded whether letter case makes no difference */
export const equals = (field: FieldTerm['field'], text: string, isFolded = false): FieldTerm => ({
  kind: 'field',
  field,
  how: 'equals',
  text,
  isFolded,
});

/** The condition that fields have these texts. One without a text is left out; null: none has a text. */
export const allEqual = (
  texts: Readonly<Partial<Record<ExpressionField, string | null>>>,
  isFolded = false,
): Expression | null =>
  allOf(
    Object.entries(texts).flatMap(([field, text]) =>
      text === null ? [] : [equals(field as ExpressionField, text, isFolded)],
    ),
  );

/** One expression that holds when all parts hold; null: there are no parts. */
export function allOf(parts: readonly Expression[]): Expression | null {
  const [first, second] = parts;
  if (first === undefined) return null;
  return second === undefined ? first : { kind: 'and', of: parts };
}

/** The terms of an expression, from left to right. */
export function termsOf(expression: Expression): readonly (FieldTerm | WordTerm)[] {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.of.flatMap(termsOf);
    case 'not':
      return termsOf(expression.of);
    default:
      return [expression];
  }
}
