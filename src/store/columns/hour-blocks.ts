import type { Row } from '../../database/clients';
import type { TenantLookup } from '../../database/each-tenant';
import { Pauses } from '../../deadline';
import { DomainError } from '../../errors';
import { floorDiv, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { type Expression, type FieldTerm, termsOf } from '../../event/expression/expression';
import { isNumberField } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import { recordIdFloor } from '../../event/record-id';
import { LIMITS } from '../../limits';
import { within } from '../counts/dimensions';
import type { Ask } from './ask';
import { type Bits, countBits, placesOf, trim } from './bits';
import { type Column, type NumberColumn, readColumn, readNumberColumn, readTimes } from './codec';
import { type ColumnField, columnOf } from './column-fields';
import {
  columnsOfTerms,
  cutHours,
  Evaluator,
  type HourOfColumns,
  keysOfTerm,
  numberedTerms,
  wholeExpression,
} from './evaluate';
import { NumberNames } from './number-names';
import type { ReadOnce } from './read-once';
import { columnsStatement, wordHoursStatement } from './statements';
import type { StoredHour } from './stored-hours';
import { MAYBE, type Verdicts, YES } from './verdicts';

type Rows = readonly Row[];
/** Events of a portion, which is held in memory at once: some ten MB. */
const EVENTS_PER_PORTION = 300_000;
const HOURS_PER_PORTION = 1_000;
/** The hours of at most so many words are looked up. Further words are looked for in the events. */
const WORDS_LOOKED_UP_MAX = 32;

/** The events of an hour that pass a filter. */
export class Block {
  #places: Uint32Array | undefined;

  constructor(
    readonly columns: HourOfColumns,
    readonly count: number,
    /** The bits of these events among those of the hour, with none set behind the last event. Null: all events. */
    readonly bits: Bits | null,
  ) {}

  get hour(): number {
    return this.columns.hour;
  }

  /** The places of these events among those of the hour, in order. Null: all events. */
  get places(): Uint32Array | null {
    if (!this.bits) return null;
    this.#places ??= placesOf(this.bits, this.count);
    return this.#places;
  }
}

/** The data of each event that the blocks must have besides those that the filter needs. */
interface Wanted {
  readonly fields: readonly ColumnField[];
  readonly hasTimes: boolean;
}

/** How hours are read. */
interface Reading {
  readonly ask: Ask;
  readonly once: ReadOnce;
  readonly of: TenantLookup;
  readonly clock: Clock;
}

/** The hours of one tenant that a filter's range touches, and the events in them by their columns. */
export class TenantHours {
  readonly names = new NumberNames();
  /** The conditions of the filter beside its range; null: there are none. */
  readonly expression: Expression | null;
  readonly #terms: readonly FieldTerm[];
  #evaluator: Promise<Evaluator> | undefined;

  private constructor(
    private readonly how: Reading,
    readonly tenantId: number,
    private readonly filter: AuditEventFilter,
    /** The hours that have events, in order. */
    readonly stored: readonly StoredHour[],
  ) {
    this.expression = wholeExpression(filter);
    this.#terms = numberedTerms(this.expression);
    how.once.expect(tenantId, this.#terms);
  }

  static async open(how: Reading, tenantId: number, filter: AuditEventFilter): Promise<TenantHours> {
    return new TenantHours(how, tenantId, filter, await how.once.hours(tenantId, spanOf(filter)));
  }

  get clock(): Clock {
    return this.how.clock;
  }

  /** The hours that the range cuts. */
  get cut(): readonly number[] {
    return cutHours(this.filter);
  }

  async #evaluatorOf(): Promise<Evaluator> {
    const { tenantId, filter, expression } = this;
    const { ask, once, of } = this.how;
    const values = await once.values(tenantId, this.#terms);
    const wordHours = new Map<string, ReadonlySet<number>>();
    for (const key of keysOf(expression)) {
      const rows = await ask(wordHoursStatement(tenantId, key, within('w.hour', spanOf(filter)), of));
      wordHours.set(key, new Set(rows.map(({ hour }) => Number(hour))));
    }
    return new Evaluator({ tenantId, expression, range: filter, wordHours }, values);
  }

  /**
   * Visits all hours, or only some, one portion at a time.
   * @returns hours whose events have to be read: they have no columns, or the columns cannot answer
   */
  async visit(wanted: Wanted, visit: (block: Block) => void, only?: ReadonlySet<number>): Promise<number[]> {
    const all = only ? this.stored.filter(({ hour }) => only.has(hour)) : this.stored;
    const asked = wanted.fields.length > 0 || wanted.hasTimes ? all : this.#beside(all, visit);
    const unread = asked.filter(({ has }) => !has).map(({ hour }) => hour);
    const { expression } = this;
    const own = expression === null ? wanted.fields : columnsOfTerms(expression);
    const further = wanted.fields.filter((field) => !own.includes(field));
    // Columns that the filter does not need are read only for hours with events that pass it.
    const portions = portionsOf(asked.filter(({ has }) => has));
    if (portions.length === 0) return unread;
    this.#evaluator ??= this.#evaluatorOf();
    const evaluator = await this.#evaluator;
    let next = this.#columns(portions[0] ?? [], own, wanted.hasTimes);
    for (const [i, portion] of portions.entries()) {
      const rows = await next;
      // The next portion is on its way while this one is worked on.
      next = this.#columns(portions[i + 1] ?? [], own, wanted.hasTimes);
      next.catch(() => {});
      const { blocks, unknown } = await this.#evaluate(evaluator, portion, rows);
      unread.push(...unknown);
      await this.#fetch(
        blocks.map(({ read }) => read),
        further,
      );
      for (const { block, read } of blocks) {
        await this.clock.turn();
        // A verdict may need no column of the filter, so a wanted column can be missing although the verdict is known.
        if (wanted.fields.every((field) => read.has(field))) visit(block);
        else unread.push(block.hour);
      }
    }
    return unread;
  }

  /** Visits hours of which every event is meant: their number is known. @returns the others */
  #beside(hours: readonly StoredHour[], visit: (block: Block) => void): readonly StoredHour[] {
    if (this.expression !== null) return hours;
    const isCut = new Set(cutHours(this.filter));
    for (const { hour, n } of hours)
      if (!isCut.has(hour)) visit(new Block(new ReadHour(hour, n, {}, this.names), n, null));
    return hours.filter(({ hour }) => isCut.has(hour));
  }

  /** Whether a span lies in the range, and all of its hours with events, of which there are some, are among the given ones. */
  isWhole(first: number, end: number, hours: ReadonlySet<number>): boolean {
    const { from, to } = this.filter;
    if (from !== null && from > BigInt(first) * TICKS_PER_HOUR) return false;
    if (to !== null && to < BigInt(end) * TICKS_PER_HOUR) return false;
    const own = this.stored.filter(({ hour }) => hour >= first && hour < end);
    return own.length > 0 && own.every(({ hour }) => hours.has(hour));
  }

  /** Record ids of some hours, in order, joined where no other hour with events lies between. */
  stretchesOf(hours: readonly number[]): readonly { readonly from: string; readonly to: string }[] {
    const wanted = new Set(hours);
    const joined: { from: number; to: number }[] = [];
    let isNext = false;
    for (const { hour } of this.stored) {
      const last = joined.at(-1);
      if (wanted.has(hour) && last && isNext) last.to = hour + 1;
      else if (wanted.has(hour)) joined.push({ from: hour, to: hour + 1 });
      isNext = wanted.has(hour);
    }
    return joined.map(({ from, to }) => ({ from: idOfHour(from), to: idOfHour(to) }));
  }

  async #evaluate(evaluator: Evaluator, portion: readonly StoredHour[], rows: Rows) {
    const byHour = new Map(rows.map((row) => [Number(row.hour), row]));
    const blocks: { block: Block; read: ReadHour }[] = [];
    const unknown: number[] = [];
    for (const { hour, n } of portion) {
      await this.clock.turn();
      const row = byHour.get(hour);
      const read = new ReadHour(hour, n, row ?? {}, this.names);
      const block = row ? blockOf(evaluator.of(read), read) : null;
      if (block === null) unknown.push(hour);
      else if (block.count > 0) blocks.push({ block, read });
    }
    return { blocks, unknown };
  }

  async #fetch(read: readonly ReadHour[], fields: readonly ColumnField[]): Promise<void> {
    if (fields.length === 0 || read.length === 0) return;
    const lacking = read.filter((hour) => !fields.every((field) => hour.has(field)));
    if (lacking.length === 0) return;
    const hours = lacking.map(({ hour }) => hour);
    const rows = await this.how.ask(columnsStatement(this.tenantId, hours, fields, false));
    const byHour = new Map(rows.map((row) => [Number(row.hour), row]));
    for (const hour of lacking) hour.add(byHour.get(hour.hour) ?? {});
  }

  async #columns(
    portion: readonly StoredHour[],
    fields: readonly ColumnField[],
    hasTimes: boolean,
  ): Promise<Rows> {
    if (portion.length === 0) return [];
    const hours = portion.map(({ hour }) => hour);
    const withBound = cutHours(this.filter);
    const { ask, once } = this.how;
    const cut = once.hasSeveral || !hasTimes ? hours.filter((hour) => withBound.includes(hour)) : [];
    const rest = hours.filter((hour) => !cut.includes(hour));
    const statement = (some: readonly number[], times: boolean) =>
      columnsStatement(this.tenantId, some, fields, times);
    return [
      ...(cut.length === 0
        ? []
        : once.hasSeveral
          ? await once.rows(this.tenantId, cut)
          : await ask(statement(cut, true))),
      ...(rest.length > 0 ? await ask(statement(rest, hasTimes)) : []),
    ];
  }

  /** The hours that have events, in order, by whether their columns hold. */
  get byColumns(): { readonly with: readonly number[]; readonly without: readonly number[] } {
    const of = (wanted: boolean) => this.stored.filter(({ has }) => has === wanted).map(({ hour }) => hour);
    return { with: of(true), without: of(false) };
  }

  /** The number of events of some hours. */
  eventsIn(hours: readonly number[]): number {
    const wanted = new Set(hours);
    return this.stored.reduce((sum, { hour, n }) => sum + (wanted.has(hour) ? n : 0), 0);
  }
}

