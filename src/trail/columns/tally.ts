import type { TenantSet } from '../../caller/tenant-set';
import type { Prisma, RunSteps } from '../../database/clients';
import { isStatementTimeout } from '../../database/failure';
import { DomainError } from '../../errors';
import { HOUR_MS } from '../../event/event-time';
import { type FieldTerm, termsOf, type WordTerm } from '../../event/expression/expression';
import { COLUMN_OF } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import type { TenantForm } from '../counts/scope';
import { fromStored } from '../stored-text';
import { bitsOfCodes, countBits, placesOf, trim } from './bits';
import { COLUMN_VALUES_MAX, countAllCodes, countCodes } from './codec';
import { type ColumnField, columnOf, type GroupField, isColumnField, OUTCOME } from './column-fields';
import { wholeExpression } from './evaluate';
import { type Ask, type Block, Clock, TenantHours } from './hour-blocks';
import { eventGroupsStatement, numberedValuesStatement, termValuesStatement } from './statements';

/** Events, and how many of them succeeded. */
export interface Count {
  n: number;
  ok: number;
}

/** What is to be counted beside the total. */
export interface Counting {
  /** By windows of so many milliseconds since 1970; null: not at all. */
  readonly windowMs: number | null;
  readonly fields: readonly GroupField[];
  /** Whether outcomes are told apart; else every event counts as one that succeeded. */
  readonly hasOutcomes: boolean;
  /** By window, of each of these values alone. */
  readonly ofValues?: { readonly field: ColumnField; readonly values: ReadonlySet<string> };
}

/** Exact counts of the events that a filter leaves. */
export interface Tally {
  readonly total: Count;
  /** By the number of the window. */
  readonly windows: ReadonlyMap<number, Count>;
  /** By value; the outcome is `true` or `false`, absent values are empty. */
  readonly values: ReadonlyMap<GroupField, ReadonlyMap<string, Count>>;
  /** By value and window. */
  readonly windowsOfValues: ReadonlyMap<string, ReadonlyMap<number, Count>>;
  /** By tenant the hours whose events were read. */
  readonly read: ReadonlyMap<number, ReadonlySet<number>>;
}

/** Counts by columns, in a snapshot; of hours that they do not answer for the events are read. */
export class ColumnCounter {
  readonly #open = new Map<number, TenantHours>();

  constructor(
    readonly ask: Ask,
    private readonly tenants: TenantSet,
    private readonly filter: AuditEventFilter,
    private readonly form: TenantForm,
    readonly clock = new Clock(),
  ) {}

  /** The same question of some of its tenants. */
  of(tenants: TenantSet): ColumnCounter {
    return new ColumnCounter(this.ask, tenants, this.filter, this.form, this.clock);
  }

  async tenantHours(tenantId: number): Promise<TenantHours> {
    const known = this.#open.get(tenantId);
    if (known) return known;
    const opened = await TenantHours.open(this.ask, tenantId, this.filter, {
      form: this.form,
      clock: this.clock,
    });
    this.#open.set(tenantId, opened);
    return opened;
  }

  /** The number of a value; null: the tenant has no such value. */
  async numberOf(tenantId: number, field: ColumnField, text: string): Promise<number | null> {
    if (field === 'succeeded') return text === 'true' ? OUTCOME.succeeded : OUTCOME.failed;
    const term = { kind: 'field', field, how: 'equals', text, isFolded: false } as const;
    const [row] = await this.ask(termValuesStatement(tenantId, [term]));
    return row ? Number(row.id) : null;
  }

  async #numbersOf(tenantId: number, { ofValues }: Counting): Promise<ReadonlyMap<number, string>> {
    const numbers = new Map<number, string>();
    for (const text of ofValues?.values ?? []) {
      const number = await this.numberOf(tenantId, ofValues?.field as ColumnField, text);
      if (number !== null) numbers.set(number, text);
    }
    return numbers;
  }

  async count(asked: Counting): Promise<Tally> {
    const sums = new Sums();
    const read = new Map<number, ReadonlySet<number>>();
    for (const tenantId of this.tenants) {
      const hours = await this.tenantHours(tenantId);
      const counts = new TenantCounts(tenantId, asked, sums, await this.#numbersOf(tenantId, asked));
      const unread = await hours.visit(
        { fields: counts.columns, hasTimes: asked.windowMs !== null && asked.windowMs < HOUR_MS },
        (block) => counts.add(block),
      );
      await counts.name(this.ask);
      read.set(tenantId, new Set(unread));
      if (unread.length > 0) await this.#read(tenantId, unread, asked, sums, hours.eventsIn(unread));
    }
    return { ...sums, read };
  }

  async #read(tenantId: number, hours: readonly number[], asked: Counting, sums: Sums, events: number) {
    const { windowMs, fields, ofValues } = asked;
    const all = ofValues && !fields.includes(ofValues.field) ? [...fields, ofValues.field] : fields;
    const statement = eventGroupsStatement(tenantId, hours, this.filter, { windowMs, fields: all });
    const rows = await this.ask(statement).catch((error: unknown) => {
      throw isStatementTimeout(error) ? tooMany(events, this.filter, error) : error;
    });
    for (const row of rows) {
      const count = { n: Number(row.n), ok: Number(row.ok) };
      const valueAt = (field: GroupField) => fromStored(String(row[COLUMN_OF[field]]));
      addTo(sums.total, count);
      if (windowMs !== null) addAt(sums.windows, Number(row.w), count);
      for (const field of fields) addAt(sums.valuesOf(field), valueAt(field), count);
      if (ofValues?.values.has(valueAt(ofValues.field)))
        addAt(sums.windowsOf(valueAt(ofValues.field)), Number(row.w), count);
    }
  }
}

