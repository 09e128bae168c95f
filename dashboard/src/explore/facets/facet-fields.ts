import { useLocalStorage } from '@mantine/hooks';
import { EXPRESSION_FIELDS, type ExpressionField } from '../../../../src/event/expression/expression';

/** The fields events can be counted by the values of. */
export type FacetField = Exclude<ExpressionField, 'recordId' | 'statement'>;
export const FACET_FIELDS: readonly FacetField[] = EXPRESSION_FIELDS.filter(isFacetField);
const FACETS_DEFAULT: readonly FacetField[] = [
  ...(['succeeded', 'actionId', 'serverPrincipalName', 'databaseName'] as const),
  ...(['objectName', 'hostName', 'serverInstanceName'] as const),
];

export function isFacetField(name: string): name is FacetField {
  return (
    name !== 'recordId' && name !== 'statement' && (EXPRESSION_FIELDS as readonly string[]).includes(name)
  );
}

/** The fields that are counted beside the events: a reader's choice on this browser, in the order of the table. */
export function useFacetFields(): [readonly FacetField[], (fields: readonly FacetField[]) => void] {
  const [chosen, choose] = useLocalStorage<readonly string[]>({
    key: 'facet-fields',
    defaultValue: FACETS_DEFAULT,
    getInitialValueInEffect: false,
  });
  return [(Array.isArray(chosen) ? chosen : FACETS_DEFAULT).filter(isFacetField), choose];
}
