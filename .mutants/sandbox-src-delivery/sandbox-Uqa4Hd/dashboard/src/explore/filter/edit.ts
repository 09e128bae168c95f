import type { ExpressionField } from '../../../../src/event/expression/expression';
import { joinParts, type Part, partsOf, type Selection, textOf } from './parts';

type Value = string | null;

/** The values of one field that a filter includes and excludes. */
export interface Choice {
  readonly included: readonly Value[];
  readonly excluded: readonly Value[];
}

export function choiceOf(filter: string, field: ExpressionField): Choice {
  const own = partsOf(filter).flatMap(({ selection }) => (selection?.field === field ? [selection] : []));
  const values = (isExcluded: boolean) => [
    ...new Set(own.filter((each) => each.isExcluded === isExcluded).flatMap((each) => each.values)),
  ];
  return { included: values(false), excluded: values(true) };
}

/** The filter with another choice of one field, in the place of the former one. */
export function withChoice(filter: string, field: ExpressionField, { included, excluded }: Choice): string {
  const parts = partsOf(filter);
  const isOwn = (part: Part) => part.selection?.field === field;
  const texts = [selection(field, included, false), selection(field, excluded, true)]
    .filter(({ values }) => values.length > 0)
    .map((each) => ({ text: textOf(each) }));
  const at = parts.findIndex(isOwn);
  const others = (from: number, to: number) => parts.slice(from, to).filter((part) => !isOwn(part));
  const kept = at < 0 ? [...parts, ...texts] : [...others(0, at), ...texts, ...others(at, parts.length)];
  return joinParts(kept);
}

const selection = (field: ExpressionField, values: readonly Value[], isExcluded: boolean): Selection => ({
  field,
  values,
  isExcluded,
});

/** The filter without its choice of the field, by which the field's other values are counted. */
export const withoutField = (filter: string, field: ExpressionField): string =>
  withChoice(filter, field, { included: [], excluded: [] });

/** Adds a value to the included ones, or removes it from them. */
export function toggleIncluded(filter: string, field: ExpressionField, value: Value): string {
  const { included, excluded } = choiceOf(filter, field);
  return withChoice(filter, field, {
    included: included.includes(value) ? without(included, value) : [...included, value],
    excluded: without(excluded, value),
  });
}

/** Adds a value to the excluded ones, or removes it from them. */
export function toggleExcluded(filter: string, field: ExpressionField, value: Value): string {
  const { included, excluded } = choiceOf(filter, field);
  return withChoice(filter, field, {
    included: without(included, value),
    excluded: excluded.includes(value) ? without(excluded, value) : [...excluded, value],
  });
}

/** Includes only this value of the field. */
export const only = (filter: string, field: ExpressionField, value: Value): string =>
  withChoice(filter, field, { included: [value], excluded: [] });

/** Excludes a value, whatever was chosen before. */
export function exclude(filter: string, field: ExpressionField, value: Value): string {
  return choiceOf(filter, field).excluded.includes(value) ? filter : toggleExcluded(filter, field, value);
}

const without = (values: readonly Value[], value: Value) => values.filter((each) => each !== value);
