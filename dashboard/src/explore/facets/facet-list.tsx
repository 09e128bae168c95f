import { Text } from '@mantine/core';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import type { ExploreFilter } from '../explore-filter';
import { choiceOf, toggleExcluded, toggleIncluded } from '../filter/edit';
import { EXPLORE } from '../texts';
import type { FacetField } from './facet-field';
import { FacetRow } from './facet-row';
import classes from './facets.module.css';
import { MoreValues } from './more-values';
import type { Facet } from './use-facets';

interface Props {
  readonly field: FacetField;
  readonly facet: Facet;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly filter: ExploreFilter;
}

/** The values of one field, the most frequent first. Chosen values stay, whatever their count. */
export function FacetList({ field, facet, text, onText, filter }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const choice = choiceOf(text, field);
  const values = facet.values ?? [];
  const chosen = [...choice.included, ...choice.excluded].filter(
    (each) => facet.values !== null && !values.some(({ value }) => value === each),
  );
  const largest = Math.max(1, ...values.map(({ succeeded, failed }) => succeeded + failed));
  const rowOf = (value: string | null, name: string | null, count: number | null) => (
    <FacetRow
      key={value ?? ''}
      field={field}
      value={value}
      name={name}
      count={count}
      share={(count ?? 0) / largest}
      isIncluded={choice.included.includes(value)}
      isExcluded={choice.excluded.includes(value)}
      onInclude={() => onText(toggleIncluded(text, field, value))}
      onExclude={() => onText(toggleExcluded(text, field, value))}
    />
  );
  const more = (facet.distinct ?? 0) - values.length;
  return (
    <fieldset className={classes.list}>
      <legend className={classes.legend}>{labels[field]}</legend>
      {values.map(({ value, name, succeeded, failed }) => rowOf(value, name, succeeded + failed))}
      {chosen.map((value) => rowOf(value, null, null))}
      {values.length === 0 && (
        <Text size="sm" c="dimmed">
          {facet.distinct === null ? t.tooMany : t.none}
        </Text>
      )}
      {more > 0 && <MoreValues field={field} more={more} text={text} onText={onText} filter={filter} />}
    </fieldset>
  );
}
