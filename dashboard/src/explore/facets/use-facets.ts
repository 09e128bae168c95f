import { useEffect, useMemo, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { FacetsDocument, type FacetsQuery, type FacetsQueryVariables } from '../../../generated/operations';
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

interface Answer {
  readonly key: string;
  readonly facets: readonly Facet[] | undefined;
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
  const [answer, setAnswer] = useState<Answer>({ key: '', facets: undefined, error: undefined });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list of the same fields is the same question
  const questions = useMemo(() => questionsOf(filter, fields), [filter, fields.join()]);
  const key = JSON.stringify([questions, times]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the questions
  useEffect(() => {
    if (pause) return;
    let isOver = false;
    const ask = (variables: FacetsQueryVariables) => client.query(FacetsDocument, variables).toPromise();
    Promise.all(questions.map(ask)).then((results) => {
      if (isOver) return;
      const facets = results.flatMap(({ data }) => data?.auditFacets.facets ?? []);
      setAnswer({ key, facets, error: results.find(({ error }) => error)?.error });
    });
    return () => {
      isOver = true;
    };
  }, [client, key, pause]);
  return { facets: answer.facets, error: answer.error, fetching: !pause && answer.key !== key };
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