const TERMS_SHOWN = 3;
const TERM_CHARS_SHOWN = 40;

/** Says which part is expensive: what no column knows, or hours that have none. */
function tooMany(events: number, filter: AuditEventFilter, cause: unknown): DomainError {
  const expression = wholeExpression(filter);
  const read = (expression ? termsOf(expression) : []).filter((term) => !isOfColumns(term));
  const shown = read.slice(0, TERMS_SHOWN).map((term) => {
    const text = term.kind === 'words' ? term.term.text : term.text;
    return JSON.stringify(text.slice(0, TERM_CHARS_SHOWN));
  });
  const reason =
    shown.length > 0
      ? `${shown.join(', ')} can only be looked for in the events themselves`
      : 'these hours are not in columns yet';
  return new DomainError('service_unavailable', {
    public: `The question took too long to answer. The expensive part: ${events} events have to be read, since ${reason}. Narrow the time range, or add a condition on another field.`,
    retryAfterSeconds: 5,
    cause,
  });
}

const isOfColumns = (term: FieldTerm | WordTerm) =>
  term.kind === 'field' && (term.field === 'tenantId' || isColumnField(term.field));

/** Runs a question by columns in one snapshot. */
export function inSnapshot<T>(
  snapshot: RunSteps,
  tenants: TenantSet,
  question: { readonly filter: AuditEventFilter; readonly form: TenantForm },
  work: (counter: ColumnCounter) => Promise<T>,
): Promise<T> {
  return snapshot(tenants, (step) => {
    const ask: Ask = ({ text, values }: Prisma.Sql) => step(text, values);
    return work(new ColumnCounter(ask, tenants, question.filter, question.form));
  });
}

class Sums {
  readonly total: Count = { n: 0, ok: 0 };
  readonly windows = new Map<number, Count>();
  readonly values = new Map<GroupField, Map<string, Count>>();
  readonly windowsOfValues = new Map<string, Map<number, Count>>();

  valuesOf(field: GroupField): Map<string, Count> {
    return entry(this.values, field, () => new Map());
  }

  windowsOf(value: string): Map<number, Count> {
    return entry(this.windowsOfValues, value, () => new Map());
  }
}

/** The counts of one tenant: by numbers, until all of its hours are counted. */
class TenantCounts {
  readonly columns: readonly ColumnField[];
  readonly #byField: readonly { readonly field: ColumnField; readonly counts: NumberCounts }[];

  constructor(
    private readonly tenantId: number,
    private readonly asked: Counting,
    private readonly sums: Sums,
    /** Those of the values that are counted by window, by their numbers. */
    private readonly sought: ReadonlyMap<number, string>,
  ) {
    const fields = asked.fields.filter((field): field is ColumnField => field !== 'tenantId');
    this.#byField = fields.map((field) => ({ field, counts: new NumberCounts() }));
    this.columns = [
      ...new Set<ColumnField>([
        ...fields,
        ...(asked.ofValues ? [asked.ofValues.field] : []),
        ...(asked.hasOutcomes ? (['succeeded'] as const) : []),
      ]),
    ];
  }

  add(block: Block): void {
    const failed = this.asked.hasOutcomes ? failedOf(block) : NONE;
    const count = { n: block.count, ok: block.count - failed.length };
    const { windowMs, ofValues } = this.asked;
    addTo(this.sums.total, count);
    if (this.asked.fields.includes('tenantId'))
      addAt(this.sums.valuesOf('tenantId'), String(this.tenantId), count);
    for (const { field, counts } of this.#byField) counts.add(block, field, failed);
    if (windowMs === null) return;
    if (windowMs >= HOUR_MS) {
      const window = Math.floor((block.hour * HOUR_MS) / windowMs);
      addAt(this.sums.windows, window, count);
      if (ofValues) this.#addOfValues(block, ofValues.field, window, failed);
    } else this.#addWindows(block, windowMs, failed);
  }

  #addWindows({ hour, count, places, columns }: Block, windowMs: number, failed: Uint32Array): void {
    const perHour = HOUR_MS / windowMs;
    const [n, bad] = [new Int32Array(perHour), new Int32Array(perHour)];
    const times = columns.times as Int32Array;
    const windowAt = (place: number) => Math.floor((times[place] as number) / windowMs);
    for (let i = 0; i < count; i++) (n[windowAt(places ? (places[i] as number) : i)] as number)++;
    for (const place of failed) (bad[windowAt(place)] as number)++;
    for (let w = 0; w < perHour; w++) {
      const events = n[w] as number;
      if (events > 0)
        addAt(this.sums.windows, hour * perHour + w, { n: events, ok: events - (bad[w] as number) });
    }
  }

