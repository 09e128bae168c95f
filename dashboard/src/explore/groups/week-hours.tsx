import { useClient } from 'urql';
import { WeekHoursDocument } from '../../../generated/operations';
import { noAnswer } from '../../api/errors';
import { HeatTable } from '../../lib/heat-table';
import { useTexts } from '../../lib/language';
import { formatTime, HOUR_MS, zoneName } from '../../lib/time';
import { useAnswer } from '../../lib/use-answer';
import { Failed, Loading } from '../../shell/states';
import { EXPLORE } from '../texts';
import { fixedRange } from '../time-range';
import { ChartHead } from './chart-head';
import type { ChartProps } from './chart-props';
import { markHref } from './group-links';
import { type WeekHour, weekHoursCsv, weekHoursOf } from './week-hours-data';

const two = (n: number) => String(n).padStart(2, '0');
const CLOCK = Array.from({ length: 24 }, (_, hour) => ({ key: two(hour), heading: two(hour) }));

/** Events by the hours of the week. A cell leads to the hour of the range with the most of its events. */
export function WeekHours({ filter, state, zone, controls }: ChartProps) {
  const t = useTexts(EXPLORE);
  const client = useClient();
  const timeZone = zoneName(zone);
  const { answer, error } = useAnswer({ ...filter, timeZone }, async (of) => {
    const { data, error: failure } = await client.query(WeekHoursDocument, of).toPromise();
    if (failure || !data) throw failure ?? noAnswer();
    return data.auditWeekHours;
  });
  const hours = answer ? weekHoursOf(answer) : [];
  const total = hours.reduce((sum, { events }) => sum + events, 0);
  const weekdays = t.weekdays.split(' ');
  const labelOf = ({ weekday, clock, events, busiest, busiestTime }: WeekHour) => {
    const text = t.hourOf(weekdays[weekday] ?? '', two(clock), events);
    return busiest < events ? `${text}, ${t.busiestHour(formatTime(busiestTime, zone), busiest)}` : text;
  };
  const hrefOf = ({ busiestTime }: WeekHour) => {
    const from = Date.parse(busiestTime);
    return markHref(state, { range: fixedRange(from, from + HOUR_MS) });
  };
  return (
    <>
      <ChartHead
        controls={controls}
        extent={answer && t.hoursExtent(total, timeZone)}
        csv={answer && (() => weekHoursCsv(answer, timeZone))}
      />
      {error && <Failed error={error} />}
      {!answer && !error && <Loading what={t.theGroups} rows={1} height={300} />}
      {total > 0 && (
        <HeatTable
          kind="hours"
          caption={t.moveByArrows}
          columns={CLOCK}
          rows={weekdays.map((heading, weekday) => ({
            key: heading,
            heading,
            cells: hours
              .filter((hour) => hour.weekday === weekday)
              .map((hour) => ({
                key: `${weekday} ${hour.clock}`,
                events: hour.events,
                label: labelOf(hour),
                href: hour.events > 0 ? hrefOf(hour) : null,
              })),
          }))}
        />
      )}
    </>
  );
}
