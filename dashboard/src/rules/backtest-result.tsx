import { Anchor, Table, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { BacktestFieldsFragment } from '../../generated/operations';
import { aroundHref, eventsHref } from '../alerts/explore-links';
import { groupText } from '../alerts/group-text';
import { showHidden } from '../explore/event/marks';
import { HistogramChart } from '../explore/histogram-chart';
import { COMMON } from '../lib/common';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { serviceNowMs } from '../lib/service-clock';
import { DAY_MS, dayStart, formatTime } from '../lib/time';
import { RULES } from './texts';

const nothing = () => {};
const NOTHING_MISSING = [] as const;

/** Findings by day, as a chart and in numbers, and the first findings with their events. */
export function BacktestResult({
  test,
  days,
}: {
  readonly test: BacktestFieldsFragment;
  readonly days: number;
}) {
  const t = useTexts(RULES);
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const [zone] = useTimeZone();
  const histogram = useMemo(() => histogramOf(test.days, days), [test.days, days]);
  return (
    <>
      <HistogramChart
        histogram={histogram}
        missing={NOTHING_MISSING}
        zone="UTC"
        onZoom={nothing}
        onHover={nothing}
      />
      <Table fz="sm" aria-label={t.byDay}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.dayUtc}</Table.Th>
            <Table.Th ta="right">{common.findings}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {test.days.map(({ day, findings }) => (
            <Table.Tr key={day}>
              <Table.Td>{day}</Table.Td>
              <Table.Td ta="right">{formatCount(findings)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" fw={600}>
        {t.firstOnes}
      </Text>
      {test.examples.map((example) => (
        <div key={`${example.recordIds[0]} ${example.lastEventTime}`}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {t.example(formatTime(example.lastEventTime, zone), example.eventCount)}
            {groupText(example.group, labels, common.notCaptured) &&
              `, ${showHidden(groupText(example.group, labels, common.notCaptured))}`}
          </Text>
          <Anchor component={Link} size="sm" href={eventsHref(example.recordIds, example)}>
            {t.itsEvents}
          </Anchor>{' '}
          <Anchor component={Link} size="sm" href={aroundHref(example, null)} ms="sm">
            {common.whatHappenedAround}
          </Anchor>
        </div>
      ))}
    </>
  );
}

/** Each day of the range, also without findings. The chart draws findings in the colour of failures. */
function histogramOf(found: BacktestFieldsFragment['days'], days: number) {
  const last = Math.max(dayStart(serviceNowMs(), 'UTC'), ...found.map(({ day }) => Date.parse(day)));
  const first = Math.min(last - days * DAY_MS, ...found.map(({ day }) => Date.parse(day)));
  const counts = new Map(found.map(({ day, findings }) => [Date.parse(day), findings]));
  const starts = Array.from({ length: (last - first) / DAY_MS + 1 }, (_, i) => first + i * DAY_MS);
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    startTime: time(first),
    endTime: time(last + DAY_MS),
    bucketSeconds: DAY_MS / 1000,
    timeZone: null,
    buckets: starts.map((ms) => ({
      start: time(ms),
      end: time(ms + DAY_MS),
      succeeded: 0,
      failed: counts.get(ms) ?? 0,
    })),
  };
}
