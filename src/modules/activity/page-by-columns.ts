import { Prisma, type ServiceDoor } from '../../database/clients';
import type { TenantLookup } from '../../database/each-tenant';
import { HOUR_MS } from '../../event/event-time';
import { SORTS } from '../../event/parameters';
import type { AuditEventFilter, AuditEventQuery } from '../../event/query';
import { type ColumnCounter, inSnapshot } from '../../store/columns/counter';
import { findPlaces, type Places } from '../../store/columns/find-rows';
import { type Tally } from '../../store/columns/tally';
import { listColumns, type Row } from '../../store/rows/event-rows';
import { toStored } from '../../store/rows/stored-text';
import type { TenantSet } from '../../tenant-set';

/** @returns the rows of a page in order and the total, both from one snapshot */
export function pageByColumns(
  service: ServiceDoor,
  tenants: TenantSet,
  query: AuditEventQuery,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
  return inSnapshot(service, tenants, query.filter, async (counter) => {
    const { total, ...places } =
      query.sort === SORTS.Timestamp
        ? await byTime(counter, tenants, query)
        : await byValue(counter, tenants, query);
    return { rows: await rowsOf(counter, tenants, places, query), total };
  });
}

/** @returns the record of the latest event, which a summary needs beside its counts */
export async function latestRecord(
  counter: ColumnCounter,
  tenants: TenantSet,
  filter: AuditEventFilter,
  { windows, read }: Pick<Tally, 'windows' | 'read'>,
): Promise<string | null> {
  const sought = { tenants, filter, value: null, descending: true, columns: Prisma.raw('e.record_id') };
  const { ids } = await findPlaces(counter, sought, windows, read, { first: 0, count: 1 });
  return ids[0] ?? null;
}

const NO_PLACES: Places = { ids: [], rows: [] };

const spanOf = ({ page, pageSize }: AuditEventQuery) => ({ first: (page - 1) * pageSize, count: pageSize });

async function byTime(
  counter: ColumnCounter,
  tenants: TenantSet,
  query: AuditEventQuery,
): Promise<Places & { readonly total: number }> {
  const { total, windows, read } = await counter.count({ windowMs: HOUR_MS, fields: [], hasOutcomes: false });
  const sought = { ...soughtOf(tenants, query), value: null };
  const places = total.n === 0 ? NO_PLACES : await findPlaces(counter, sought, windows, read, spanOf(query));
  return { total: total.n, ...places };
}

/** Finds first the values that the page touches, and then the page's events with these values. */
async function byValue(
  counter: ColumnCounter,
  tenants: TenantSet,
  query: AuditEventQuery,
): Promise<Places & { readonly total: number }> {
  const field = query.sort as Exclude<AuditEventQuery['sort'], 'recordId'>;
  const { total, values } = await counter.count({ windowMs: null, fields: [field], hasOutcomes: false });
  const sorted = [...(values.get(field) ?? [])].sort(([a], [b]) => compareStored(a, b));
  if (query.descending) sorted.reverse();
  const { first, count } = spanOf(query);
  const touched: { text: string; first: number; count: number }[] = [];
  let passed = 0;
  for (const [text, { n }] of sorted) {
    const [from, to] = [Math.max(first, passed), Math.min(first + count, passed + n)];
    if (from < to) touched.push({ text, first: from - passed, count: to - from });
    passed += n;
  }
  if (touched.length === 0) return { total: total.n, ...NO_PLACES };
  const ofValues = { field, values: new Set(touched.map(({ text }) => text)) };
  const { windowsOfValues, read } = await counter.count({
    windowMs: HOUR_MS,
    fields: [],
    hasOutcomes: false,
    ofValues,
  });
  const all: Places[] = [];
  for (const { text, ...span } of touched) {
    const sought = { ...soughtOf(tenants, query), value: { field, text } };
    all.push(await findPlaces(counter, sought, windowsOfValues.get(text) ?? new Map(), read, span));
  }
  return {
    total: total.n,
    ids: all.flatMap(({ ids }) => ids),
    rows: all.flatMap(({ rows }) => rows),
  };
}

const soughtOf = (tenants: TenantSet, query: AuditEventQuery) => ({
  tenants,
  filter: query.filter,
  descending: query.descending,
  columns: listColumns(query),
});

/** Compares texts as the database sorts stored texts: by their bytes. */
const compareStored = (a: string, b: string) =>
  Buffer.compare(Buffer.from(toStored(a), 'utf8'), Buffer.from(toStored(b), 'utf8'));

/** @returns the rows in the order of the ids */
async function rowsOf(
  counter: ColumnCounter,
  tenants: TenantSet,
  { ids, rows: read }: Places,
  query: AuditEventQuery,
): Promise<Row[]> {
  const rows = new Map(read.map((row) => [String(row.record_id), row]));
  const others = ids.filter((id) => !rows.has(id));
  for (const tenantId of others.length === 0 ? [] : tenants) {
    const found = await counter.ask(rowsStatement(tenantId, others, counter.lookup, query));
    const inFiles = found.length < others.length ? await counter.sealed?.listRows(tenantId, others) : [];
    for (const row of [...found, ...(inFiles ?? [])]) rows.set(String(row.record_id), row);
  }
  return ids.map((id) => rows.get(id)).filter((row) => row !== undefined);
}

export const rowsStatement = (
  tenantId: number,
  ids: readonly string[],
  of: TenantLookup,
  query: Pick<AuditEventQuery, 'hasLifted'> = {},
): Prisma.Sql =>
  Prisma.sql`
    SELECT ${listColumns(query)} FROM audit_event e
    WHERE e.tenant_id = ${of.lookup(Prisma.sql`${tenantId}::int`)} AND e.record_id = ANY(${[...ids]}::uuid[])`;
