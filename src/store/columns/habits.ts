import { LIMITS } from '../../limits';
import { unpackCodes } from './codec';
import type { ColumnField } from './column-fields';
import type { Block } from './hour-blocks';
import { type DayCounts, gather, KeptDays } from './kept-days';
import { byDay } from './stored-hours';
import type { TenantHours } from './tenant-hours';

/** Fields of an event that say what its login usually does. */
export const OF_LOGIN = [
  'databaseName',
  'applicationName',
  'clientIp',
] as const satisfies readonly ColumnField[];
/** Fields that name an object. */
export const OBJECT = ['databaseName', 'schemaName', 'objectName'] as const satisfies readonly ColumnField[];

const FIELDS = [
  'serverPrincipalName',
  ...OF_LOGIN,
  'schemaName',
  'objectName',
  'actionId',
] as const satisfies readonly ColumnField[];
type HabitField = (typeof FIELDS)[number];

/** The numbers of an event's values; null: the tenant's columns have no such value. */
export type Numbers = ReadonlyMap<HabitField, number | null>;
export const HABIT_FIELDS: readonly HabitField[] = FIELDS;

/** What was done before an event, by the numbers of its values. */
export class Before {
  /** The events of its login, and the most of them in an hour. */
  total = 0;
  most = 0;
  /** Those that have the same value in a field. */
  readonly alike = new Map<(typeof OF_LOGIN)[number], number>();
  /** The events on its object by the number of their login. */
  readonly onObject = new Map<number, number>();
  /** Those of its login with the same action. */
  sameAction = 0;

  constructor(private readonly of: Numbers) {}

  /** Adds the habits of some hours. */
  take(packed: Int32Array): void {
    const read = new Reader(packed);
    const login = this.#number('serverPrincipalName');
    for (let logins = read.next(); logins > 0; logins--) {
      const [id, n, most] = [read.next(), read.next(), read.next()];
      if (id !== login) continue;
      this.total += n;
      this.most = Math.max(this.most, most);
    }
    for (const field of OF_LOGIN) {
      const value = this.#number(field);
      for (let pairs = read.next(); pairs > 0; pairs--) {
        const [id, other, n] = [read.next(), read.next(), read.next()];
        if (id === login && other === value) this.alike.set(field, (this.alike.get(field) ?? 0) + n);
      }
    }
    const object = OBJECT.map((field) => this.#number(field));
    while (!read.isOver) {
      const isSame = [read.next(), read.next(), read.next()].every((id, i) => id === object[i]);
      const deeds = read.next();
      if (isSame) this.#takeDeeds(read, deeds, login);
      else read.skip(deeds * 3);
    }
  }

  #takeDeeds(read: Reader, deeds: number, login: number | null): void {
    const action = this.#number('actionId');
    for (let i = 0; i < deeds; i++) {
      const [id, did, n] = [read.next(), read.next(), read.next()];
      this.onObject.set(id, (this.onObject.get(id) ?? 0) + n);
      if (id === login && did === action) this.sameAction += n;
    }
  }

  #number(field: HabitField): number | null {
    return this.of.get(field) ?? null;
  }
}

/** Reads packed habits from the first to the last. */
class Reader {
  #at = 0;

  constructor(private readonly packed: Int32Array) {}

  get isOver(): boolean {
    return this.#at >= this.packed.length;
  }

  next(): number {
    return this.packed[this.#at++] as number;
  }

  skip(numbers: number): void {
    this.#at += numbers;
  }
}

/**
 * What each login did in some hours, for questions about any login and any object. Packed as: logins, each with its events
 * and the most of them in an hour; for each field of `OF_LOGIN` pairs of login and value, each with its events; objects,
 * each with its deeds: login, action, events. Each list begins with its length.
 */
class Habits implements DayCounts<Int32Array> {
  readonly #columns = FIELDS.map(() => new DayColumn());
  readonly #logins = new Map<number, { n: number; most: number }>();

  /** @param apart an hour that does not count among those with the most events */
  constructor(private readonly apart: number) {}

  add(block: Block): void {
    for (const [i, field] of FIELDS.entries()) this.#columns[i]?.add(block, field);
    const [login] = this.#columns as [DayColumn];
    const counts = new Int32Array(login.ids.length);
    for (let i = login.size - block.count; i < login.size; i++)
      (counts[login.codes[i] as number] as number)++;
    for (const [code, n] of counts.entries()) {
      if (n === 0) continue;
      const known = this.#logins.get(code) ?? { n: 0, most: 0 };
      known.n += n;
      if (block.hour !== this.apart) known.most = Math.max(known.most, n);
      this.#logins.set(code, known);
    }
  }