  #addOfValues(block: Block, field: ColumnField, window: number, failed: Uint32Array): void {
    const counts = new NumberCounts();
    counts.add(block, field, failed);
    for (const [number, text] of this.sought) {
      const count = counts.at(number);
      if (count.n > 0) addAt(this.sums.windowsOf(text), window, count);
    }
  }

  /** Adds what was counted by numbers to the sums by values. */
  async name(ask: Ask): Promise<void> {
    for (const { field, counts } of this.#byField) {
      const entries = [...counts.entries()];
      const names = await this.#names(
        ask,
        field,
        entries.map(([id]) => id),
      );
      for (const [id, count] of entries) addAt(this.sums.valuesOf(field), names(id), count);
    }
  }

  async #names(ask: Ask, field: ColumnField, ids: readonly number[]): Promise<(id: number) => string> {
    if (field === 'succeeded') return (id) => String(id === OUTCOME.succeeded);
    const rows = ids.length === 0 ? [] : await ask(numberedValuesStatement(this.tenantId, field, ids));
    const names = new Map(rows.map(({ id, value }) => [Number(id), fromStored(String(value))]));
    return (id) => {
      const name = names.get(id);
      if (name === undefined) throw new Error(`no value has the number ${id} of ${columnOf(field)}`);
      return name;
    };
  }
}

const N = new Int32Array(COLUMN_VALUES_MAX);
const BAD = new Int32Array(COLUMN_VALUES_MAX);

/** By the number of a value: events, and those that succeeded. */
class NumberCounts {
  #n = new Int32Array(256);
  #ok = new Int32Array(256);

  /** @param failed places of the events that did not succeed, which are few */
  add({ places, columns }: Block, field: ColumnField, failed: Uint32Array): void {
    const column = columns.column(field);
    if (!column) throw new Error(`an hour without the column ${columnOf(field)} was taken for one with it`);
    const { ids } = column;
    const [n, bad] = [N.fill(0, 0, ids.length), BAD.fill(0, 0, ids.length)];
    if (places) countCodes(column, places, n);
    else countAllCodes(column, columns.n, n);
    countCodes(column, failed, bad);
    for (let code = 0; code < ids.length; code++) {
      const events = n[code] as number;
      if (events === 0) continue;
      const id = ids[code] as number;
      if (id >= this.#n.length) this.#grow(id);
      this.#n[id] = (this.#n[id] as number) + events;
      this.#ok[id] = (this.#ok[id] as number) + events - (bad[code] as number);
    }
  }

  at(id: number): Count {
    return { n: this.#n[id] ?? 0, ok: this.#ok[id] ?? 0 };
  }

  #grow(id: number): void {
    const size = 2 ** Math.ceil(Math.log2(id + 1));
    const [n, ok] = [new Int32Array(size), new Int32Array(size)];
    n.set(this.#n);
    ok.set(this.#ok);
    [this.#n, this.#ok] = [n, ok];
  }

  *entries(): Generator<[number, Count]> {
    for (let id = 0; id < this.#n.length; id++)
      if (this.#n[id]) yield [id, { n: this.#n[id] as number, ok: this.#ok[id] as number }];
  }
}

const NONE = new Uint32Array(0);

/** The places of a block's events that did not succeed. */
function failedOf({ bits, columns }: Block): Uint32Array {
  const column = columns.column('succeeded');
  if (!column) throw new Error('an hour without outcomes was taken for one with them');
  const flags = Uint8Array.from(column.ids, (id) => (id === OUTCOME.failed ? 1 : 0));
  if (!flags.includes(1)) return NONE;
  const failed = bitsOfCodes(column, flags, columns.n);
  trim(failed, columns.n);
  if (bits) for (let i = 0; i < failed.length; i++) failed[i] = (failed[i] as number) & (bits[i] as number);
  return placesOf(failed, countBits(failed));
}

function addTo(sum: Count, { n, ok }: Count): void {
  sum.n += n;
  sum.ok += ok;
}

const addAt = <K>(sums: Map<K, Count>, key: K, count: Count): void =>
  addTo(
    entry(sums, key, () => ({ n: 0, ok: 0 })),
    count,
  );

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
