import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import type { OwnerDoor } from '../../src/database/clients';
import { HOUR_MS } from '../../src/event/event-time';
import { LIST_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventQuery } from '../../src/event/query';
import { parseSearch } from '../../src/event/search';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { readEvents } from '../../src/modules/search/index-statements';
import { Indexer } from '../../src/modules/search/indexer';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../src/modules/tenants/retention/retention.store';
import { Folder } from '../../src/store/counts/fold';
import { tenantSet } from '../../src/tenant-set';
import { AT_ONCE } from '../support/at-once';
import { AN_ATTEMPT } from '../support/attempt';
import { ENGINES } from '../support/engines';
import { NO_FILTER } from '../support/filters';
import { seeingSteps } from '../support/recorded-statements';
import { Store } from '../support/store';

const EVENTS = 2_345;
/** Of PostgreSQL. */
const BLOCK_BYTES = 8_192;
/** Events of one hour: each has the word `common`, some have `seldom`, and each has a word of its own. */
const hour = Array.from({ length: EVENTS }, (_, index) => ({
  eventTime: `2026-01-05T08:${String(index % 60).padStart(2, '0')}:00.0000000Z`,
  statement: `SELECT common${index % 100 === 0 ? ' seldom seldom' : ''} w${index}`,
  blockOffset: 512 * (index + 1),
}));

