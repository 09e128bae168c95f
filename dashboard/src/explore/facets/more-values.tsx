import { Button, Popover, ScrollArea, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import { LIMITS } from '../../../../src/limits';
import { FacetsDocument } from '../../../generated/operations';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import { Failed } from '../../shell/states';
import type { ExploreFilter } from '../explore-filter';
import { choiceOf, toggleExcluded, toggleIncluded, withoutField } from '../filter/edit';
import { EXPLORE } from '../texts';
import type { FacetField } from './facet-field';
import { FacetRow } from './facet-row';

interface Props {
  readonly field: FacetField;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly filter: ExploreFilter;
}

/** Opens a searchable list of all values of a field. */
export const MoreValues = ({ more, ...props }: Props & { readonly more: number }) => {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  return (
    <Popover trapFocus returnFocus position="right-start" shadow="md" width={300}>
      <Popover.Target>
        <Button variant="subtle" size="compact-xs" aria-label={t.moreOf(more, labels[props.field])}>
          {' '}
          {t.more(more)}{' '}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.valuesOf(labels[props.field])}>
        <SearchedValues {...props} />
      </Popover.Dropdown>
    </Popover>
  );
};

const WAIT_MS = 200;

function SearchedValues({ field, text, onText, filter }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const [typed, setTyped] = useState('');
  const [contains] = useDebouncedValue(typed.trim(), WAIT_MS);
  const { filter: _, ...others } = filter;
  const rest = withoutField(text, field);
  const [{ data, error, fetching }, ask] = useQuery({
    query: FacetsDocument,
    variables: {
      ...others,
      ...(rest ? { filter: rest } : {}),
      ...(contains ? { contains } : {}),
      fields: [field],
      limit: LIMITS.facetValuesMax,
    },
  });
  const choice = choiceOf(text, field);
  const facet = data?.auditFacets.facets[0];
  const values = facet?.values ?? [];
  const largest = Math.max(1, ...values.map(({ succeeded, failed }) => succeeded + failed));
  const more = (facet?.distinct ?? 0) - values.length;
  return (
    <>
      <TextInput
        aria-label={t.searchIn(labels[field])}
        placeholder={t.partOfValue}
        mb="xs"
        maxLength={LIMITS.filterCharsMax}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
      />
      {error && <Failed error={error} retry={ask} />}
      <ScrollArea.Autosize mah={320} aria-busy={fetching}>
        {values.map(({ value, name, succeeded, failed }) => (
          <FacetRow
            key={value ?? ''}
            field={field}
            value={value}
            name={name}
            count={succeeded + failed}
            share={(succeeded + failed) / largest}
            isIncluded={choice.included.includes(value)}
            isExcluded={choice.excluded.includes(value)}
            onInclude={() => onText(toggleIncluded(text, field, value))}
            onExclude={() => onText(toggleExcluded(text, field, value))}
          />
        ))}
        {facet && values.length === 0 && (
          <Text size="sm" c="dimmed">
            {t.noValueContains}
          </Text>
        )}
      </ScrollArea.Autosize>
      {more > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {t.largest(values.length)}
        </Text>
      )}
    </>
  );
}
