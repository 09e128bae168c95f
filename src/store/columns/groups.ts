import { DomainError } from '../../errors';
import { HOUR_MS } from '../../event/event-time';
import { COLUMN_OF, type NumberField } from '../../event/fields';
import { exactInteger } from '../../event/lifted';
import { LIMITS } from '../../limits';
import { fromStored } from '../rows/stored-text';
import { type Column, codeAt, plus } from './codec';
import { type ColumnField, type GroupField, OUTCOME } from './column-fields';
import type { ColumnCounter } from './counter';
import type { Block } from './hour-blocks';
import { namesOf } from './tenant-counts';

/** Events that have the same values of the fields by which they are grouped. */
export interface EventGroup {
  /** In the order of the fields; empty: absent. An outcome is `true` or `false`. */
  readonly values: readonly string[];
  readonly n: number;
  readonly failed: number;
  /** Its events in the period before. */
  readonly before: number;
  /** Its first and last event, in milliseconds since 1970. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** The sum of the numbers of a field; null: its events state none, or no sum is asked for. */
  readonly sum: number | bigint | null;
}
type Sum = { -readonly [name in keyof EventGroup]: EventGroup[name] };

/** The fields by which events are grouped: one or two. */
export type GroupFields = readonly [GroupField, GroupField?];

export interface Grouping {
  readonly fields: GroupFields;
  /** The field whose numbers are added up; null: none. */
  readonly sumOf: NumberField | null;
}

/**
 * All groups of the events that a counter counts.
 * @param before counts the period before; null: there is none
 * @throws DomainError `invalid_parameter` where there are more groups than `LIMITS.groupsCountedMax`
 */
export async function groupsByColumns(
  counter: ColumnCounter,
  before: ColumnCounter | null,
  grouping: Grouping,
): Promise<readonly EventGroup[]> {
  const { fields } = grouping;
  const groups = new Map<string, Sum>();
  for (const tenantId of counter.tenants)
    for (const group of await groupsOfTenant(counter, tenantId, grouping)) {
      const key = JSON.stringify(group.values);
      const known = groups.get(key);
      if (known) join(known, group);
      else groups.set(key, group);
      if (groups.size > LIMITS.groupsCountedMax) throw tooManyGroups(fields);
      await counter.clock.turn();
    }
  for (const tenantId of before?.tenants ?? [])
    for (const { values, n } of before
      ? await groupsOfTenant(before, tenantId, { fields, sumOf: null })
      : []) {
      const known = groups.get(JSON.stringify(values));
      if (known) known.before += n;
      await counter.clock.turn();
    }
  return [...groups.values()];
}

function join(sum: Sum, { n, failed, firstMs, lastMs, sum: numbers }: EventGroup): void {
  if (numbers !== null) sum.sum = plus(sum.sum, numbers);
  sum.n += n;
  sum.failed += failed;
  sum.firstMs = Math.min(sum.firstMs, firstMs);
  sum.lastMs = Math.max(sum.lastMs, lastMs);
}

const tooManyGroups = (fields: GroupFields) =>
  new DomainError('invalid_parameter', {
    public: `There are more than ${LIMITS.groupsCountedMax} groups by ${fields.filter(Boolean).join(' and ')}: narrow the time range or the filter, or group by another field.`,
  });

/** @returns groups; those of hours whose events had to be read stand beside the others */
async function groupsOfTenant(
  counter: ColumnCounter,
  tenantId: number,
  { fields: given, sumOf }: Grouping,
): Promise<Sum[]> {
  const fields = given.filter((field) => field !== undefined);
  const groups = new TenantGroups(given, sumOf);
  const hours = await counter.tenantHours(tenantId);
  const unread = await hours.visit({ fields: groups.columns, hasTimes: true }, (block) => groups.add(block));
  const counted = await groups.named(counter, tenantId);
  const rows = await counter.readGroups(tenantId, unread, {
    windowMs: null,
    fields,
    hasTimes: true,
    sumOf,
  });
  return [
    ...counted,
    ...rows.map((row) => {
      const n = Number(row.n);
      return {
        values: fields.map((field) => fromStored(String(row[COLUMN_OF[field]]))),
        n,
        failed: n - Number(row.ok),
        before: 0,
        firstMs: Number(row.first_ms),
        lastMs: Number(row.last_ms),
        sum: typeof row.sum === 'string' ? exactInteger(row.sum) : null,
      };
    }),
  ];
}

