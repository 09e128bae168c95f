import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { ID_BYTES, idText } from '../../src/event/record-id';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { HASH_BYTES } from '../../src/store/log/evidence/merkle';
import { oneTenant } from '../../src/tenant-set';
import { ENGINES } from '../support/engines';
import { NO_FILTER } from '../support/filters';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const LEAF_BYTES = ID_BYTES + HASH_BYTES;
const PAGE = { filter: NO_FILTER, sort: 'recordId', descending: true, page: 1, pageSize: 100 } as const;
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

    expect(await trial.seal('2026-01-07T00:00:00Z')).toMatchObject({ outcome: 'sealed', events: 7 });
    expect(await store.count()).toBe(2);
    expect(await reader.page(oneTenant(store.tenantId), PAGE)).toEqual(before);
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
});
