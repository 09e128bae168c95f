import { Button, Collapse, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { memo, useRef } from 'react';
import { useTexts } from '../../lib/language';
import { useCommands } from '../../lib/use-commands';
import { Failed, Loading } from '../../shell/states';
import type { ExploreFilter } from '../explore-filter';
import { EXPLORE } from '../texts';
import { FacetChoice } from './facet-choice';
import type { FacetField } from './facet-field';
import { FacetList } from './facet-list';
import classes from './facets.module.css';
import type { Facets } from './use-facets';

interface Props {
  readonly result: Facets;
  readonly fields: readonly FacetField[];
  readonly onFields: (fields: readonly FacetField[]) => void;
  /** The text of the filter, and the function that changes it. */
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Of the whole view. */
  readonly filter: ExploreFilter;
  /** Whether the error is shown elsewhere. */
  readonly isToldElsewhere: boolean;
  readonly retry: () => void;
  /** Whether there is no room beside the events: the counts stand below a button. */
  readonly isNarrow: boolean;
}

/** The values of the chosen fields with their counts, to filter by or to exclude. */
export const FacetPanel = memo(function FacetPanel(props: Props) {
  const t = useTexts(EXPLORE);
  const { result, fields, onFields, text, onText, filter, isToldElsewhere, retry, isNarrow } = props;
  const [isOpen, { toggle, open }] = useDisclosure();
  const place = useRef<HTMLElement>(null);
  // Before the counts are there, the choice of fields is.
  const focus = () => {
    const [value, other] = ['fieldset input', 'button'].map((what) =>
      place.current?.querySelector<HTMLElement>(what),
    );
    (value ?? other)?.focus();
  };
  useCommands({
    fields: () => {
      open();
      setTimeout(focus);
    },
  });
  return (
    <section
      ref={place}
      className={classes.panel}
      aria-label={t.countsByField}
      data-narrow={isNarrow || undefined}
    >
      {isNarrow && (
        <Button variant="default" fullWidth onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? t.hideCounts : t.filterByField}
        </Button>
      )}
      <Collapse expanded={!isNarrow || isOpen} transitionDuration={0}>
        <Stack gap={6} mt={isNarrow ? 'xs' : 0}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" fw={600}>
              {t.countsBy}
            </Text>
            <FacetChoice fields={fields} onChange={onFields} />
          </Group>
          {result.error && !isToldElsewhere && <Failed error={result.error} retry={retry} />}
          {!result.facets && !result.error && <Loading what={t.counts} rows={24} height={24} />}
          {fields.map((field) => {
            const facet = result.facets?.find((each) => each.field === field);
            return (
              facet && (
                <FacetList
                  key={field}
                  field={field}
                  facet={facet}
                  text={text}
                  onText={onText}
                  filter={filter}
                />
              )
            );
          })}
        </Stack>
      </Collapse>
    </section>
  );
});
