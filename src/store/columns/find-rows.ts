import { Prisma, type Row } from '../../database/clients';
import { HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { COLUMN_OF } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import { recordIdFloor } from '../../event/record-id';
import { IN_BOUNDS, whereOf } from '../rows/event-rows';
import { toStored } from '../rows/stored-text';
import { codeAt } from './codec';
import type { ColumnField } from './column-fields';
import { type ColumnCounter } from './counter';
import { type Tally } from './tally';

/** A stretch of time in milliseconds since 1970, half-open, with the number of its events that pass a filter. */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly n: number;
}

/** The events that are looked for: those of a tenant set and a filter, or only those with one value of a field. */
interface Sought {
  readonly tenants: readonly number[];
  readonly filter: AuditEventFilter;
  readonly value: { readonly field: ColumnField; readonly text: string } | null;
  readonly descending: boolean;
  /** What is read of an event, its record id among it. */
  readonly columns: Prisma.Sql;
}

/** Events from one place on. */
export interface Places {
  /** Their record ids, in order. */
  readonly ids: readonly string[];
  /** The rows of those that were read when they were found. */
  readonly rows: readonly Row[];
}

/**
 * The events from one place on. Hours before the page are skipped by their counts. In the other hours, columns tell the
 * millisecond of each event, so few events are read besides those of the page.
 * @param windows events by hour
 */
export async function findPlaces(
  counter: ColumnCounter,
  sought: Sought,
  windows: Tally['windows'],
  unread: Tally['read'],
  { first, count }: { readonly first: number; readonly count: number },
): Promise<Places> {
  const hours = [...windows].map(([hour, { n }]) => ({
    fromMs: hour * HOUR_MS,
    toMs: (hour + 1) * HOUR_MS,
    n,
  }));
  const touched = cut(inOrder(hours, sought.descending), first, count);
  const stretches = await refined(counter, sought, touched.stretches, unread);
  const found = cut(inOrder(stretches, sought.descending), first - touched.before, count);
  const skip = first - touched.before - found.before;
  const ids: string[] = [];
  // Most of what is found is then on the page.
  const areRead = sought.tenants.length === 1 && skip <= count;
  const columns = areRead ? sought.columns : ID;
  const read: Row[] = [];
  for (const tenantId of sought.tenants) {
    const rows = await counter.ask(placesStatement(tenantId, sought, columns, found.stretches, skip + count));
    if (areRead) read.push(...rows);
    ids.push(...rows.map(({ record_id }) => String(record_id)));
    ids.push(...(await inFiles(counter, tenantId, sought, found.stretches, skip + count)));
  }
  ids.sort();
  if (sought.descending) ids.reverse();
  return { ids: ids.slice(skip, skip + count), rows: read };
}

const ID = Prisma.raw('e.record_id');

function inOrder(stretches: readonly Stretch[], descending: boolean): Stretch[] {
  const sorted = [...stretches].sort((a, b) => a.fromMs - b.fromMs);
  return descending ? sorted.reverse() : sorted;
}

/** The stretches that hold some of the places, and the number of events before these stretches. */
function cut(stretches: readonly Stretch[], first: number, count: number) {
  const touched: Stretch[] = [];
  let [passed, before] = [0, 0];
  for (const stretch of stretches) {
    if (passed >= first + count) break;
    if (passed + stretch.n > first) touched.push(stretch);
    else before += stretch.n;
    passed += stretch.n;
  }
  return { stretches: touched, before };
}

/** Cuts hours down to milliseconds where columns know the events of every tenant. */
async function refined(
  counter: ColumnCounter,
  { tenants, value }: Sought,
  hours: readonly Stretch[],
  read: Tally['read'],
): Promise<Stretch[]> {
  const isRead = ({ fromMs }: Stretch) => tenants.some((id) => read.get(id)?.has(fromMs / HOUR_MS));
  const [whole, known] = [hours.filter(isRead), hours.filter((hour) => !isRead(hour))];
  const counts = new Map<number, number>();
  const unread = new Set<number>();
  const wanted = new Set(known.map(({ fromMs }) => fromMs / HOUR_MS));
  for (const tenantId of wanted.size > 0 ? tenants : []) {
    const tenantHours = await counter.tenantHours(tenantId);
    const code = value ? await counter.numberOf(tenantId, value.field, value.text) : null;
    const without = await tenantHours.visit(
      { fields: value ? [value.field] : [], hasTimes: true },
      ({ hour, count, places, columns }) => {
        const column = value ? columns.column(value.field) : null;
        for (let i = 0; i < count; i++) {
          const place = places ? (places[i] as number) : i;
          if (column && column.ids[codeAt(column, place)] !== code) continue;
          const ms = hour * HOUR_MS + (columns.times?.[place] as number);
          counts.set(ms, (counts.get(ms) ?? 0) + 1);
        }
      },
      wanted,
    );
    for (const hour of without) unread.add(hour);
  }
  const isUnread = (ms: number) => unread.has(Math.floor(ms / HOUR_MS));
  return [
    ...whole,
    ...known.filter(({ fromMs }) => isUnread(fromMs)),
    ...[...counts].filter(([ms]) => !isUnread(ms)).map(([ms, n]) => ({ fromMs: ms, toMs: ms + 1, n })),
  ];
}

/** Places of sealed events, like those of `placesStatement`. */
async function inFiles(
  { sealed }: ColumnCounter,
  tenantId: number,
  { filter, value, descending }: Sought,
  stretches: readonly Stretch[],
  limit: number,
): Promise<readonly string[]> {
  if (!sealed) return [];
  const inOrderOfTime = inOrder(stretches, false).map(({ fromMs, toMs }) => ({
    from: idOf(fromMs),
    to: idOf(toMs),
  }));
  const stored = value && { field: value.field, text: toStored(value.text) };
  return sealed.ids(tenantId, filter, inOrderOfTime, { value: stored, descending, limit });
}

const idOf = (ms: number) => recordIdFloor(BigInt(ms) * TICKS_PER_MS);

function placesStatement(
  tenantId: number,
  { filter, value, descending }: Sought,
  columns: Prisma.Sql,
  stretches: readonly Stretch[],
  count: number,
): Prisma.Sql {
  const order = Prisma.raw(descending ? 'DESC' : 'ASC');
  const column = value ? Prisma.raw(`e.${COLUMN_OF[value.field]}`) : null;
  const text = value?.field === 'succeeded' ? value.text === 'true' : toStored(value?.text ?? '');
  const ofValue = column ? Prisma.sql`AND ${column} = ${text}` : Prisma.empty;
  const [from, to] = [stretches.map(({ fromMs }) => idOf(fromMs)), stretches.map(({ toMs }) => idOf(toMs))];
  return Prisma.sql`
    WITH span AS MATERIALIZED (
      SELECT s.lo_id, s.hi_id FROM unnest(${from}::uuid[], ${to}::uuid[]) AS s(lo_id, hi_id))
    SELECT r.* FROM span h CROSS JOIN LATERAL (
      SELECT ${columns} FROM audit_event e
      WHERE e.tenant_id = ${tenantId}::int AND ${IN_BOUNDS} AND ${whereOf(filter)} ${ofValue}
      ORDER BY e.record_id ${order} LIMIT ${count}::bigint) r
    ORDER BY r.record_id ${order} LIMIT ${count}::bigint`;
}
