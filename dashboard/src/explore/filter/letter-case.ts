import { type FacetField, isFacetField } from '../facets/facet-field';
import { choiceOf, withChoice } from './edit';
import { partsOf } from './parts';
import { fieldText, quoteValue } from './value-text';

/** A value that a filter asks for. */
export interface Wanted {
  readonly field: FacetField;
  readonly value: string;
}

/** Each takes a question to the service. */
const WANTED_MAX = 4;

/** The values that a filter's conditions ask for exactly, with letter case; at most four. */
export const wantedOf = (filter: string): readonly Wanted[] =>
  partsOf(filter)
    .flatMap(({ selection }) => {
      if (!selection || selection.isExcluded || !hasLetters(selection.field)) return [];
      const { field, values } = selection;
      return values.flatMap((value) => (value === null ? [] : [{ field, value }]));
    })
    .slice(0, WANTED_MAX);

const hasLetters = (field: string): field is FacetField =>
  isFacetField(field) && field !== 'succeeded' && field !== 'tenantId';

/** The filter for events with a value in any letter case. */
export const anyCase = ({ field, value }: Wanted): string => `${fieldText(field)}~${quoteValue(value)}`;

/** The filter with another value in place of the wanted one. */
export function withValue(filter: string, { field, value }: Wanted, other: string): string {
  const choice = choiceOf(filter, field);
  const included = choice.included.map((each) => (each === value ? other : each));
  return withChoice(filter, field, { ...choice, included: [...new Set(included)] });
}