/** Interrupts the work for other requests, and ends work that takes too long. */
export class Clock {
  readonly #start = performance.now();
  readonly #pauses = new Pauses();

  /** @throws DomainError `service_unavailable` */
  async turn(): Promise<void> {
    if (performance.now() - this.#start > LIMITS.databaseStatementMs)
      throw new DomainError('service_unavailable', TOO_LONG);
    await this.#pauses.take();
  }
}

const TOO_LONG = {
  // The machine may be busy with other work: the time says nothing about the number of events.
  public: 'The question took too long to answer. Narrow the time range, or ask again shortly.',
  retryAfterSeconds: 5,
};

class ReadHour implements HourOfColumns {
  readonly #read = new Map<ColumnField, Column>();
  readonly #numbers = new Map<ColumnField, NumberColumn>();
  #times: Int32Array | null = null;
  #row: Readonly<Record<string, unknown>>;

  constructor(
    readonly hour: number,
    readonly n: number,
    row: Readonly<Record<string, unknown>>,
    private readonly names: NumberNames,
  ) {
    this.#row = row;
  }

  add(row: Readonly<Record<string, unknown>>): void {
    this.#row = { ...this.#row, ...row };
  }

  has(field: ColumnField): boolean {
    return typeof this.#row[columnOf(field)] === 'string';
  }

