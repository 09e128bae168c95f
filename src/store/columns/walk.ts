import type { Row } from '../../database/clients';
import type { Ask } from './ask';
import type { ColumnField } from './column-fields';
import type { HourOfColumns } from './evaluate';
import { type Block, type Clock, ReadHour, type Wanted } from './hour-blocks';
import type { ReadOnce } from './read-once';
import { columnsStatement } from './statements';
import type { StoredHour } from './stored-hours';

/** Events of a portion, which is held in memory at once: some ten MB. */
const EVENTS_PER_PORTION = 300_000;
const HOURS_PER_PORTION = 1_000;

/** The hours of a tenant, as a question sees them. */
export interface WalkedHours {
  /** The same for all questions of a walk, as `once`, `tenantId` and `clock` are. */
  readonly ask: Ask;
  readonly once: ReadOnce;
  readonly tenantId: number;
  readonly clock: Clock;
  /** The columns that the filter needs. */
  readonly ownFields: readonly ColumnField[];
  /** Whether a bound of the range lies within the hour. */
  isCut(hour: number): boolean;
  /** Whether the hour has events that pass, as counts say. False: it may have some. */
  hasSome(hour: number): boolean;
  /**
   * The hours whose columns have to be looked at. Visits hours of which every event is meant, since their number is known.
   * @param unread gets the hours without columns
   */
  toWalk(visit: Omit<Visit, 'hours'>, unread: number[]): Promise<readonly StoredHour[]>;
  /** The events of an hour that pass; null: its columns cannot tell. */
  blockOf(hour: HourOfColumns): Block | null;
}

/** What a question wants of the hours of a tenant. */
export interface Visit {
  readonly hours: WalkedHours;
  readonly wanted: Wanted;
  readonly visit: (block: Block) => void;
  /** The hours that may have such events; not given: all. */
  readonly only?: ReadonlySet<number>;
}

/** An hour, and the questions that look at its columns. */
interface Stop extends StoredHour {
  readonly visits: number[];
}

interface Found {
  readonly at: number;
  readonly block: Block;
}

/**
 * Visits the hours of a tenant for several questions over the same range, one portion of hours at a time. A column is
 * fetched and read once, whoever wants it.
 * @returns for each question the hours whose events have to be read: they have no columns, or the columns cannot answer
 */
export async function walk(visits: readonly Visit[]): Promise<number[][]> {
  const unread = visits.map((): number[] => []);
  const portions = portionsOf(await stopsOf(visits, unread));
  let next = ownColumns(visits, portions[0] ?? []);
  for (const [i, portion] of portions.entries()) {
    const rows = await next;
    // The next portion is on its way while this one is worked on.
    next = ownColumns(visits, portions[i + 1] ?? []);
    next.catch(() => {});
    const waiting = await evaluate(visits, portion, rows, unread);
    await addFurther(visits, waiting);
    for (const [hour, blocks] of waiting)
      for (const { at, block } of blocks) {
        const { hours, wanted, visit } = visits[at] as Visit;
        await hours.clock.take();
        // A verdict may need no column of the filter, so a wanted column can be missing although the verdict is known.
        if (hasAll(hour, wanted)) visit(block);
        else unread[at]?.push(hour.hour);
      }
  }
  return unread;
}

async function stopsOf(visits: readonly Visit[], unread: readonly number[][]): Promise<Stop[]> {
  const stops = new Map<number, Stop>();
  for (const [at, one] of visits.entries())
    for (const stored of await one.hours.toWalk(one, unread[at] as number[])) {
      const stop = stops.get(stored.hour);
      if (stop) stop.visits.push(at);
      else stops.set(stored.hour, { ...stored, visits: [at] });
    }
  return [...stops.values()].sort((a, b) => a.hour - b.hour);
}

function portionsOf(stops: readonly Stop[]): Stop[][] {
  const portions: Stop[][] = [];
  let events = 0;
  for (const stop of stops) {
    const last = portions.at(-1);
    if (!last || last.length >= HOURS_PER_PORTION || events + stop.n > EVENTS_PER_PORTION) {
      portions.push([stop]);
      events = stop.n;
    } else {
      last.push(stop);
      events += stop.n;
    }
  }
  return portions;
}

