import { useClient } from 'urql';
import { FacetsDocument } from '../../../generated/operations';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import { formatCount } from '../../lib/numbers';
import { useAnswer } from '../../lib/use-answer';
import { showValue } from '../event/marks';
import type { ExploreFilter } from '../explore-filter';
import { isFacetField } from '../facets/facet-field';
import { outcomeText } from '../outcomes';
import { EXPLORE } from '../texts';
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
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const client = useClient();
  const field = typed?.kind === 'value' && isFacetField(typed.field) ? typed.field : null;
  const text = typed?.typed ?? '';
  const isAsked = field !== null && field !== 'succeeded';
  const { answer, isBusy } = useAnswer(
    isAsked ? { startTime, endTime, field, text } : null,
    async (asked, signal) => {
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      if (signal.aborted) return [];
      const variables = {
        startTime: asked.startTime,
        endTime: asked.endTime,
        fields: [asked.field],
        limit: VALUES_MAX,
        ...(asked.text ? { contains: asked.text } : {}),
      };
      const { data } = await client.query(FacetsDocument, variables).toPromise();
      // What can't be suggested can be typed.
      return (data?.auditFacets.facets[0]?.values ?? []).flatMap(suggestionOf);
    },
  );

  if (typed?.kind === 'field')
    return fieldsLike(typed.typed, labels).map((each) => ({
      insert: fieldInsert(each),
      label: fieldInsert(each),
      note: labels[each],
    }));
  if (field === 'succeeded')
    return ['true', 'false'].map((value) => ({ insert: value, label: value, note: outcomeText(value, t) }));
  return isAsked && !isBusy ? (answer ?? []) : [];
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
