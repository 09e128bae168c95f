import type { Client } from 'pg';
import { loadConfig } from '../../src/config';
import { openDatabase } from '../../src/database/database';
import { migrate } from '../../src/database/migrate';
import { isLifted } from '../../src/event/fields';
import { HourColumns, type PackedColumns } from '../../src/modules/search/hour-columns';
import {
  COLUMN_FIELDS,
  type ColumnField,
  columnOf,
  kindOf,
  LAYOUT,
} from '../../src/store/columns/column-fields';
import { KEYS } from '../../src/store/counts/dimensions';
import { toStored } from '../../src/store/rows/stored-text';
import type { Bench } from '../context';
import { Calendar } from '../data/calendar';
import { EventSource } from '../data/event-source';
import { sharesOf } from '../data/tenants';
import { withClient } from '../processes/databases';

const HOUR_MS = 3_600_000;
const TICKS = /^(.{19})\.(\d{7})Z$/;
/** Sessions write a file side by side, so events are out of order: an hour closes only this many hours later. */
const HOURS_OPEN = 2;
const TENANT_ID = 1;

/** In a database that has everything of this release. */
const MADE = 'bench_made_with_values';

type MadeEvent = Readonly<Record<string, unknown>> & { readonly eventTime: string };

/** A database with the columns and the counts of the busiest tenant's events, and without the events themselves. */
export interface MadeColumns {
  readonly url: string;
  readonly tenantId: number;
  readonly events: number;
}

/** @param rows events of all tenants: the busiest has a quarter of them */
export async function madeColumns(bench: Bench, rows: number): Promise<MadeColumns> {
  const databases = await bench.databases();
  const [events = 0] = sharesOf(rows);
  const name = `columns_${events}`;
  const made = { url: databases.urlOf(name), tenantId: TENANT_ID, events };
  if (!bench.options.fresh && (await databases.exists(name)) && (await withClient(made.url, isWhole)))
    return made;
  bench.say(`making the columns of ${events.toLocaleString('en')} events`);
  await databases.create(name);
  const database = await openDatabase(loadConfig({ DATABASE_URL: made.url }));
  await migrate(database.migrator).finally(() => database.close());
  await withClient(made.url, async (client) => {
    await client.query(`INSERT INTO tenant (tenant_id, name) VALUES (${TENANT_ID}, 'Tenant 1')`);
    await put(client, events);
    await client.query('VACUUM (ANALYZE)');
    await client.query(`CREATE TABLE ${MADE} ()`);
  });
  return made;
}

async function isWhole(client: Client): Promise<boolean> {
  const { rows } = await client.query(`SELECT to_regclass('${MADE}') IS NOT NULL AS there`);
  return rows[0].there;
}

async function put(client: Client, events: number): Promise<void> {
  const source = new EventSource(0, events, new Calendar());
  const numbers = new Map(COLUMN_FIELDS.map((field) => [field, new Map<string, number>()]));
  const open = new Map<number, MadeEvent[]>();
  const close = async (before: number) => {
    for (const [hour, all] of open)
      if (hour < before) {
        open.delete(hour);
        await putHour(client, hour, all, numbers);
      }
  };
  for (let batch = 0; batch < source.batches; batch++) {
    let last = 0;
    for (const event of JSON.parse(source.batch(batch)) as MadeEvent[]) {
      last = Math.floor(Date.parse(event.eventTime) / HOUR_MS);
      const all = open.get(last);
      if (all) all.push(event);
      else open.set(last, [event]);
    }
    await close(last - HOURS_OPEN);
  }
  await close(Number.POSITIVE_INFINITY);
}

async function putHour(
  client: Client,
  hour: number,
  events: readonly MadeEvent[],
  numbers: ReadonlyMap<ColumnField, Map<string, number>>,
): Promise<void> {
  const columns = columnsOf(hour, events);
  for (const [field, known] of numbers) {
    const kind = kindOf(field);
    if (kind === null) continue;
    for (const value of columns.valuesOf(field)) {
      if (known.has(value)) continue;
      known.set(value, known.size + 1);
      await client.query('INSERT INTO audit_dim (tenant_id, kind, value, dim_id) VALUES ($1, $2, $3, $4)', [
        ...[TENANT_ID, kind, value, known.size],
      ]);
    }
  }
  const texts = COLUMN_FIELDS.map((field) => columns.textOf(field, numbers.get(field) ?? new Map()));
  await client.query(
    `INSERT INTO audit_segment (tenant_id, hour, n, singles, layout, version, times, ${COLUMN_FIELDS.map(columnOf).join(', ')})
     VALUES ($1, $2, $3, '{}', ${LAYOUT}, gen_random_uuid(), $4, ${texts.map((_, i) => `$${5 + i}`).join(', ')})`,
    [TENANT_ID, hour, events.length, columns.times, ...texts],
  );
  await putCounts(client, hour, events, numbers);
}

/** The counts of an hour: of all events, and of each value. */
async function putCounts(
  client: Client,
  hour: number,
  events: readonly MadeEvent[],
  numbers: ReadonlyMap<ColumnField, Map<string, number>>,
): Promise<void> {
  const keyed = KEYS.map(({ field }, at) => ({ field, at, known: numbers.get(field) }));
  const counts = new Map<string, { keys: number[]; n: number; ok: number }>();
  const add = (keys: number[], succeeded: unknown) => {
    const count = counts.get(String(keys)) ?? { keys, n: 0, ok: 0 };
    counts.set(String(keys), count);
    count.n++;
    if (succeeded) count.ok++;
  };
  for (const event of events) {
    add([0, 0, 0], event.succeeded);
    for (const { field, at, known } of keyed) {
      const number = known?.get(toStored(String(event[field] ?? ''))) ?? 0;
      add(
        KEYS.map((_, i) => (i === at ? number : 0)),
        event.succeeded,
      );
    }
  }
  const all = [...counts.values()];
  const columns = [0, 1, 2].map((at) => all.map(({ keys }) => keys[at]));
  await client.query(
    `INSERT INTO audit_count (tenant_id, grain, bucket, a, d, p, n, ok)
     SELECT $1, 1, $2, u.* FROM unnest($3::int[], $4::int[], $5::int[], $6::int[], $7::int[]) u`,
    [TENANT_ID, hour, ...columns, all.map(({ n }) => n), all.map(({ ok }) => ok)],
  );
}

/** Makes the columns of an hour as the indexer makes them from rows. */
function columnsOf(hour: number, events: readonly MadeEvent[]): PackedColumns {
  const sorted = events.toSorted((a, b) => (a.eventTime < b.eventTime ? -1 : 1));
  const columns = new HourColumns();
  const ofField = (field: ColumnField) =>
    sorted.map((event) => {
      const value = isLifted(field) ? null : event[field];
      return typeof value === 'boolean' ? value : toStored(String(value ?? ''));
    });
  const lists = COLUMN_FIELDS.map((field) => [columnOf(field), JSON.stringify(ofField(field))]);
  const times = JSON.stringify(sorted.map(({ eventTime }) => digitsOf(eventTime)));
  columns.add({ times, ...Object.fromEntries(lists) }, hour * HOUR_MS);
  return columns.pack();
}

/** The first digits of a record id of this time: its milliseconds. */
function digitsOf(eventTime: string): string {
  const [, second = '', fraction = ''] = TICKS.exec(eventTime) ?? [];
  const digits = (Date.parse(`${second}Z`) + Number(fraction.slice(0, 3))).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
