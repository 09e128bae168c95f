import { Button, Collapse, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { memo } from 'react';
import type { UseQueryState } from 'urql';
import type { FacetsQuery } from '../../generated/operations';
import { FIELD_LABELS } from '../lib/field-labels';
import { formatCount } from '../lib/numbers';
import { Failed, Loading } from '../shell/states';
import classes from './explore.module.css';
import type { ExploreState } from './explore-state';
import { choiceOf } from './facet-choice';
import { OUTCOMES } from './outcome';
import type { Change } from './use-explore-state';

type Facet = FacetsQuery['auditFacets']['facets'][number];
type FacetValue = NonNullable<Facet['values']>[number];

interface Props {
  readonly result: UseQueryState<FacetsQuery>;
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
  readonly retry: () => void;
}

/** The values of the most telling fields with their counts; one that is chosen filters, and chosen again no more. */
export const FacetPanel = memo(function FacetPanel({ result, state, change, retry }: Props) {
  const isNarrow = useMediaQuery('(max-width: 62em)');
  const [isOpen, { toggle }] = useDisclosure();
  const facets = result.data?.auditFacets.facets;
  return (
    <section className={classes.facets} aria-label="Counts by field">
      {isNarrow && (
        <Button variant="default" size="xs" fullWidth onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? 'Hide counts by field' : 'Filter by field'}
        </Button>
      )}
      <Collapse expanded={!isNarrow || isOpen}>
        {result.error ? (
          <Failed error={result.error} retry={retry} />
        ) : facets ? (
          <Stack gap="md" mt={isNarrow ? 'xs' : 0}>
            {facets.map((facet) => (
              <FacetList key={facet.field} facet={facet} state={state} change={change} />
            ))}
          </Stack>
        ) : (
          <Loading what="counts" />
        )}
      </Collapse>
    </section>
  );
});

function FacetList(props: { readonly facet: Facet } & Pick<Props, 'state' | 'change'>) {
  const { facet, state, change } = props;
  const values = facet.values ?? [];
  const largest = Math.max(1, ...values.map(countOf));
  const more = (facet.distinct ?? 0) - values.length;
  return (
    <div>
      <Title order={2} size="sm" mb={4}>
        {FIELD_LABELS[facet.field as keyof typeof FIELD_LABELS]}
      </Title>
      {values.map((item) => {
        const choice = choiceOf(facet.field, item.value, state);
        return (
          <div key={item.value ?? ''}>
            <UnstyledButton
              className={classes.facetValue}
              disabled={choice === null}
              aria-pressed={choice?.isChosen}
              onClick={() => choice && change(choice.change)}
            >
              <Text span size="sm" truncate title={item.value ?? undefined}>
                {labelOf(facet.field, item)}
              </Text>
              <Text span size="sm" c="dimmed">
                {formatCount(countOf(item))}
              </Text>
            </UnstyledButton>
            <div className={classes.facetBar} style={{ width: `${(countOf(item) / largest) * 93}%` }} />
          </div>
        );
      })}
      {values.length === 0 && (
        <Text size="sm" c="dimmed">
          {facet.distinct === null ? 'Too many events to count: choose a shorter time range.' : 'None'}
        </Text>
      )}
      {more > 0 && (
        <Text size="xs" c="dimmed" px={9}>
          and {formatCount(more)} more
        </Text>
      )}
    </div>
  );
}

const countOf = ({ succeeded, failed }: FacetValue): number => succeeded + failed;

function labelOf(field: string, { value, name }: FacetValue): string {
  if (value === null) return '(none)';
  if (field === 'succeeded') return OUTCOMES[value] ?? value;
  return name ? `${value} · ${name}` : value;
}