describe.each(ENGINES)('the search index on %s', (engine) => {
  let base: Store;
  let store: Store;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  beforeEach(async () => {
    store = await base.forNewTenant();
    await store.insert(store.checked(hour));
    await new Folder(store.database.migrator).run();
  });
  afterAll(() => base.close());

  const segments = () =>
    store.query<{ n: number; singles: number }>(
      'SELECT n, cardinality(singles) AS singles FROM audit_segment WHERE tenant_id = $1',
      store.tenantId,
    );
  async function count(text: string): Promise<number> {
    const parsed = parseSearch(text);
    const search = 'terms' in parsed ? parsed.terms : [];
    const query = {
      filter: { ...NO_FILTER, search },
      sort: 'recordId',
      descending: true,
      page: 1,
      pageSize: 1,
    } as const;
    const page = await new PostgresAuditEventReader(store.database.service).page(
      tenantSet([store.tenantId]),
      query,
    );
    return page.totalCount;
  }
  const counts = async () => ({
    common: await count('common'),
    seldom: await count('seldom'),
    one: await count('w2344'),
    none: await count('w2345'),
  });
  const TRUE_COUNTS = { common: EVENTS, seldom: 24, one: 1, none: 0 };

  it('indexes an hour that is read in several pieces', async () => {
    expect(await new Indexer(store.database.owner, AT_ONCE).run()).toBe(1);
    const [segment, ...others] = await segments();
    expect(others).toEqual([]);
    expect(segment?.n).toBe(EVENTS);
    expect(segment?.singles).toBeGreaterThanOrEqual(EVENTS);
    const [word] = await store.query<{ n: number }>(
      "SELECT n FROM audit_word WHERE tenant_id = $1 AND word = 'seldom'",
      store.tenantId,
    );
    expect(word?.n).toBe(24);
    expect(await counts()).toEqual(TRUE_COUNTS);
  });

  it('reads long statements in small pieces, and several hours with them one after the other', async () => {
    const long = 'filler '.repeat(140_000);
    const times = ['09:00', '09:10', '09:20', '09:30', '09:40', '09:50', '10:00', '10:10', '11:00'];
    const events = times.map((time, n) => ({
      eventTime: `2026-01-05T${time}:00.0000000Z`,
      statement: `common ${n % 2 === 0 ? long + long : long} w${n}longlonglonglong`,
    }));
    await store.insert(store.checked(events));
    await new Folder(store.database.migrator).run();
    let longest = 0;
    const owner = seeingSteps(store.database.owner, (_, rows) => {
      longest = Math.max(longest, JSON.stringify(rows).length);
    });
    expect(await new Indexer(owner, AT_ONCE).run()).toBe(4);
    // A read has at most 8 MiB of texts, or one event.
    expect(longest).toBeGreaterThan(2_000_000);
    expect(longest).toBeLessThan(10_000_000);
    expect((await segments()).map(({ n }) => n).sort()).toEqual([1, 2, 6, EVENTS].sort());
    expect(await count('common')).toBe(EVENTS + times.length);
    expect(await count('w7longlonglonglong')).toBe(1);
  });

  it('does not read the long texts of events that its next read brings', async () => {
    const [hourOfLong, bytes] = [Date.parse('2026-01-05T09:00:00Z') / HOUR_MS, 200_000];
    const long = Array.from({ length: 40 }, (_, i) => ({
      eventTime: '2026-01-05T09:00:00.0000000Z',
      statement: randomBytes(60_000).toString('base64'),
      blockOffset: 512 * (EVENTS + i + 1),
    }));
    await store.insert(store.checked(long));
    const [row] = await store.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${readEvents(1_000)}`,
      ...[store.tenantId, [hourOfLong], '00000000-0000-0000-0000-000000000000', bytes],
    );
    const plan = row?.['QUERY PLAN'][0].Plan ?? {};
    const blocks = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
    // The plan of a coordinator tells nothing of what a node reads.
    if (engine !== 'citus') {
      expect(blocks).toBeGreaterThan(bytes / BLOCK_BYTES / 2);
      expect(blocks).toBeLessThan((5 * bytes) / BLOCK_BYTES);
    }
    // The next test finds nothing left to index.
    await new Folder(store.database.migrator).run();
    await new Indexer(store.database.owner, AT_ONCE).run();
  });

  it('leaves an hour alone while batches for it wait to be folded', async () => {
    const { migrator } = store.database;
    const indexer = new Indexer(store.database.owner, { ...AT_ONCE, folded: true });
    await store.insert(
      store.checked([{ eventTime: '2026-01-05T08:59:00.0000000Z', statement: 'common late' }]),
    );
    expect(await indexer.run()).toBe(0);
    expect(await counts()).toEqual({ ...TRUE_COUNTS, common: EVENTS + 1 });
    await new Folder(migrator).run();
    expect(await indexer.run()).toBe(1);
    expect((await segments()).map(({ n }) => n)).toEqual([EVENTS + 1]);
  });

  it('leaves an hour that has not ended alone for longer than one that has', async () => {
    const inAnHour = new Date(Date.now() + HOUR_MS).toISOString();
    await store.insert(store.checked([{ eventTime: inAnHour, statement: 'common soon' }]));
    await new Folder(store.database.migrator).run();
    const indexer = new Indexer(store.database.owner, { ...AT_ONCE, liveMs: 60_000 });
    expect(await indexer.run()).toBe(1);
    expect((await segments()).map(({ n }) => n)).toEqual([EVENTS]);
    expect(await new Indexer(store.database.owner, AT_ONCE).run()).toBe(1);
    expect(await counts()).toEqual({ ...TRUE_COUNTS, common: EVENTS + 1 });
  });

  it('comes to each tenant, however many others cannot be indexed', async () => {
    jest.replaceProperty(LIMITS, 'indexTenantsPerRun', 2 as never);
    await new Indexer(store.database.owner, AT_ONCE).run();
    const stuck: number[] = [];
    for (let n = 0; n < 5; n++) stuck.push((await base.forNewTenant()).tenantId);
    const last = await base.forNewTenant();
    for (const tenantId of [...stuck, last.tenantId])
      await store.query(
        `INSERT INTO audit_unindexed VALUES ($1::int, 491001, now() - interval '1 day')`,
        tenantId,
      );
    const { owner } = store.database;
    const failing: OwnerDoor = {
      ...owner,
      steps: (work) =>
        owner.steps((step) =>
          work((text, values, planning) =>
            stuck.includes(Number(values[0]))
              ? Promise.reject(new Error('no'))
              : step(text, values, planning),
          ),
        ),
    };
    const indexer = new Indexer(failing, AT_ONCE);
    for (let n = 0; n < 3; n++) await expect(indexer.run()).rejects.toThrow('no');
    const due = await store.query<{ tenantId: number }>(
      'SELECT tenant_id AS "tenantId" FROM audit_unindexed ORDER BY 1',
    );
    expect(due.map(({ tenantId }) => tenantId)).toEqual(stuck);
    await store.query('DELETE FROM audit_unindexed');
    jest.restoreAllMocks();
  });

  it('gives versions to the hours of each tenant, however many others cannot be given some', async () => {
    jest.replaceProperty(LIMITS, 'indexTenantsPerRun', 2 as never);
    const tenants: number[] = [];
    for (let n = 0; n < 6; n++) {
      const one = await base.forNewTenant();
      await one.insert(one.checked([{}]));
      tenants.push(one.tenantId);
    }
    await new Folder(store.database.migrator).run();
    const { owner } = store.database;
    const whole = new Indexer(owner, AT_ONCE);
    while ((await whole.run()) > 0);
    await store.query('UPDATE audit_segment SET version = NULL WHERE tenant_id = ANY($1::int[])', tenants);
    const stuck = tenants.slice(0, 5);
    const models = new Proxy(owner.models, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: readonly unknown[]) =>
          name === '$executeRawUnsafe' && stuck.includes(Number(given[1]))
            ? Promise.reject(new Error('no'))
            : value.apply(target, given);
      },
    });
    const indexer = new Indexer({ ...owner, models }, AT_ONCE);
    for (let n = 0; n < 3; n++) await indexer.run().catch(() => {});
    const left = await store.query<{ tenantId: number }>(
      'SELECT tenant_id AS "tenantId" FROM audit_segment WHERE version IS NULL ORDER BY 1',
    );
    expect(left.map(({ tenantId }) => tenantId)).toEqual(stuck);
    await store.query('UPDATE audit_segment SET version = $1::uuid WHERE version IS NULL', randomUUID());
    jest.restoreAllMocks();
  });

  it('leaves out an hour with too many words, which searches then read from the events, and continues', async () => {
    const indexer = new Indexer(store.database.owner, AT_ONCE, 1_000);
    expect(await indexer.run()).toBe(1);
    expect(await indexer.run()).toBe(0);
    expect(await segments()).toEqual([]);
    expect(await counts()).toEqual(TRUE_COUNTS);
  });

  it('takes an hour that was changed before the clock of the database was set back', async () => {
    await store.insert(store.checked([{}]));
    await new Folder(store.database.migrator).run();
    await store.query(
      `UPDATE audit_unindexed SET changed_at = now() + interval '20 minutes' WHERE tenant_id = $1`,
      store.tenantId,
    );
    const quiet = { pastMs: 2_000, liveMs: 60_000, folded: true };
    expect(await new Indexer(store.database.owner, quiet).run()).toBe(1);
  });

  it.each([
    ['no columns', 'times = NULL', 'object_name'],
    ['no lifted fields', 'layout = 1', 'class_type'],
  ])(
    'makes columns for hours for which a release before made %s, newest first, and then pauses',
    async (_, former, column) => {
      let now = 0;
      const indexer = new Indexer(store.database.owner, AT_ONCE, undefined, 1_000, () => now);
      await indexer.run();
      const withColumns = () =>
        store.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM audit_segment WHERE tenant_id = $1 AND ${column} IS NOT NULL`,
          store.tenantId,
        );
      expect(await withColumns()).toEqual([{ n: 1 }]);
      const makeFormer = `UPDATE audit_segment SET ${former}, ${column} = NULL WHERE tenant_id = $1`;
      await store.query(makeFormer, store.tenantId);
      expect(await indexer.run()).toBe(1);
      expect(await indexer.run()).toBe(1);
      expect(await withColumns()).toEqual([{ n: 1 }]);
      expect(await indexer.run()).toBe(0);
      await store.query(makeFormer, store.tenantId);
      expect(await indexer.run()).toBe(0);
      now = 1_001;
      expect(await indexer.run()).toBe(1);
      expect(await indexer.run()).toBe(1);
      expect(await counts()).toEqual(TRUE_COUNTS);
    },
  );

  it('reads an hour from its events when the filter names a missing column', async () => {
    await new Indexer(store.database.owner, AT_ONCE).run();
    await store.query('UPDATE audit_segment SET database_name = NULL WHERE tenant_id = $1', store.tenantId);
    const parsed = parseParameters(LIST_PARAMETERS, { filter: 'hostName:APP01 OR databaseName:Elsewhere' });
    const { service } = store.database;
    const reader = new PostgresAuditEventReader(service);
    const summary = await reader.summary(tenantSet([store.tenantId]), toAuditEventQuery(parsed).filter);
    expect(summary).toMatchObject({ totalCount: EVENTS, distinctDatabases: 1 });
  });

  it('numbers values that have no count, and retention removes numbers that no column uses', async () => {
    const { service, migrator } = store.database;
    await new Indexer(store.database.owner, AT_ONCE).run();
    const hosts = async () =>
      (
        await store.query<{ value: string }>(
          'SELECT value FROM audit_dim WHERE tenant_id = $1 AND kind = 9 ORDER BY value',
          store.tenantId,
        )
      ).map(({ value }) => value);
    expect(await hosts()).toEqual(['APP01']);
    const other = { eventTime: '2026-01-07T08:00:00.0000000Z', hostName: 'APP02', blockOffset: 5 };
    await store.insert(store.checked([other]));
    await new Folder(migrator).run();
    await new Indexer(store.database.owner, AT_ONCE).run();
    expect(await hosts()).toEqual(['APP01', 'APP02']);
    const retention = new PostgresRetentionStore(service, migrator);
    await retention.setDays(store.tenantId, 1, AN_ATTEMPT);
    const log = pino({ level: 'silent' });
    await applyRetention({ store: retention, nowMs: () => Date.parse('2026-01-08T00:00:00Z'), log });
    expect(await hosts()).toEqual(['APP02']);
  });
});
