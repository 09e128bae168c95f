import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Client } from 'pg';
import { HOUR_MS } from '../../src/event/event-time';
import { ID_BYTES, idHex, idText } from '../../src/event/record-id';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { listItemsByIds } from '../../src/store/archive/rows-by-id';
import { sealWeek } from '../../src/store/archive/seal-week';
import { HASH_BYTES } from '../../src/store/log/evidence/merkle';
import { floorOfWeek, weekOfMs } from '../../src/store/rows/partitions';
import { oneTenant } from '../../src/tenant-set';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { describeOnPostgres, ENGINES } from '../support/engines';
import { NO_FILTER } from '../support/filters';
import { waitersOn } from '../support/lock-waiters';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const LEAF_BYTES = ID_BYTES + HASH_BYTES;
const PAGE = { filter: NO_FILTER, sort: 'recordId', descending: true, page: 1, pageSize: 100 } as const;
const SEARCHED = '2026-02-03T08:00:00Z';
const TEXTS = [
  'SELECT 1',
  '',
  'it\'s\n"quoted" \\ \u{1F600}',
  'half \uD83D',
  'nul \0',
  '\uFEFFmark',
  '\u{10F800}',
];

describe.each(ENGINES)('sealing a week on %s', (engine) => {
  let store: Store;
  let trial: ArchiveTrial;
  beforeAll(async () => {
    store = await Store.open(engine);
    trial = await ArchiveTrial.open(store);
  });
  afterAll(async () => {
    await trial.close();
    await store.close();
  });

  it('puts the events of the week into a file that the log proves, and deletes their rows', async () => {
    const events = store.checked([
      ...TEXTS.map((statement, i) => ({
        eventTime: `2026-01-${String(5 + i).padStart(2, '0')}T08:00:00.000000${i}Z`,
        statement,
      })),
      { eventTime: '2026-01-12T00:00:00.0000000Z' },
      { eventTime: '2026-01-04T23:59:59.9999999Z' },
    ]);
    await store.insert(events);
    const reader = new PostgresAuditEventReader(store.database.service);
    const before = await reader.page(oneTenant(store.tenantId), PAGE);
    expect(before.totalCount).toBe(9);
    expect(await trial.seal('2026-01-07T00:00:00Z')).toMatchObject({ outcome: 'waits' });
    await trial.settle();
    await store.query(
      'INSERT INTO audit_clock VALUES ($1, $2::uuid, now())',
      store.tenantId,
      events[0]?.recordId,
    );
    expect(await trial.seal('2026-01-07T00:00:00Z')).toEqual({
      outcome: 'waits',
      because: 'retention counts events of the week from their arrival',
    });
    await store.query('DELETE FROM audit_clock WHERE tenant_id = $1', store.tenantId);

    expect(await trial.seal('2026-01-07T00:00:00Z')).toMatchObject({ outcome: 'sealed', events: 7 });
    expect(await store.count()).toBe(2);
    expect(await reader.page(oneTenant(store.tenantId), PAGE)).toEqual(before);
  });

  it('accuses nobody where an event of the week is erased while it is sealed', async () => {
    const other = await store.forNewTenant();
    const events = other.checked([1, 2, 3].map((i) => ({ eventTime: `2026-01-06T08:00:00.000000${i}Z` })));
    await other.insert(events);
    await trial.settle();
    const { tenantId } = other;
    const { worker, cache, folder } = trial;
    const erased = events[1]?.recordId ?? '';
    const leaves: typeof worker.leaves = async (...asked) => {
      await store.query(
        'DELETE FROM audit_event WHERE tenant_id = $1 AND record_id = $2::uuid',
        tenantId,
        erased,
      );
      await store.query(
        `UPDATE audit_log_tile SET record_ids = decode(replace(encode(record_ids, 'hex'), $2, repeat('0', 32)), 'hex')
         WHERE tenant_id = $1 AND level = 0`,
        ...[tenantId, idHex(erased)],
      );
      return worker.leaves(...asked);
    };
    const write: typeof worker.write = (...asked) => worker.write(...asked);
    const writer = { ...{ leaves, write }, rowsAfter: () => Promise.resolve([]) };
    const { owner } = store.database;
    await trial.tenants.announce(tenantId);
    const parts = { ...{ owner, key: TEST_CHECKPOINT_KEY, writer, cache, folder } };
    const week = weekOfMs(Date.parse('2026-01-06'));
    expect(await sealWeek(parts, tenantId, week)).toEqual({
      outcome: 'waits',
      because: 'events of the week came or went meanwhile',
    });
    expect(await other.count()).toBe(2);
  });

  it('proves nothing by an event that a file has twice: it would lack another one', async () => {
    const other = await store.forNewTenant();
    await other.insert(
      other.checked([1, 2, 3].map((i) => ({ eventTime: `2026-01-06T08:00:00.000000${i}Z` }))),
    );
    await trial.settle();
    const { tenantId } = other;
    const { worker, cache, folder } = trial;
    const leaves: typeof worker.leaves = async (...asked) => {
      const found = Buffer.from(await worker.leaves(...asked));
      found.copyWithin(LEAF_BYTES, 0, LEAF_BYTES);
      return found;
    };
    const write: typeof worker.write = (...asked) => worker.write(...asked);
    const writer = { ...{ leaves, write }, rowsAfter: () => Promise.resolve([]) };
    const { owner } = store.database;
    await trial.tenants.announce(tenantId);
    const parts = { ...{ owner, key: TEST_CHECKPOINT_KEY, writer, cache, folder } };
    await expect(sealWeek(parts, tenantId, weekOfMs(Date.parse('2026-01-06')))).rejects.toThrow(
      /is twice in the file/,
    );
    expect(await other.count()).toBe(3);
  });

  it('lets records of files and of rows be asked for together, in whatever order', async () => {
    const { service } = store.database;
    const lately = new Date(Date.now() - HOUR_MS).toISOString().replace('Z', '0000Z');
    await store.insert(store.checked([{ eventTime: lately }]));
    const page = await new PostgresAuditEventReader(service).page(oneTenant(store.tenantId), PAGE);
    expect(page.totalCount).toBe(10);
    const ids = page.items.map(({ recordId }) => recordId);
    const found = await listItemsByIds(service, oneTenant(store.tenantId), ids);
    expect(found.map(({ recordId }) => recordId).sort()).toEqual(ids.toSorted());
  });

  it('reads its events back in parts, in the order of their record ids', async () => {
    const folder = path.join(trial.folder, 'cache');
    const file = path.join(folder, (await readdir(folder))[0] ?? '');
    const all = await trial.worker.leaves(file, null, 100);
    expect(all).toHaveLength(TEXTS.length * LEAF_BYTES);
    const idAt = (at: number) => idText(all.subarray(at * LEAF_BYTES, at * LEAF_BYTES + ID_BYTES));
    const ids = TEXTS.map((_, at) => idAt(at));
    expect(ids.toSorted()).toEqual(ids);
    for (let at = 0; at < TEXTS.length; at += 2) {
      const after = at === 0 ? null : idAt(at - 1);
      const part = await trial.worker.leaves(file, after, 2);
      expect(part).toEqual(all.subarray(at * LEAF_BYTES, (at + 2) * LEAF_BYTES));
      const rows = await trial.worker.rowsAfter(file, after, 2);
      expect(rows.map(({ record_id }) => record_id)).toEqual(ids.slice(at, at + 2));
    }
  });

  it.each(['class_type', 'role_member', 'session_id'])(
    'refuses a file whose %s is not what the event states',
    async (column) => {
      const folder = path.join(trial.folder, 'cache');
      const file = path.join(folder, (await readdir(folder))[0] ?? '');
      const other = path.join(trial.folder, `${column}.parquet`);
      const duck = await (await DuckDBInstance.create(':memory:')).connect();
      await duck.run(
        `COPY (SELECT * REPLACE (7 AS ${column}) FROM read_parquet('${file}')) TO '${other}' (FORMAT parquet)`,
      );
      await expect(trial.worker.leaves(other, null, 100)).rejects.toThrow('other lifted fields');
    },
  );

  it.each(['seals', 'restores'] as const)(
    'accuses nobody where another attempt %s the week while its rows are read',
    async (what) => {
      const other = await store.forNewTenant();
      const time = '2026-01-07T00:00:00Z';
      await other.insert(
        other.checked([1, 2].map((i) => ({ eventTime: `2026-01-06T08:00:00.000000${i}Z` }))),
      );
      await trial.settle();
      if (what === 'restores') await trial.seal(time, other.tenantId);
      const late = other.checked([{ eventTime: '2026-01-06T08:00:00.0000003Z' }]);
      await other.insert(late);
      await trial.settle();
      const { owner } = store.database;
      let isFirst = true;
      const ask: typeof owner.ask = async (sql) => {
        const rows = await owner.ask(sql);
        const [row] = rows;
        if (isFirst && row && 'lines' in row) {
          isFirst = false;
          if (what === 'seals') await trial.seal(time, other.tenantId);
          else await trial.restore(time, other.tenantId);
        }
        return rows as never;
      };
      expect(await trial.seal(time, other.tenantId, { ...owner, ask })).toMatchObject({ outcome: 'waits' });
      expect(isFirst).toBe(false);
      expect(await trial.seal(time, other.tenantId)).toMatchObject(
        what === 'seals' ? { outcome: 'empty' } : { outcome: 'sealed', events: 3 },
      );
    },
  );

  it('states the first and the last of all its events when it is sealed anew with some that came late', async () => {
    const bounds = async () => {
      const [row] = await store.query<{ first: string; last: string; events: number }>(
        `SELECT first_id::text AS first, last_id::text AS last, events::int AS events FROM audit_sealed_week
         WHERE tenant_id = $1 AND week = $2`,
        ...[store.tenantId, weekOfMs(Date.parse('2026-01-26T00:00:00Z'))],
      );
      return row;
    };
    const sealed = async (...times: readonly string[]) => {
      await store.insert(store.checked(times.map((eventTime) => ({ eventTime }))));
      await trial.settle();
      expect(await trial.seal('2026-01-26T00:00:00Z')).toMatchObject({ outcome: 'sealed' });
      return bounds();
    };
    const first = await sealed('2026-01-27T08:00:00Z', '2026-01-30T08:00:00Z');
    expect(await sealed('2026-01-28T08:00:00Z')).toEqual({ ...first, events: 3 });
    const wider = await sealed('2026-01-26T08:00:00Z', '2026-01-31T08:00:00Z');
    expect([
      wider?.events,
      `${wider?.first}` < `${first?.first}`,
      `${wider?.last}` > `${first?.last}`,
    ]).toEqual([5, true, true]);
  });

  it('brings the texts by which rows are searched back as they were', async () => {
    const texts = () =>
      store.query(
        `SELECT record_id, search_text FROM audit_event WHERE tenant_id = $1 AND record_id >= $2::uuid
         AND record_id < $3::uuid ORDER BY 1`,
        ...[store.tenantId, ...[0, 1].map((more) => floorOfWeek(weekOfMs(Date.parse(SEARCHED)) + more))],
      );
    const seconds = TEXTS.map((statement, i) => ({
      eventTime: SEARCHED.replace('00Z', `0${i}Z`),
      statement,
      objectName: `Object ${statement}`,
    }));
    await store.insert(store.checked(seconds));
    await trial.settle();
    const before = await texts();
    expect(before).toHaveLength(TEXTS.length);
    expect(await trial.seal(SEARCHED)).toMatchObject({ outcome: 'sealed' });
    expect(await texts()).toEqual([]);
    expect(await trial.restore(SEARCHED)).toBe(TEXTS.length);
    expect(await texts()).toEqual(before);
    // An instance of the release before looks for words in these texts alone.
    const first = `WHERE migration_name LIKE '0001%'`;
    await store.query(`UPDATE _prisma_migrations SET finished_at = finished_at - interval '1 day' ${first}`);
    await trial.settle();
    expect(await trial.seal(SEARCHED)).toMatchObject({ outcome: 'sealed' });
    expect(await trial.restore(SEARCHED)).toBe(TEXTS.length);
    expect(await texts()).toEqual(
      before.map((row) => ({ ...(row as object), search_text: expect.stringMatching(/\x7fobject\x7f/) })),
    );
  });

  it('takes a week that is read in several parts, and shows each page of an hour of it', async () => {
    const other = await store.forNewTenant();
    const { tenantId } = other;
    const long = 'x'.repeat(500_000);
    const events = other.checked(
      Array.from({ length: 11 }, (_, i) => ({
        eventTime: `2026-01-06T08:00:00.00000${String(i).padStart(2, '0')}Z`,
        statement: `SELECT ${i} ${long}`,
      })),
    );
    await other.insert(events);
    await trial.settle();
    expect(await trial.seal('2026-01-06T00:00:00Z', tenantId)).toMatchObject({
      outcome: 'sealed',
      events: 11,
    });
    const reader = new PostgresAuditEventReader(other.database.service);
    const ids = events.map(({ recordId }) => recordId).sort();
    for (const descending of [true, false]) {
      const pages: string[][] = [];
      for (const page of [1, 2, 3]) {
        const query = { ...PAGE, descending, page, pageSize: 4 };
        const { items } = await reader.page(oneTenant(tenantId), query);
        pages.push(items.map(({ recordId }) => recordId));
      }
      expect(pages.map(({ length }) => length)).toEqual([4, 4, 3]);
      expect(pages.flat()).toEqual(descending ? ids.toReversed() : ids);
    }
  });
});

describeOnPostgres('a week that comes back into rows', () => {
  it('waits for a batch that looked whether its events lie in files: it is counted once', async () => {
    const store = await Store.open('postgresql');
    const trial = await ArchiveTrial.open(store);
    const batch = new Client({ connectionString: store.place.databaseUrl ?? '' });
    try {
      await store.insert(store.checked([{ eventTime: '2026-01-06T08:00:00.0000000Z' }]));
      await trial.settle();
      expect((await trial.seal('2026-01-06T00:00:00Z')).outcome).toBe('sealed');
      await batch.connect();
      await batch.query('BEGIN');
      await batch.query('SELECT generation FROM audit_archive WHERE tenant_id = $1 FOR SHARE', [
        store.tenantId,
      ]);
      let isBack = false;
      const restoring = trial.restore('2026-01-06T00:00:00Z').then((count) => {
        isBack = true;
        return count;
      });
      await Promise.race([waitersOn(batch, 1), restoring]);
      expect(isBack).toBe(false);
      await batch.query('COMMIT');
      expect(await restoring).toBe(1);
    } finally {
      await batch.end();
      await trial.close();
      await store.close();
    }
  });
});
