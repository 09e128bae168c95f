import type { TenantLookup } from '../../database/each-tenant';
import { floorDiv, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { type Expression, type FieldTerm, termsOf } from '../../event/expression/expression';
import type { AuditEventFilter } from '../../event/query';
import { recordIdFloor } from '../../event/record-id';
import { within } from '../counts/dimensions';
import type { Ask } from './ask';
import { countBits, trim } from './bits';
import type { ColumnField } from './column-fields';
import {
  columnsOfTerms,
  cutHours,
  Evaluator,
  type Holding,
  type HourOfColumns,
  holdingSteps,
  keysOfTerm,
  numberedTerms,
  wholeExpression,
} from './evaluate';
import { Block, type Clock, ReadHour, type Wanted } from './hour-blocks';
import { hoursThatMayHave } from './may-have';
import type { ReadOnce } from './read-once';
import { wordHoursStatement } from './statements';
import type { StoredHour } from './stored-hours';
import { MAYBE, type Verdicts, YES } from './verdicts';
import { type Visit, type WalkedHours, walk } from './walk';

/** Fewer hours are read in the time in which counts say which of them to read. */
const HOURS_WORTH_COUNTS = 24;
/** The hours of at most so many words are looked up. Further words are looked for in the events. */
const WORDS_LOOKED_UP_MAX = 32;

/** How hours are read. */
interface Reading {
  readonly ask: Ask;
  readonly once: ReadOnce;
  readonly of: TenantLookup;
  readonly clock: Clock;
}

/** The hours of one tenant that a filter's range touches, and the events in them by their columns. */
export class TenantHours implements WalkedHours {
  /** The conditions of the filter beside its range; null: there are none. */
  readonly expression: Expression | null;
  readonly ownFields: readonly ColumnField[];
  /** The hours that the range cuts. */
  readonly cut: readonly number[];
  readonly #terms: readonly FieldTerm[];
  #holding: Promise<Holding> | undefined;
  #evaluator: Evaluator | undefined;
  /** The hours whose columns may have events that pass; null: any; undefined: nobody has asked. */
  #mayHave: ReadonlySet<number> | null | undefined;

  private constructor(
    private readonly how: Reading,
    readonly tenantId: number,
    private readonly filter: AuditEventFilter,
    /** The hours that have events, in order. */
    readonly stored: readonly StoredHour[],
  ) {
    this.expression = wholeExpression(filter);
    this.ownFields = columnsOfTerms(this.expression);
    this.cut = cutHours(filter);
    this.#terms = numberedTerms(this.expression);
    how.once.expect(tenantId, this.#terms);
  }

  static async open(how: Reading, tenantId: number, filter: AuditEventFilter): Promise<TenantHours> {
    return new TenantHours(how, tenantId, filter, await how.once.hours(tenantId, spanOf(filter)));
  }

  get ask(): Ask {
    return this.how.ask;
  }

  get once(): ReadOnce {
    return this.how.once;
  }

  get clock(): Clock {
    return this.how.clock;
  }

  /** Of which values the terms hold. */
  #holdingOf(): Promise<Holding> {
    const { once, clock } = this.how;
    this.#holding ??= once
      .values(this.tenantId, this.#terms)
      .then((values) => clock.between(holdingSteps(this.#terms, values)));
    return this.#holding;
  }

  async #evaluatorOf(): Promise<Evaluator> {
    const { tenantId, filter, expression } = this;
    const { ask, of } = this.how;
    const holding = await this.#holdingOf();
    const wordHours = new Map<string, ReadonlySet<number>>();
    for (const key of keysOf(expression)) {
      const rows = await ask(wordHoursStatement(tenantId, key, within('w.hour', spanOf(filter)), of));
      wordHours.set(key, new Set(rows.map(({ hour }) => Number(hour))));
    }
    return new Evaluator({ tenantId, expression, range: filter, wordHours }, holding);
  }

  /**
   * Visits all hours, or only some, one portion at a time.
   * @returns hours whose events have to be read: they have no columns, or the columns cannot answer
   */
  async visit(wanted: Wanted, visit: Visit['visit'], only?: ReadonlySet<number>): Promise<number[]> {
    const [unread = []] = await walk([{ hours: this, wanted, visit, ...(only && { only }) }]);
    return unread;
  }

  async toWalk(
    { wanted, visit, only }: Omit<Visit, 'hours'>,
    unread: number[],
  ): Promise<readonly StoredHour[]> {
    const { ask, expression, filter, stored, tenantId } = this;
    const all = only ? stored.filter(({ hour }) => only.has(hour)) : stored;
    const asked = wanted.fields.length > 0 || wanted.hasTimes ? all : this.#beside(all, visit);
    unread.push(...asked.filter(({ has }) => !has).map(({ hour }) => hour));
    const held = asked.filter(({ has }) => has);
    if (this.#mayHave === undefined && held.length > HOURS_WORTH_COUNTS) {
      const holding = await this.#holdingOf();
      this.#mayHave = await hoursThatMayHave(ask, tenantId, spanOf(filter), expression, holding);
    }
    const mayHave = this.#mayHave;
    const walked = mayHave ? held.filter(({ hour }) => mayHave.has(hour)) : held;
    if (walked.length > 0) this.#evaluator ??= await this.#evaluatorOf();
    return walked;
  }

  #beside(hours: readonly StoredHour[], visit: Visit['visit']): readonly StoredHour[] {
    if (this.expression !== null) return hours;
    for (const { hour, n } of hours)
      if (!this.isCut(hour))
        visit(new Block(new ReadHour(hour, n, {}, this.once.numbers(this.tenantId)), n, null));
    return hours.filter(({ hour }) => this.isCut(hour));
  }

  isCut(hour: number): boolean {
    return this.cut.includes(hour);
  }

  hasSome(hour: number): boolean {
    if (this.expression === null) return true;
    return this.expression.kind === 'field' && this.#mayHave?.has(hour) === true && !this.isCut(hour);
  }

  blockOf(hour: HourOfColumns): Block | null {
    return blockOf((this.#evaluator as Evaluator).of(hour), hour);
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
