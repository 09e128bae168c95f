import { COLUMN_OF, isNumberField, type NumberField } from '../../event/fields';
import { exactInteger } from '../../event/lifted';
import { LIMITS } from '../../limits';
import { fromStored } from '../rows/stored-text';
import type { GroupField } from './column-fields';
import type { ColumnCounter } from './counter';
import { COUNTS, gather } from './kept-days';
import { type EventGroup, join, type Sum, TenantGroups, tooLongGroups, tooManyGroups } from './tenant-groups';

export type { EventGroup } from './tenant-groups';

/** The fields by which events are grouped: one to three. */
export type GroupFields = readonly [GroupField, GroupField?, GroupField?];

export interface Grouping {
  readonly fields: GroupFields;
  /** The field whose numbers are added up; null: none. */
  readonly sumOf: NumberField | null;
}

/** Counters of the period before. */
export interface Before {
  readonly events: ColumnCounter;
  /** Everything that the servers recorded then, whatever else the filter says. */
  readonly recorded: ColumnCounter;
  /** Whether groups that have events only then are groups, too. */
  readonly isListed: boolean;
}

/**
 * All groups of the events that a counter counts.
 * @param before null: there is no such period
 * @throws DomainError `invalid_parameter` where there are more groups than `LIMITS.groupsCountedMax`, or their values are
 * longer than `LIMITS.groupsCountedChars`
 */
export async function groupsByColumns(
  counter: ColumnCounter,
  before: Before | null,
  grouping: Grouping,
): Promise<readonly EventGroup[]> {
  const groups = new Groups(grouping.fields);
  for (const tenantId of counter.tenants)
    for (const group of await groupsOfTenant(counter, tenantId, grouping)) {
      groups.add(group);
      await counter.clock.take();
    }
  if (before) await addBefore(before, grouping.fields, groups);
  return [...groups.byValues.values()];
}

/** Groups of several tenants, as many as can be counted. */
class Groups {
  readonly byValues = new Map<string, Sum>();
  #chars = 0;

  constructor(private readonly fields: GroupFields) {}

  /** @throws DomainError `invalid_parameter` */
  add(group: Sum): void {
    const key = JSON.stringify(group.values);
    const known = this.byValues.get(key);
    if (known) {
      join(known, group);
      return;
    }
    this.byValues.set(key, group);
    this.#chars += key.length;
    if (this.byValues.size > LIMITS.groupsCountedMax) throw tooManyGroups(this.fields);
    if (this.#chars > LIMITS.groupsCountedChars) throw tooLongGroups(this.fields);
  }
}

/** Adds the counts of the period before, except where the servers of a group recorded nothing then. */
async function addBefore(
  { events, recorded, isListed }: Before,
  fields: GroupFields,
  groups: Groups,
): Promise<void> {
  const { byValues } = groups;
  const then = new Map<string, number>();
  for (const tenantId of events.tenants)
    for (const group of await groupsOfTenant(events, tenantId, { fields, sumOf: null })) {
      const key = JSON.stringify(group.values);
      const known = byValues.get(key);
      if (!known && !isListed) continue;
      then.set(key, (then.get(key) ?? 0) + group.n);
      // The times of a group without events in the range are those of the period before.
      if (!known || known.n === 0) groups.add({ ...group, n: 0, failed: 0 });
      await events.clock.take();
    }
  const wasRecorded = await recordedServers(recorded, fields, then.size > 0);
  for (const [key, group] of byValues) {
    const n = then.get(key) ?? 0;
    group.before = n > 0 || wasRecorded(group) ? n : null;
  }
}

/** Whether the servers that a group names recorded anything; of one that names none, whether any server did. */
async function recordedServers(
  recorded: ColumnCounter,
  fields: GroupFields,
  isAnyKnown: boolean,
): Promise<(group: EventGroup) => boolean> {
  const places = fields.flatMap((field, i) => (isServerField(field) ? [i] : []));
  if (places.length === 0) {
    const isAny = isAnyKnown || (await recorded.count(TOTAL)).total.n > 0;
    return () => isAny;
  }
  const names = new Set<string>();
  for (const tenantId of recorded.tenants)
    for (const { values } of await groupsOfTenant(recorded, tenantId, {
      fields: places.map((i) => fields[i]),
      sumOf: null,
    }))
      names.add(JSON.stringify(values));
  return ({ values }) => names.has(JSON.stringify(places.map((i) => values[i])));
}

const isServerField = (field: GroupField | undefined) =>
  field === 'tenantId' || field === 'serverInstanceName';
const TOTAL = { windowMs: null, fields: [], hasOutcomes: false } as const;

/** @returns groups; those of hours whose events had to be read stand beside the others */
async function groupsOfTenant(
  counter: ColumnCounter,
  tenantId: number,
  {
    fields: given,
    sumOf,
  }: { readonly fields: readonly (GroupField | undefined)[] } & Omit<Grouping, 'fields'>,
): Promise<Sum[]> {
  const fields = given.filter((field) => field !== undefined);
  const groups = new TenantGroups(fields, sumOf);
  const hours = await counter.tenantHours(tenantId);
  const wants = { fields: groups.columns, hasTimes: true };
  // Numbers have no numbers of values that a later question knows.
  const unread = groups.columns.some(isNumberField)
    ? await hours.visit(wants, (block) => groups.add(block))
    : await gather(hours, {
        name: JSON.stringify(fields),
        wanted: wants,
        kept: COUNTS,
        open: () => new TenantGroups(fields, null),
        take: (packed) => groups.take(packed),
      });
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
        before: null,
        firstMs: Number(row.first_ms),
        lastMs: Number(row.last_ms),
        sum: typeof row.sum === 'string' ? exactInteger(row.sum) : null,
      };
    }),
  ];
}