/** The columns that the filters need. */
const ownColumns = (visits: readonly Visit[], stops: readonly Stop[]): Promise<ReadonlyMap<number, Row>> =>
  columnsOf(
    visits,
    stops.map(({ hour, visits: at }) => {
      const asking = at.map((one) => visits[one] as Visit);
      return {
        hour,
        fields: asking.flatMap(({ hours, wanted }) =>
          hours.hasSome(hour) ? [...hours.ownFields, ...wanted.fields] : hours.ownFields,
        ),
        hasTimes: asking.some(({ hours, wanted }) => wanted.hasTimes || hours.isCut(hour)),
      };
    }),
  );

/** The columns that are wanted besides, of hours with events that pass. */
async function addFurther(
  visits: readonly Visit[],
  found: ReadonlyMap<ReadHour, readonly Found[]>,
): Promise<void> {
  const asked = [...found].map(([read, blocks]) => ({
    hour: read.hour,
    fields: blocks
      .flatMap(({ at }) => (visits[at] as Visit).wanted.fields)
      .filter((field) => !read.has(field)),
    hasTimes: false,
  }));
  const rows = await columnsOf(
    visits,
    asked.filter(({ fields }) => fields.length > 0),
  );
  for (const read of found.keys()) read.add(rows.get(read.hour) ?? {});
}

/** One statement for all hours of which the same columns are wanted. */
async function columnsOf(
  [first]: readonly Visit[],
  asked: readonly {
    readonly hour: number;
    readonly fields: readonly ColumnField[];
    readonly hasTimes: boolean;
  }[],
): Promise<ReadonlyMap<number, Row>> {
  const { hours: of } = first as Visit;
  const alike = new Map<string, { fields: readonly ColumnField[]; hasTimes: boolean; hours: number[] }>();
  for (const { hour, fields, hasTimes } of asked) {
    const distinct = [...new Set(fields)].sort();
    const key = `${of.isCut(hour)} ${hasTimes} ${distinct}`;
    const same = alike.get(key);
    if (same) same.hours.push(hour);
    else alike.set(key, { fields: distinct, hasTimes, hours: [hour] });
  }
  const rows = new Map<number, Row>();
  for (const { fields, hasTimes, hours } of alike.values()) {
    const { ask, once, tenantId } = of;
    const isShared = once.hasSeveral && hours.every((hour) => of.isCut(hour));
    const read = isShared
      ? once.rows(tenantId, hours)
      : ask(columnsStatement(tenantId, hours, fields, hasTimes));
    for (const row of await read) rows.set(Number(row.hour), row);
  }
  return rows;
}

const hasAll = (hour: ReadHour, { fields }: Wanted) => fields.every((field) => hour.has(field));

/**
 * Evaluates the filters. A block whose columns are all there is visited at once, so that they are garbage soon.
 * @returns the other blocks with events that pass, by hour
 */
async function evaluate(
  visits: readonly Visit[],
  portion: readonly Stop[],
  rows: ReadonlyMap<number, Row>,
  unread: readonly number[][],
): Promise<ReadonlyMap<ReadHour, readonly Found[]>> {
  const waiting = new Map<ReadHour, Found[]>();
  for (const { hour, n, visits: asking } of portion) {
    const row = rows.get(hour);
    const { clock, once, tenantId } = (visits[0] as Visit).hours;
    const read = new ReadHour(hour, n, row ?? {}, once.numbers(tenantId));
    for (const at of asking) {
      await clock.take();
      const { hours, wanted, visit } = visits[at] as Visit;
      const block = row ? hours.blockOf(read) : null;
      if (block === null) unread[at]?.push(hour);
      else if (block.count > 0 && hasAll(read, wanted)) visit(block);
      else if (block.count > 0) waiting.set(read, [...(waiting.get(read) ?? []), { at, block }]);
    }
  }
  return waiting;
}