  pack(): Int32Array {
    const [login, database, program, address, schema, object, action] = this.#columns as [
      DayColumn,
      DayColumn,
      DayColumn,
      DayColumn,
      DayColumn,
      DayColumn,
      DayColumn,
    ];
    const packed: number[] = [this.#logins.size];
    for (const [code, { n, most }] of this.#logins) packed.push(login.ids[code] as number, n, most);
    for (const other of [database, program, address]) {
      const pairs = paired(login, other);
      packed.push(pairs.n.length);
      for (const [k, n] of pairs.n.entries())
        packed.push(
          login.ids[pairs.of[k] as number] as number,
          other.ids[pairs.by[k] as number] as number,
          n,
        );
    }
    const places = paired(database, schema);
    const objects = paired(places, object);
    const doers = paired(login, action);
    const deeds = paired(objects, doers);
    const ofObject = objects.n.map((): number[] => []);
    for (const [k, n] of deeds.n.entries()) {
      const doer = deeds.by[k] as number;
      ofObject[deeds.of[k] as number]?.push(
        login.ids[doers.of[doer] as number] as number,
        action.ids[doers.by[doer] as number] as number,
        n,
      );
    }
    for (const [k, list] of ofObject.entries()) {
      const place = objects.of[k] as number;
      packed.push(
        database.ids[places.of[place] as number] as number,
        schema.ids[places.by[place] as number] as number,
        object.ids[objects.by[k] as number] as number,
        list.length / 3,
        ...list,
      );
    }
    return Int32Array.from(packed);
  }
}

/** Codes of events: whole numbers below `count`. */
interface Coded {
  readonly codes: Int32Array;
  readonly size: number;
  readonly count: number;
}

/** A column of all hours of a day. */
class DayColumn implements Coded {
  readonly ids: number[] = [];
  codes = new Int32Array(1_024);
  size = 0;
  readonly #codeOf = new Map<number, number>();

  get count(): number {
    return this.ids.length;
  }

  add({ columns, places, count }: Block, field: ColumnField): void {
    const column = columns.column(field);
    if (!column) throw new Error(`an hour without the column ${field} was taken for one with it`);
    const ofHour = Int32Array.from(column.ids, (id) => this.#code(id));
    const codes = unpackCodes(column, columns.n);
    const own = this.#room(count);
    let at = this.size;
    if (places)
      for (let i = 0; i < count; i++) own[at++] = ofHour[codes[places[i] as number] as number] as number;
    else for (let i = 0; i < count; i++) own[at++] = ofHour[codes[i] as number] as number;
    this.size = at;
  }

  #code(id: number): number {
    const known = this.#codeOf.get(id);
    if (known !== undefined) return known;
    this.#codeOf.set(id, this.ids.length);
    return this.ids.push(id) - 1;
  }

  #room(count: number): Int32Array {
    const needed = this.size + count;
    if (needed > this.codes.length) {
      const wider = new Int32Array(2 ** Math.ceil(Math.log2(needed)));
      wider.set(this.codes);
      this.codes = wider;
    }
    return this.codes;
  }
}

interface Paired extends Coded {
  /** The codes of each pair, and its events. */
  readonly of: readonly number[];
  readonly by: readonly number[];
  readonly n: number[];
}

/** A table of so many cells takes 4 MB. With more, pairs are looked up. */
const CELLS_MAX = 1_048_576;

/** Numbers the pairs of codes that events have. */
function paired(a: Coded, b: Coded): Paired {
  const { size, codes: lefts } = a;
  const { codes: rights, count: width } = b;
  const [of, by, n]: [number[], number[], number[]] = [[], [], []];
  const codes = new Int32Array(size);
  const cells = a.count * width;
  const table = cells <= CELLS_MAX ? new Int32Array(cells) : null;
  const known = new Map<number, number>();
  for (let i = 0; i < size; i++) {
    const left = lefts[i] as number;
    const right = rights[i] as number;
    const cell = left * width + right;
    // Places in the table begin at 1.
    let place = table ? (table[cell] as number) : (known.get(cell) ?? 0);
    if (place === 0) {
      of.push(left);
      by.push(right);
      place = n.push(0);
      if (table) table[cell] = place;
      else known.set(cell, place);
    }
    (n[place - 1] as number)++;
    codes[i] = place - 1;
  }
  return { codes, size, count: n.length, of, by, n };
}

const KEPT = new KeptDays<Int32Array>(LIMITS.habitsBytesMax, LIMITS.habitsOfDayBytesMax);

/** As `apart`: every hour counts. */
export const NO_HOUR = -1;

/** Whether there are few enough events to look at all of them. */
export function hasFewEvents(hours: TenantHours, eventsMax: number): boolean {
  const { days, others } = byDay(hours.stored, hours.cut);
  const eventsOf = new Map(hours.stored.map(({ hour, n }) => [hour, n]));
  const sumOf = (part: readonly number[]) => part.reduce((sum, hour) => sum + (eventsOf.get(hour) ?? 0), 0);
  const parts = [...days.map((day) => sumOf(day.hours)), sumOf(others)];
  const sum = parts.reduce((all, n) => all + n, 0);
  return sum <= eventsMax && parts.every((n) => n <= LIMITS.habitsOfDayEventsMax);
}

/**
 * What was done in the hours of a tenant, by day. Habits of a day answer for every login, so those of most days are known.
 * @param apart an hour that does not count among those with the most events
 * @returns as `TenantHours.visit`
 */
export const habitsBefore = (hours: TenantHours, apart: number, before: Before): Promise<readonly number[]> =>
  gather(hours, {
    name: 'habits',
    wanted: { fields: FIELDS, hasTimes: false },
    kept: KEPT,
    open: () => new Habits(apart),
    take: (packed) => before.take(packed),
  });
