import { EXPRESSION_FIELDS, type ExpressionField } from '../../../../src/event/expression/expression';
import { isLifted, type LiftedName } from '../../../../src/event/fields';

/** The fields by whose values events can be counted. */
export type FacetField = Exclude<ExpressionField, 'recordId' | 'statement' | LiftedName>;
export const FACET_FIELDS: readonly FacetField[] = EXPRESSION_FIELDS.filter(isFacetField);

export function isFacetField(name: string): name is FacetField {
  return (
    name !== 'recordId' &&
    name !== 'statement' &&
    !isLifted(name) &&
    (EXPRESSION_FIELDS as readonly string[]).includes(name)
  );
}
