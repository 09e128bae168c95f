import type { Expression, ExpressionField } from '../../../../src/event/expression/expression';
import { parseFilter } from '../../../../src/event/expression/parse-filter';
import { Scanner } from '../../../../src/event/expression/scanner';
import { fieldText, quoteValue } from './value-text';

/** The included or excluded values of a field. Null: absent. */
export interface Selection {
  readonly field: ExpressionField;
  readonly values: readonly (string | null)[];
  readonly isExcluded: boolean;
}

/** One of the conditions of a filter, which are joined by AND. */
export interface Part {
  readonly text: string;
  /** Null: it is of another kind. */
  readonly selection: Selection | null;
}

/** The conditions of a filter as they were typed. An invalid filter, or one that is an OR as a whole, is one part. */
export function partsOf(text: string): readonly Part[] {
  const whole = text.trim();
  if (whole === '') return [];
  if ('problem' in parseFilter(whole)) return [{ text: whole, selection: null }];
  const texts = split(whole) ?? [`(${whole})`];
  return texts.map((part) => ({ text: part, selection: selectionOf(part) }));
}

export const joinParts = (parts: readonly { readonly text: string }[]): string =>
  parts.map(({ text }) => text).join(' AND ');

/** The text of a selection, as one condition. */
export function textOf({ field, values, isExcluded }: Selection): string {
  const name = fieldText(field);
  const present = values.flatMap((value) => (value === null ? [] : [quoteValue(value)]));
  if (present.length === 0) return isExcluded ? `${name}:*` : `NOT ${name}:*`;
  const equal = present.length === 1 ? `${name}:${present[0]}` : `${name}:(${present.join(' OR ')})`;
  const any = present.length < values.length ? `(${equal} OR NOT ${name}:*)` : equal;
  return isExcluded ? `NOT ${any}` : any;
}

/** Null: its parts are joined by OR. @param text a valid filter */
function split(text: string): string[] | null {
  const scan = new Scanner(text);
  const parts: string[] = [];
  for (;;) {
    scan.skipSpaces();
    if (scan.next === '') return parts;
    if (scan.operator() === 'OR') return null;
    if (scan.takeOperator('AND')) continue;
    const start = scan.at;
    passNegations(scan);
    passTerm(scan, false);
    parts.push(text.slice(start, scan.at));
  }
}

function passNegations(scan: Scanner): void {
  do scan.skipSpaces();
  while (scan.takeOperator('NOT') || scan.take('-'));
}

/** @param isValue within the parentheses of a field */
function passTerm(scan: Scanner, isValue: boolean): void {
  if (scan.next === '(') passGroup(scan, isValue);
  else if (scan.next === '"') passQuoted(scan);
  else if (isValue) scan.value();
  else passNamed(scan);
}

function passNamed(scan: Scanner): void {
  const start = scan.at;
  const border = scan.word().search(/[:~]/);
  if (border < 0) return;
  scan.at = start + border + 1;
  passTerm(scan, true);
}

function passQuoted(scan: Scanner): void {
  scan.quoted();
  scan.take('*');
}

function passGroup(scan: Scanner, isValue: boolean): void {
  scan.take('(');
  for (;;) {
    scan.skipSpaces();
    if (scan.take(')') || scan.next === '') return;
    if (scan.takeOperator('AND') || scan.takeOperator('OR') || scan.takeOperator('NOT') || scan.take('-'))
      continue;
    passTerm(scan, isValue);
  }
}

function selectionOf(text: string): Selection | null {
  const parsed = parseFilter(text);
  return 'problem' in parsed ? null : selected(parsed.expression);
}

function selected(expression: Expression): Selection | null {
  if (expression.kind === 'not') {
    const inner = selected(expression.of);
    return inner && { ...inner, isExcluded: !inner.isExcluded };
  }
  if (expression.kind === 'or') {
    const [first, ...others] = expression.of.map(selected);
    if (!first || first.isExcluded) return null;
    if (others.some((other) => other?.field !== first.field || other.isExcluded)) return null;
    return { ...first, values: [first, ...others].flatMap((each) => each?.values ?? []) };
  }
  if (expression.kind !== 'field' || expression.isFolded) return null;
  const { field, how, text } = expression;
  if (how === 'present') return { field, values: [null], isExcluded: true };
  return how === 'equals' ? { field, values: [text], isExcluded: false } : null;
}
