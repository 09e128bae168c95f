import { type KeyboardEvent, useState } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../lib/language';
import type { In } from '../lib/texts';
import type { TimeZone } from '../lib/time';
import classes from './overview.module.css';
import { OVERVIEW } from './texts';
import { type Overview, type Square, squaresOf, weekdayIn, weekHref } from './week';

const CLOCK = Array.from({ length: 24 }, (_, hour) => hour);
const two = (n: number) => String(n).padStart(2, '0');
const keyOf = ({ weekday, clock }: Pick<Square, 'weekday' | 'clock'>) => `${weekday} ${clock}`;

/** Events by weekday and hour. One stop of the keyboard: arrows move within. */
export function HeatMap({ overview, zone }: { readonly overview: Overview; readonly zone: TimeZone }) {
  const t = useTexts(OVERVIEW);
  const rows = squaresOf(overview, zone);
  const most = Math.max(1, ...overview.hours);
  const [current, setCurrent] = useState<string | null>(null);
  const filled = rows.flatMap(({ squares }) => squares.filter((one) => one !== null && one.events > 0));
  const stop = filled.some((one) => one && keyOf(one) === current) ? current : filled[0] && keyOf(filled[0]);
  return (
    <table className={classes.heat} onKeyDown={moveByArrows}>
      <caption className="sr-only">{t.arrows}</caption>
      <thead>
        <tr>
          <td />
          {CLOCK.map((hour) => (
            <th key={hour} scope="col">
              {two(hour)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ weekday, squares }) => (
          <tr key={weekday}>
            <th scope="row">{weekdayIn(t.weekdays, weekday)}</th>
            {squares.map((square, hour) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the place is the hour
              <td key={hour}>
                {square && square.events > 0 && (
                  <Link
                    href={weekHref(overview, '', square)}
                    tabIndex={keyOf(square) === stop ? 0 : -1}
                    onFocus={() => setCurrent(keyOf(square))}
                    aria-label={labelOf(square, t)}
                    title={labelOf(square, t)}
                    style={{ '--heat': `${shade(square.events, most)}%` } as object}
                  />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const labelOf = ({ weekday, date, clock, events }: Square, t: In<typeof OVERVIEW>) =>
  t.hour(weekdayIn(t.weekdays, weekday), date, two(clock), events);

/** From 15 to 100: by the square root, so that quiet hours differ from each other too. */
const shade = (events: number, most: number) => Math.round(15 + 85 * Math.sqrt(events / most));

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
};

/** Moves the focus to the next link in the direction of an arrow key. */
function moveByArrows(event: KeyboardEvent<HTMLTableElement>): void {
  const step = STEPS[event.key];
  const cell = event.target instanceof Element ? event.target.closest('td') : null;
  const row = cell?.closest('tr');
  if (!step || !cell || !row) return;
  event.preventDefault();
  const { rows } = event.currentTarget;
  let [y, x] = [row.rowIndex + step[0], cell.cellIndex + step[1]];
  for (let next = rows[y]?.cells[x]; next; next = rows[y]?.cells[x]) {
    const link = next.querySelector('a');
    if (link) {
      link.focus();
      return;
    }
    y += step[0];
    x += step[1];
  }
}
