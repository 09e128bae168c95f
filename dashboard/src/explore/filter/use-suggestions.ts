import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { FacetsDocument } from '../../../generated/operations';
import { FIELD_LABELS } from '../../lib/field-labels';
import { formatCount } from '../../lib/numbers';
import { showValue } from '../event/marks';
import type { ExploreFilter } from '../explore-filter';
import { isFacetField } from '../facets/facet-field';
import { OUTCOMES } from '../outcomes';
import { fieldInsert, fieldsLike, type Typed, valueInsert } from './completion';

export interface Suggestion {
  /** The text that replaces the typed part. */
  readonly insert: string;
  readonly label: string;
  readonly note: string;
}

const WAIT_MS = 150;
const VALUES_MAX = 8;

/** Names of fields, or values that events of the time range have. */
export function useSuggestions(
  typed: Typed | null,
  { startTime, endTime }: ExploreFilter,
): readonly Suggestion[] {
  const client = useClient();
  const field = typed?.kind === 'value' && isFacetField(typed.field) ? typed.field : null;
  const text = typed?.typed ?? '';
  const key = `${field}:${text}`;
  const [values, setValues] = useState<{ key: string; of: readonly Suggestion[] }>({ key: '', of: [] });
  useEffect(() => {
    if (!field || field === 'succeeded') return;
    let isOver = false;
    const ask = async () => {
      const variables = { startTime, endTime, fields: [field], limit: VALUES_MAX };
      const asked = { ...variables, ...(text ? { contains: text } : {}) };
      const { data } = await client.query(FacetsDocument, asked).toPromise();
      // What can't be suggested can be typed.
      const found = data?.auditFacets.facets[0]?.values ?? [];
      if (!isOver) setValues({ key: `${field}:${text}`, of: found.flatMap(suggestionOf) });
    };
    const timer = setTimeout(ask, WAIT_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, field, text, startTime, endTime]);

  if (typed?.kind === 'field')
    return fieldsLike(typed.typed).map((each) => ({
      insert: fieldInsert(each),
      label: fieldInsert(each),
      note: FIELD_LABELS[each],
    }));
  if (field === 'succeeded')
    return Object.entries(OUTCOMES).map(([value, note]) => ({ insert: value, label: value, note }));
  return field && values.key === key ? values.of : [];
}

interface Value {
  readonly value: string | null;
  readonly name: string | null;
  readonly succeeded: number;
  readonly failed: number;
}

function suggestionOf({ value, name, succeeded, failed }: Value): Suggestion[] {
  if (value === null) return [];
  const note = [name, formatCount(succeeded + failed)].filter(Boolean).join(' · ');
  return [{ insert: valueInsert(value), label: showValue(value), note }];
}