/** The groups of one tenant, by the numbers of their values. */
class TenantGroups {
  readonly columns: readonly ColumnField[];
  readonly #byIds = new Map<number, Map<number, Sum>>();
  #size = 0;

  constructor(
    private readonly fields: GroupFields,
    private readonly sumOf: NumberField | null,
  ) {
    const own = fields.filter((field) => field !== undefined && field !== 'tenantId');
    this.columns = [...new Set<ColumnField>([...own, 'succeeded', ...(sumOf ? [sumOf] : [])])];
  }

  add({ hour, columns, places, count }: Block): void {
    const [first, second] = this.fields.map((field) =>
      field === undefined || field === 'tenantId' ? ONE_VALUE : wanted(columns.column(field)),
    );
    const [a, b] = [first ?? ONE_VALUE, second ?? ONE_VALUE];
    const outcome = wanted(columns.column('succeeded'));
    const times = wanted(columns.times);
    const numbers = this.sumOf ? wanted(columns.numbers(this.sumOf)) : null;
    const failed = outcome.ids.indexOf(OUTCOME.failed);
    // An hour has few pairs of values beside its events, so each pair is looked up once.
    const known = new Map<number, Sum>();
    for (let i = 0; i < count; i++) {
      const place = places ? (places[i] as number) : i;
      const [x, y] = [codeAt(a, place), codeAt(b, place)];
      const pair = x * b.ids.length + y;
      let group = known.get(pair);
      if (!group) {
        group = this.#group(a.ids[x] as number, b.ids[y] as number);
        known.set(pair, group);
      }
      const ms = hour * HOUR_MS + (times[place] as number);
      group.n++;
      if (codeAt(outcome, place) === failed) group.failed++;
      const number = numbers?.values[codeAt(numbers, place)] ?? null;
      if (number !== null) group.sum = plus(group.sum, number);
      if (ms < group.firstMs) group.firstMs = ms;
      if (ms > group.lastMs) group.lastMs = ms;
    }
  }

  #group(a: number, b: number): Sum {
    const inner = this.#byIds.get(a) ?? new Map<number, Sum>();
    const known = inner.get(b);
    if (known) return known;
    if (++this.#size > LIMITS.groupsCountedMax) throw tooManyGroups(this.fields);
    const group = {
      values: [],
      n: 0,
      failed: 0,
      before: 0,
      firstMs: Number.POSITIVE_INFINITY,
      lastMs: 0,
      sum: null,
    };
    this.#byIds.set(a, inner.set(b, group));
    return group;
  }

  async named(counter: ColumnCounter, tenantId: number): Promise<Sum[]> {
    const { names: numbers } = await counter.tenantHours(tenantId);
    const known = { ask: counter.ask, numbers };
    const names = async (field: GroupField | undefined, ids: Iterable<number>) =>
      field === undefined || field === 'tenantId'
        ? () => String(tenantId)
        : namesOf(known, tenantId, field, [...new Set(ids)]);
    const [first, second] = this.fields;
    const a = await names(first, this.#byIds.keys());
    const b = await names(
      second,
      [...this.#byIds.values()].flatMap((inner) => [...inner.keys()]),
    );
    return [...this.#byIds].flatMap(([id, inner]) =>
      [...inner].map(([other, group]) => ({ ...group, values: second ? [a(id), b(other)] : [a(id)] })),
    );
  }
}

/** Stands for a column whose events all have the same value. */
const ONE_VALUE: Column = { ids: Int32Array.of(0), width: 0, bytes: new Uint8Array(0) };

function wanted<T>(part: T | null): T {
  if (part === null) throw new Error('an hour without a wanted column was taken for one with it');
  return part;
}
