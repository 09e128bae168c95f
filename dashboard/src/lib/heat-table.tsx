import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { COMMON } from './common';
import classes from './heat-table.module.css';
import { useTexts } from './language';
import { formatCount } from './numbers';

export interface HeatCell {
  readonly key: string;
  readonly events: number;
  /** What it says to a pointer and to a screen reader. */
  readonly label: string;
  /** Null: no filter finds these events. */
  readonly href: string | null;
}

export interface HeatRow {
  readonly key: string;
  readonly heading: ReactNode;
  /** Null: there is no such place. */
  readonly cells: readonly (HeatCell | null)[];
}

interface Props {
  readonly caption: string;
  readonly columns: readonly { readonly key: string; readonly heading: ReactNode }[];
  readonly rows: readonly HeatRow[];
  /** The number of events that has the full colour; not given: the most of one cell. */
  readonly most?: number;
  /** Hours stand side by side, and below each other on a phone. Values have long headings. */
  readonly kind: 'hours' | 'values';
}

/** Events by two things, the more the darker. One stop of the keyboard: arrows move within. */
export function HeatTable({ caption, columns, rows, most, kind }: Props) {
  const [current, setCurrent] = useState<string | null>(null);
  const filled = rows.flatMap(({ cells }) => cells.filter((cell) => cell !== null && cell.events > 0));
  const full = Math.max(1, most ?? 0, ...(most === undefined ? filled.map((cell) => cell?.events ?? 0) : []));
  const stop = filled.some((cell) => cell?.key === current)
    ? current
    : filled.find((cell) => cell?.href)?.key;
  return (
    <>
      <table className={classes.heat} data-kind={kind} onKeyDown={moveByArrows}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            <td />
            {columns.map(({ key, heading }) => (
              <th key={key} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, heading, cells }) => (
            <tr key={key}>
              <th scope="row">{heading}</th>
              {cells.map((cell, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the place is the column
                <td key={i}>
                  {cell && cell.events > 0 && (
                    <Cell
                      cell={cell}
                      shade={shade(cell.events, full)}
                      isStop={cell.key === stop}
                      onFocus={() => setCurrent(cell.key)}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Legend full={full} />
    </>
  );
}

/** The shares of the full number that the legend shows. */
const LEGEND = [1 / 16, 1 / 4, 9 / 16, 1];

/** What the shades mean. */
function Legend({ full }: { readonly full: number }) {
  const common = useTexts(COMMON);
  return (
    <p className={classes.legend}>
      <span className="sr-only">{common.shades(formatCount(full))}</span>
      <span aria-hidden>0</span>
      {LEGEND.map((share) => (
        <i key={share} aria-hidden style={{ '--heat': `${shade(share, 1)}%` } as object} />
      ))}
      <span aria-hidden>{formatCount(full)}</span>
    </p>
  );
}

function Cell(props: {
  readonly cell: HeatCell;
  readonly shade: number;
  readonly isStop: boolean;
  readonly onFocus: () => void;
}) {
  const { cell, shade: heat, isStop, onFocus } = props;
  const style = { '--heat': `${heat}%` } as object;
  if (cell.href === null)
    return (
      <span role="img" aria-label={cell.label} title={cell.label} style={style}>
        {' '}
      </span>
    );
  return (
    <Link
      href={cell.href}
      tabIndex={isStop ? 0 : -1}
      onFocus={onFocus}
      aria-label={cell.label}
      title={cell.label}
      style={style}
    />
  );
}

/** From 15 to 100: by the square root, so that small numbers differ from each other too. */
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
