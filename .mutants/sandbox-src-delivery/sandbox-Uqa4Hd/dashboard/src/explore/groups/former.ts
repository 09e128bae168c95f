import { LIMITS } from '../../../../src/limits';
import { problemOf } from '../explore-filter';
import type { FacetField } from '../facets/facet-field';
import { only, withChoice, withoutField } from '../filter/edit';
import { joinParts, partsOf } from '../filter/parts';

type Value = string | null;
interface Group {
  /** In the order of the fields; null: absent. */
  readonly values: readonly Value[];
}
type Counted = Group & { readonly count: number };

export const keyOf = ({ values }: Group): string => JSON.stringify(values);

/** Counts the events that match a filter by the values of a field, the largest count first. */
export type CountBy = (text: string, field: FacetField, limit: number) => Promise<readonly Counted[]>;

/**
 * How many events each group had in another period, by `keyOf`. The filter names the values of the groups, since a group
 * that is large now need not have been among the largest then. A group whose filter would be too long is left out.
 */
export async function countGroups(
  countBy: CountBy,
  text: string,
  [first, second]: readonly [FacetField, FacetField | null],
  groups: readonly Group[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const count = async (
    base: string,
    field: FacetField,
    outer: readonly Value[],
    values: readonly Value[],
  ) => {
    for (const some of portionsOf(base, field, values)) {
      const found = await countBy(chosen(base, field, some), field, some.length);
      const byValue = new Map(found.map((each) => [each.values[0], each.count]));
      for (const value of some) counts.set(keyOf({ values: [...outer, value] }), byValue.get(value) ?? 0);
    }
  };
  const outer = [...new Set(groups.map(({ values: [value = null] }) => value))];
  if (!second) await count(text, first, [], outer);
  else
    for (const value of outer) {
      const own = groups.filter(({ values: [each = null] }) => each === value);
      const inner = own.map(({ values: [, each = null] }) => each);
      await count(narrowed(text, first, value), second, [value], inner);
    }
  return counts;
}

/** The filter with only this value of the field, which the filter's own choice of the field already allows. */
export const narrowed = (text: string, field: FacetField, value: Value): string =>
  joinParts([...partsOf(withoutField(text, field)), ...partsOf(only('', field, value))]);

const chosen = (text: string, field: FacetField, included: readonly Value[]): string =>
  withChoice(text, field, { included, excluded: [] });

/** Lists of values, each as long as a filter can hold. */
function portionsOf(text: string, field: FacetField, values: readonly Value[]): readonly Value[][] {
  const fits = (some: readonly Value[]) => {
    const filter = chosen(text, field, some);
    return filter.length <= LIMITS.expressionCharsMax && problemOf(filter) === null;
  };
  const portions: Value[][] = [];
  for (const value of values) {
    const last = portions.at(-1);
    if (last && fits([...last, value])) last.push(value);
    else if (fits([value])) portions.push([value]);
  }
  return portions;
}
