import { Text, Title } from '@mantine/core';
import { COMMON } from '../lib/common';
import classes from '../lib/facts.module.css';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { Entity } from './entity';
import type { Span } from './explore-links';
import { ALERTS } from './texts';
import type { FindingEvent } from './use-finding-events';

const FIELDS = [
  ...(['serverPrincipalName', 'clientIp', 'hostName'] as const),
  ...(['serverInstanceName', 'databaseName', 'objectName'] as const),
];
const VALUES_MAX = 8;

/** The people and objects of the events. Each links to its events within an hour before and after. */
export function Entities({
  events,
  span,
}: {
  readonly events: readonly FindingEvent[];
  readonly span: Span;
}) {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(ALERTS);
  const rows = FIELDS.map((field) => ({ field, values: countsOf(events, field) })).filter(
    ({ values }) => values.length > 0,
  );
  return (
    <section aria-labelledby="entities">
      <Title order={2} size="h5" id="entities" mb="xs">
        {t.whoAndWhat}
      </Title>
      <dl className={classes.facts}>
        {rows.map(({ field, values }) => (
          <div key={field}>
            <dt>{labels[field]}</dt>
            {values.slice(0, VALUES_MAX).map(([value, count]) => (
              <dd key={value}>
                <Entity field={field} value={value} span={span} />{' '}
                <Text span size="xs" c="dimmed">
                  {formatCount(count)}
                </Text>
              </dd>
            ))}
            {values.length > VALUES_MAX && <dd>{common.andMore(values.length - VALUES_MAX)}</dd>}
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The values of a field with the number of events that have each, the most frequent first. */
function countsOf(events: readonly FindingEvent[], field: (typeof FIELDS)[number]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { [field]: value } of events) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
