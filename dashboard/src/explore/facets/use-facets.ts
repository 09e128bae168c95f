import { type CombinedError, useClient } from 'urql';
import { FacetsDocument, type FacetsQuery, type FacetsQueryVariables } from '../../../generated/operations';
import { useAnswer } from '../../lib/use-answer';
import type { ExploreFilter } from '../explore-filter';
import { choiceOf, withoutField } from '../filter/edit';
import type { FacetField } from './facet-field';

export type Facet = FacetsQuery['auditFacets']['facets'][number];
export type FacetValue = NonNullable<Facet['values']>[number];

export interface Facets {
  /** The facets; while `fetching`, those of the previous question. */
  readonly facets: readonly Facet[] | undefined;
  readonly fetching: boolean;
  readonly error: CombinedError | undefined;
}

/**
 * The values of each field with their counts. A field with chosen values is counted as if none were chosen, so that its
 * other values stay visible.
 */
export function useFacets(asked: {
  readonly filter: ExploreFilter;
  readonly fields: readonly FacetField[];
  readonly pause: boolean;
  /** Another number: ask again. */
  readonly times: number;
}): Facets {
  const { filter, fields, pause, times } = asked;
  const client = useClient();
  const { answer, isBusy } = useAnswer(
    pause ? null : { questions: questionsOf(filter, fields), times },
    async ({ questions }) => {
      const ask = (variables: FacetsQueryVariables) => client.query(FacetsDocument, variables).toPromise();
      const results = await Promise.all(questions.map(ask));
      return {
        facets: results.flatMap(({ data }) => data?.auditFacets.facets ?? []),
        error: results.find(({ error }) => error)?.error,
      };
    },
  );
  return { facets: answer?.facets, error: answer?.error, fetching: isBusy };
}

function questionsOf(filter: ExploreFilter, fields: readonly FacetField[]): FacetsQueryVariables[] {
  const text = filter.filter ?? '';
  const isChosen = (field: FacetField) => {
    const { included, excluded } = choiceOf(text, field);
    return included.length + excluded.length > 0;
  };
  const plain = fields.filter((field) => !isChosen(field));
  const chosen = fields.filter(isChosen).map((field) => {
    const { filter: _, ...others } = filter;
    const rest = withoutField(text, field);
    return { ...others, ...(rest ? { filter: rest } : {}), fields: [field] };
  });
  return [...(plain.length > 0 ? [{ ...filter, fields: plain }] : []), ...chosen];
}
