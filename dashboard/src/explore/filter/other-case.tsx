import { Button, Text } from '@mantine/core';
import { type Client, useClient } from 'urql';
import { FacetsDocument } from '../../../generated/operations';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import { useAnswer } from '../../lib/use-answer';
import { showValue } from '../event/marks';
import type { ExploreFilter } from '../explore-filter';
import { EXPLORE } from '../texts';
import { anyCase, type Wanted, wantedOf, withValue } from './letter-case';

interface Offer {
  readonly wanted: Wanted;
  readonly value: string;
  readonly count: number;
  readonly isInRange: boolean;
}

interface Props {
  readonly filter: ExploreFilter;
  readonly onText: (text: string) => void;
}

/** Offers values that differ only in letter case from those that the filter asks for. */
export function OtherCase({ filter: { filter, startTime, endTime }, onText }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const client = useClient();
  const text = filter ?? '';
  const { answer, isBusy } = useAnswer({ text, startTime, endTime }, async (asked) => {
    const range = { startTime: asked.startTime, endTime: asked.endTime };
    const found = wantedOf(asked.text).map((wanted) => offersFor(client, wanted, range));
    return (await Promise.all(found)).flat();
  });
  const offers = isBusy ? [] : (answer ?? []);
  return offers.map(({ wanted, value, count, isInRange }) => (
    <Text key={`${wanted.field} ${value}`} size="sm">
      {t.otherCase(labels[wanted.field], count, isInRange)}{' '}
      <Button size="compact-xs" variant="default" onClick={() => onText(withValue(text, wanted, value))}>
        {showValue(value)}
      </Button>
    </Text>
  ));
}

/** The values in another letter case, of the time range, else of any time. Nothing where the wanted value itself exists. */
async function offersFor(client: Client, wanted: Wanted, range: ExploreFilter): Promise<readonly Offer[]> {
  const isBounded = range.startTime !== undefined || range.endTime !== undefined;
  for (const times of isBounded ? [range, {}] : [{}]) {
    const asked = { ...times, filter: anyCase(wanted), fields: [wanted.field] };
    const { data } = await client.query(FacetsDocument, asked).toPromise();
    const values = data?.auditFacets.facets[0]?.values ?? [];
    if (values.some(({ value }) => value === wanted.value)) return [];
    const offers = values.flatMap(({ value, succeeded, failed }) =>
      value === null
        ? []
        : [{ wanted, value, count: succeeded + failed, isInRange: !isBounded || times === range }],
    );
    if (offers.length > 0) return offers;
  }
  return [];
}
