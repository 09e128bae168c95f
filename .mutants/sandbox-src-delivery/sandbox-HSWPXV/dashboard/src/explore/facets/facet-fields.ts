import { useLocalStorage } from '@mantine/hooks';
import { type FacetField, isFacetField } from './facet-field';

const FACETS_DEFAULT: readonly FacetField[] = [
  ...(['succeeded', 'actionId', 'serverPrincipalName', 'databaseName'] as const),
  ...(['objectName', 'hostName', 'serverInstanceName'] as const),
];

/** The fields that are counted beside the events: a reader's choice on this browser, in the order of the table. */
export function useFacetFields(): [readonly FacetField[], (fields: readonly FacetField[]) => void] {
  const [chosen, choose] = useLocalStorage<readonly string[]>({
    key: 'facet-fields',
    defaultValue: FACETS_DEFAULT,
    getInitialValueInEffect: false,
  });
  return [(Array.isArray(chosen) ? chosen : FACETS_DEFAULT).filter(isFacetField), choose];
}
