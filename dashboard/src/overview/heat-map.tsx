import { HeatTable } from '../lib/heat-table';
import { useTexts } from '../lib/language';
import type { In } from '../lib/texts';
import type { TimeZone } from '../lib/time';
import { OVERVIEW } from './texts';
import { type Overview, type Square, squaresOf, weekdayIn, weekHref } from './week';

const two = (n: number) => String(n).padStart(2, '0');
const CLOCK = Array.from({ length: 24 }, (_, hour) => ({ key: two(hour), heading: two(hour) }));

/** Events by weekday and hour. */
export function HeatMap({ overview, zone }: { readonly overview: Overview; readonly zone: TimeZone }) {
  const t = useTexts(OVERVIEW);
  const rows = squaresOf(overview, zone).map(({ weekday, squares }) => ({
    key: weekday,
    heading: weekdayIn(t.weekdays, weekday),
    cells: squares.map(
      (square) =>
        square && {
          key: `${square.weekday} ${square.clock}`,
          events: square.events,
          label: labelOf(square, t),
          href: weekHref(overview, '', square),
        },
    ),
  }));
  return (
    <HeatTable
      caption={t.arrows}
      columns={CLOCK}
      rows={rows}
      most={Math.max(...overview.hours, 0)}
      kind="hours"
    />
  );
}

const labelOf = ({ weekday, date, clock, events }: Square, t: In<typeof OVERVIEW>) =>
  t.hour(weekdayIn(t.weekdays, weekday), date, two(clock), events);