  get times(): Int32Array | null {
    if (typeof this.#row.times === 'string') this.#times ??= readTimes(this.#row.times, this.n);
    return this.#times;
  }

  column(field: ColumnField): Column | null {
    const known = this.#read.get(field);
    const text = this.#row[columnOf(field)];
    if (known || typeof text !== 'string') return known ?? null;
    const column = isNumberField(field) ? this.#named(field) : readColumn(text, this.n);
    if (column) this.#read.set(field, column);
    return column;
  }

  #named(field: ColumnField): Column | null {
    const numbers = this.numbers(field);
    return numbers && { ...numbers, ids: Int32Array.from(numbers.values, (value) => this.names.idOf(value)) };
  }

  numbers(field: ColumnField): NumberColumn | null {
    const known = this.#numbers.get(field);
    const text = this.#row[columnOf(field)];
    if (known || typeof text !== 'string') return known ?? null;
    const column = readNumberColumn(text, this.n);
    this.#numbers.set(field, column);
    return column;
  }
}

/** The events that pass the filter; null: for at least one event the columns cannot tell. */
function blockOf(verdicts: Verdicts, columns: HourOfColumns): Block | null {
  const { n } = columns;
  if (typeof verdicts === 'number')
    return verdicts === MAYBE ? null : new Block(columns, verdicts === YES ? n : 0, null);
  const { is, can } = verdicts;
  trim(is, n);
  if (is !== can) {
    trim(can, n);
    if (is.some((word, i) => word !== can[i])) return null;
  }
  const count = countBits(is);
  return new Block(columns, count, count === n ? null : is);
}

function portionsOf(hours: readonly StoredHour[]): StoredHour[][] {
  const portions: StoredHour[][] = [];
  let events = 0;
  for (const hour of hours) {
    const last = portions.at(-1);
    if (!last || last.length >= HOURS_PER_PORTION || events + hour.n > EVENTS_PER_PORTION) {
      portions.push([hour]);
      events = hour.n;
    } else {
      last.push(hour);
      events += hour.n;
    }
  }
  return portions;
}

const TICKS_PER_HOUR = BigInt(HOUR_MS) * TICKS_PER_MS;
const idOfHour = (hour: number) => recordIdFloor(BigInt(hour) * TICKS_PER_HOUR);
const spanOf = ({ from, to }: AuditEventFilter) => ({
  from: from === null ? null : hourOf(from),
  to: to === null ? null : hourOf(to - 1n) + 1,
});
const hourOf = (ticks: bigint) => Number(floorDiv(ticks, TICKS_PER_HOUR));

const keysOf = (expression: Expression | null): string[] => {
  const words = (expression ? termsOf(expression) : []).flatMap((term) =>
    term.kind === 'words' ? keysOfTerm(term.term) : [],
  );
  return [...new Set(words)].slice(0, WORDS_LOOKED_UP_MAX);
};
