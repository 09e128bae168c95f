import { Button, Group, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useClient } from 'urql';
import { NUMBER_FIELDS, type NumberField } from '../../../../src/event/fields';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import { useAnswer } from '../../lib/use-answer';
import { useStable } from '../../lib/use-stable';
import { Failed, Loading } from '../../shell/states';
import type { ExploreFilter } from '../explore-filter';
import { numberFieldOf } from '../explore-state';
import { FACET_FIELDS, type FacetField, isFacetField } from '../facets/facet-field';
import { only } from '../filter/edit';
import { EXPLORE } from '../texts';
import { type GroupOrder, loadGroups, orderBy } from './group-rows';
import { GroupTable } from './group-table';
import { GroupsAsCsv } from './groups-as-csv';

interface Props {
  readonly filter: ExploreFilter;
  readonly by: readonly [FacetField, FacetField | null];
  readonly sumOf: NumberField | null;
  readonly onSumOf: (sumOf: NumberField | null) => void;
  readonly onBy: (first: FacetField | null, second: FacetField | null) => void;
  readonly onText: (text: string) => void;
}

const ROWS_MAX = 50;
const LARGEST: GroupOrder = { sortBy: 'count', descending: true };

/** The events by the values of one or two fields, beside the period before. */
export function GroupPanel({ filter, by: [first, second], sumOf, onBy, onSumOf, onText }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const client = useClient();
  const [given, setOrder] = useState(LARGEST);
  const fields = second ? [first, second] : [first];
  // The order by a field that is no longer among those of the groups, or by sums that are not asked for, means nothing.
  const isOfFields = !isFacetField(given.sortBy) || fields.includes(given.sortBy);
  const order = isOfFields && (given.sortBy !== 'sum' || sumOf) ? given : LARGEST;
  // Another order of the same groups is not another question: they stay until it is answered.
  const question = useStable({ filter, fields, sumOf });
  const asked = useAnswer({ question, order }, ({ question: of, order: by }) =>
    loadGroups(client, of.filter, { fields: of.fields, sumOf: of.sumOf, ...by, limit: ROWS_MAX }),
  );
  const known = asked.question?.question === question ? asked : null;
  const options = FACET_FIELDS.map((field) => ({ value: field, label: labels[field] }));
  const chosen = (text: string) => (isFacetField(text) ? text : null);
  return (
    <section aria-label={t.byGroup}>
      <Group gap="xs" mb="xs">
        <NativeSelect
          aria-label={t.groupBy}
          size="xs"
          data={options}
          value={first}
          onChange={(event) => onBy(chosen(event.currentTarget.value), second)}
        />
        <NativeSelect
          aria-label={t.andBy}
          size="xs"
          data={[{ value: '', label: t.andNothing }, ...options.filter(({ value }) => value !== first)]}
          value={second ?? ''}
          onChange={(event) => onBy(first, chosen(event.currentTarget.value))}
        />
        <NativeSelect
          aria-label={t.addUp}
          size="xs"
          data={[
            { value: '', label: t.noSum },
            ...NUMBER_FIELDS.map((field) => ({ value: field, label: t.sumOf(labels[field]) })),
          ]}
          value={sumOf ?? ''}
          onChange={(event) => onSumOf(numberFieldOf(event.currentTarget.value))}
        />
        <Button size="xs" variant="default" onClick={() => onBy(null, null)}>
          {t.showEvents}
        </Button>
        <GroupsAsCsv key={JSON.stringify(question)} filter={filter} asked={{ fields, sumOf, ...order }} />
      </Group>
      {!known && <Loading what={t.theGroups} />}
      {known?.error && <Failed error={known.error} />}
      {known?.answer && (
        <GroupTable
          fields={fields}
          sumOf={sumOf}
          groups={known.answer}
          order={order}
          onSort={(sortBy) => setOrder(orderBy(sortBy, order))}
          onChoose={(values) =>
            onText(
              values.reduce<string>(
                (text, value, i) => only(text, fields[i] ?? first, value),
                filter.filter ?? '',
              ),
            )
          }
        />
      )}
    </section>
  );
}
