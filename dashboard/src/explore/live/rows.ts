/** The part of a row that its place depends on. */
export interface LiveRow {
  readonly recordId: string;
  /** ISO 8601, UTC, seven decimals. */
  readonly eventTime: string;
}

/** An event that came since the list was asked. */
export interface Came<T extends LiveRow> {
  readonly row: T;
  /** By the clock of the page. */
  readonly atMs: number;
}

/** Events that are kept and counted until the list is answered again, ten seconds later at most. */
export const CAME_MAX = 5_000;
/** How long a row is marked as new. */
const FRESH_MS = 4_000;

export const withNews = <T extends LiveRow>(
  came: readonly Came<T>[],
  rows: readonly T[],
  atMs: number,
): readonly Came<T>[] => [...came, ...rows.map((row) => ({ row, atMs }))].slice(-CAME_MAX);

/** What is not in the answer to a question: what came after it was asked, and is not in its rows either. */
export function notIn<T extends LiveRow>(
  listed: readonly T[],
  came: readonly Came<T>[],
  askedMs: number,
): readonly Came<T>[] {
  const known = new Set(listed.map(({ recordId }) => recordId));
  return came.filter(({ row, atMs }) => atMs > askedMs && !known.has(row.recordId));
}

/** The rows of the first page: newest first, each once. @param max the rows of a page */
export function mergedRows<T extends LiveRow>(
  listed: readonly T[],
  came: readonly Came<T>[],
  max: number,
): readonly T[] {
  if (came.length === 0) return listed;
  const rows = [...came.map(({ row }) => row), ...listed];
  return [...new Map(rows.map((row) => [row.recordId, row])).values()].sort(newestFirst).slice(0, max);
}

/** As the service sorts a list by time: by record id where times are the same. */
const newestFirst = (a: LiveRow, b: LiveRow): number =>
  compare(b.eventTime, a.eventTime) || compare(b.recordId, a.recordId);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The ids of the rows that came just now. */
export const freshIds = (came: readonly Came<LiveRow>[], nowMs: number): ReadonlySet<string> =>
  new Set(came.filter(({ atMs }) => nowMs - atMs < FRESH_MS).map(({ row }) => row.recordId));
