import { useLocalStorage } from '@mantine/hooks';
import { COLUMNS_DEFAULT, type Column, isColumn } from './explore-state';

/** Widths of columns in pixels. A column without one is as wide as what it holds. */
export const COLUMN_WIDTH = { least: 60, usual: 160, most: 900, step: 40 } as const;

export type Widths = Partial<Readonly<Record<Column, number>>>;

export const boundedWidth = (px: number): number =>
  Math.round(Math.min(COLUMN_WIDTH.most, Math.max(COLUMN_WIDTH.least, px)));

/** Which columns the list of events has in this browser and in which order, where the address names none. */
export function useOwnColumns(): [readonly Column[], (columns: readonly Column[]) => void] {
  const [kept, keep] = useLocalStorage<readonly string[]>({
    key: 'columns',
    defaultValue: COLUMNS_DEFAULT,
    getInitialValueInEffect: false,
  });
  const known = Array.isArray(kept) ? kept.filter(isColumn) : [];
  return [known.includes('eventTime') ? known : COLUMNS_DEFAULT, keep];
}

/** How wide a person has made columns in this browser. Null makes one as wide as what it holds. */
export function useColumnWidths(): [Widths, (column: Column, width: number | null) => void] {
  const [kept, keep] = useLocalStorage<Readonly<Record<string, unknown>>>({
    key: 'column-widths',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const given = Object.entries(kept && typeof kept === 'object' ? kept : {});
  const widths: Widths = Object.fromEntries(
    given.flatMap(([column, width]) =>
      isColumn(column) && typeof width === 'number' ? [[column, boundedWidth(width)]] : [],
    ),
  );
  const set = (column: Column, width: number | null) => {
    const others = Object.entries(widths).filter(([each]) => each !== column);
    keep(Object.fromEntries(width === null ? others : [...others, [column, boundedWidth(width)]]));
  };
  return [widths, set];
}

/** The columns with one of them moved to the place of another. */
export function moved(columns: readonly Column[], from: Column, to: Column): readonly Column[] {
  const place = columns.indexOf(to);
  if (from === to || place < 0 || !columns.includes(from)) return columns;
  const others = columns.filter((column) => column !== from);
  return [...others.slice(0, place), from, ...others.slice(place)];
}
