import { EXPRESSION_FIELDS, type ExpressionField } from '../../../../src/event/expression/expression';

/** The fields by whose values events can be counted. */
export type FacetField = Exclude<ExpressionField, 'recordId' | 'statement'>;
export const FACET_FIELDS: readonly FacetField[] = EXPRESSION_FIELDS.filter(isFacetField);

export function isFacetField(name: string): name is FacetField {
  return (
    name !== 'recordId' && name !== 'statement' && (EXPRESSION_FIELDS as readonly string[]).includes(name)
  );
}
