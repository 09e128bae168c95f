import { Prisma } from '../../src/database/clients';
import { type EachTenant, layout } from '../../src/database/each-tenant';
import { DAY_MS, HOUR_MS, parseTicks } from '../../src/event/event-time';
import type { AuditEventFilter, AuditEventQuery } from '../../src/event/query';
import { pageStatement } from '../../src/modules/activity/page.statement';
import { rowsStatement } from '../../src/modules/activity/page-by-columns';
import { summaryStatement } from '../../src/modules/activity/summary.statement';
import { facetsStatement } from '../../src/modules/explore/facets.statement';
import { histogramStatement } from '../../src/modules/explore/histogram.statement';
import { spansStatement } from '../../src/modules/export/export.statements';
import { Indexer } from '../../src/modules/search/indexer';
import { COUNTED, DIMENSIONS } from '../../src/store/counts/dimensions';
import { Folder, foldTenant } from '../../src/store/counts/fold';
import { eventsStatement } from '../../src/store/log/arrivals/arrival.statements';
import { planOf } from '../../src/store/plan';
import { hoursOfWord } from '../../src/store/words/index-words';
import { tenantSet } from '../../src/tenant-set';
import { AT_ONCE } from '../support/at-once';
import { ENGINES } from '../support/engines';
import { NO_FILTER, usualFacets } from '../support/filters';
import { Store } from '../support/store';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Join Type'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Loops': number;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const WEEKS = 6;
const EVENTS_PER_WEEK = 6_000;
const WEEK_S = 7 * 86_400;
const FIRST_S = Date.parse('2026-01-05T00:00:00Z') / 1000;
const query = (change: Partial<AuditEventFilter>, rest: Partial<AuditEventQuery> = {}): AuditEventQuery => ({
  filter: { ...NO_FILTER, ...change },
  sort: 'recordId',
  descending: true,
  page: 1,
  pageSize: 20,
  ...rest,
});

const INSTANCE_IN_DATABASE = { serverInstanceName: 'SQL1', databaseName: 'db7' };
const BY_PRINCIPAL = { sort: 'serverPrincipalName', page: 50 } as const;

/** Each query, with the number of partitions of events that it may read. */
const PAGES: readonly [string, AuditEventQuery, number][] = [
  ['page 1', query({}), 1],
  ['a page in the middle', query({}, { page: (WEEKS * EVENTS_PER_WEEK) / 40 }), 2],
  ['the last page', query({}, { page: (WEEKS * EVENTS_PER_WEEK) / 20 }), 1],
  ['page 1, oldest first', query({}, { descending: false }), 1],
  ['one action', query({ actionId: 'DL' }), 2],
  ['one principal', query({ principalName: 'login7' }), 2],
  ['failures', query({ succeeded: false }), 2],
  ['failures, a page in the middle', query({ succeeded: false }, { page: 5 }), 2],
  [
    'successes, the last page',
    query({ succeeded: true }, { page: (WEEKS * EVENTS_PER_WEEK * 49) / 50 / 20 }),
    1,
  ],
  ['failures of a principal', query({ succeeded: false, principalName: 'login7' }), 2],
  ['one instance', query({ serverInstanceName: 'SQL\\RARE' }), 1],
  ['the instance of nearly all events', query({ serverInstanceName: 'SQL1' }, { page: 800 }), 2],
  ['failures of an instance in a database', query({ ...INSTANCE_IN_DATABASE, succeeded: false }), 2],
  ['an instance, sorted by principal', query({ serverInstanceName: 'SQL1' }, BY_PRINCIPAL), WEEKS],
  ['two filters', query({ actionId: 'SL', databaseName: 'db3' }), 2],
  ['sorted by principal', query({}, { sort: 'serverPrincipalName', page: 50 }), WEEKS],
  [
    'an unaligned day',
    query({ from: parseTicks('2026-01-14T10:20:30Z'), to: parseTicks('2026-01-15T11:21:31Z') }),
    1,
  ],
  ['a rare word', query({ search: [{ kind: 'word', text: 'id1234' }] }), 1],
  ['a common word', query({ search: [{ kind: 'word', text: 'select' }] }), 1],
];

describe.each(ENGINES)('the plan of a frequent statement on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
    for (let week = 0; week < WEEKS; week++)
      await store.writer.insert(store.tenantId, store.checked(eventsOf(week)));
    await new Folder(store.database.migrator).run();
    const indexer = new Indexer(store.database.owner, AT_ONCE);
    for (let round = 0; (await indexer.run()) > 0; round++) expect(round).toBeLessThan(100);
    await store.database.migrator.models.$executeRawUnsafe('ANALYZE');
  }, 300_000);
  afterAll(() => store.close());

  const mine = () => layout(false).each(tenantSet([store.tenantId]));

  it.each(PAGES)('%s: only events near the page are read', async (_name, q, partitionsMax) => {
    const nodes = await explain(pageStatement(mine(), q, planOf({ kind: 'page', filter: q.filter }).by));
    const events = nodes.filter(
      (node) => node['Relation Name']?.startsWith('audit_event') && node['Actual Loops'] > 0,
    );
    expect(events.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
    const read = new Set(events.map((node) => node['Relation Name']));
    expect(read.size).toBeGreaterThan(0);
    expect(read.size).toBeLessThanOrEqual(partitionsMax);
    const rows = events.reduce((sum, node) => sum + rowsRead(node), 0);
    expect(rows).toBeLessThan(EVENTS_PER_WEEK / 4);
  });

  it('the summary over unaligned weeks reads only the events at its edges', async () => {
    const range = { from: parseTicks('2026-01-06T10:20:30Z'), to: parseTicks('2026-02-10T11:21:31Z') };
    const nodes = await explain(summaryStatement(mine(), range));
    expectEdgesOnly(nodes);
    // A join of values with counts may read the counts of every hour.
    expect(nodes.filter((node) => node['Join Type'] === 'Semi')).toEqual([]);
  });

  const WEEKS_OF_FAILURES = {
    ...NO_FILTER,
    from: parseTicks('2026-01-06T10:20:30Z') ?? 0n,
    to: parseTicks('2026-02-10T11:21:31Z') ?? 0n,
    succeeded: false,
  };
  it.each([
    ['histogram by the hour', (each: EachTenant) => histogramStatement(each, WEEKS_OF_FAILURES, HOUR_MS)],
    ['histogram by the day', (each: EachTenant) => histogramStatement(each, WEEKS_OF_FAILURES, DAY_MS)],
    ['facets', (each: EachTenant) => facetsStatement(each, WEEKS_OF_FAILURES, usualFacets(10), 1_000)],
  ])('%s of failures over unaligned weeks reads only the events at its edges', async (_, statementOf) => {
    const nodes = await explain(statementOf(mine()));
    expectEdgesOnly(nodes);
  });

  const AN_INSTANCE = { ...NO_FILTER, serverInstanceName: 'SQL1' };
  it.each([
    ['histogram by the hour', (each: EachTenant) => histogramStatement(each, AN_INSTANCE, HOUR_MS)],
    ['histogram by the day', (each: EachTenant) => histogramStatement(each, AN_INSTANCE, DAY_MS)],
    ['facets', (each: EachTenant) => facetsStatement(each, AN_INSTANCE, usualFacets(10), 0)],
    ['facets of all instances', (each: EachTenant) => facetsStatement(each, NO_FILTER, usualFacets(10), 0)],
    ['export', (each: EachTenant) => spansStatement(each, AN_INSTANCE)],
  ])('%s of the instance of nearly all events reads no event', async (_, statementOf) => {
    const nodes = await explain(statementOf(mine()));
    const isRun = (node: PlanNode) => node['Actual Loops'] > 0;
    const read = nodes.filter((node) => isRun(node) && node['Relation Name']?.startsWith('audit_event'));
    expect(read).toEqual([]);
    // It reads the counts of this instance, not those of all instances.
    const counts = nodes.filter((node) => isRun(node) && node['Relation Name'] === 'audit_count');
    expect(counts.length).toBeGreaterThan(0);
    expect(counts.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  });

  it.each([false, true])(
    'a page of several tenants: only events near the page are read: distributed: %s',
    async (isDistributed) => {
      const other = await store.forNewTenant();
      const each = layout(isDistributed).each(tenantSet([store.tenantId, other.tenantId]));
      expectEdgesOnly(
        await explain(pageStatement(each, query({ actionId: 'DL' }), 'counts'), [
          store.tenantId,
          other.tenantId,
        ]),
      );
    },
  );

  const A_RARE_WORD: AuditEventFilter = { ...NO_FILTER, search: [{ kind: 'word', text: 'id1234' }] };
  it.each([
    ['histogram', (each: EachTenant) => histogramStatement(each, A_RARE_WORD, HOUR_MS)],
    ['facets', (each: EachTenant) => facetsStatement(each, A_RARE_WORD, usualFacets(10), 1_000)],
    ['export', (each: EachTenant) => spansStatement(each, A_RARE_WORD)],
  ])('%s of a rare word reads only the events of its hour', async (_, statementOf) => {
    expectEdgesOnly(await explain(statementOf(mine())));
  });

  it.each([
    ['all', undefined],
    ['one action', ['dl']],
  ])(
    'arrivals of a backlog beside new ones: only these events are read, and none between them: %s',
    async (_, actions) => {
      const arrived = [0, WEEKS - 1].flatMap((week) => store.checked(eventsOf(week)).slice(0, 100));
      const wanted = {
        ids: arrived.map(({ recordId }) => recordId),
        tenants: arrived.map(() => store.tenantId),
      };
      const limits = { events: arrived.length, bytes: 10_000_000, actions };
      expectEdgesOnly(await explain(eventsStatement(wanted, limits, mine())));
      const other = await store.forNewTenant();
      const ofTwo = { ...wanted, tenants: [other.tenantId, ...wanted.tenants.slice(1)] };
      expectEdgesOnly(
        await explain(eventsStatement(ofTwo, limits, mine()), [other.tenantId, store.tenantId]),
      );
    },
  );

  describe('of a tenant that the statistics do not know yet', () => {
    let newcomer: Store;
    beforeAll(async () => {
      const { migrator } = store.database;
      const tables = await migrator.models.$queryRawUnsafe<{ name: string }[]>(
        `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_stats s ON s.tablename = c.relname
         WHERE c.relkind = 'r' AND s.attname = 'tenant_id'`,
      );
      for (const { name } of tables)
        await migrator.models.$executeRawUnsafe(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`);
      await migrator.models.$executeRawUnsafe(
        `INSERT INTO audit_dim (tenant_id, kind, value, dim_id)
         SELECT $1::int, ${DIMENSIONS.principal.kind}, 'other' || i, 1000 + i FROM generate_series(1, 5000) i`,
        store.tenantId,
      );
      await migrator.models.$executeRawUnsafe('ANALYZE audit_dim');
      newcomer = await store.forNewTenant();
      await newcomer.writer.insert(newcomer.tenantId, newcomer.checked(eventsOf(0)));
    });

    it('the fold looks up each number by itself', async () => {
      const [{ deltas } = { deltas: 0 }] = await store.database.migrator.models.$queryRawUnsafe<
        { deltas: number }[]
      >('SELECT count(*)::int AS deltas FROM audit_delta WHERE tenant_id = $1::int', newcomer.tenantId);
      const read = await store.database.migrator.models.$transaction(async (tx) => {
        await foldTenant(tx, newcomer.tenantId);
        const [table] = await tx.$queryRawUnsafe<{ read: number }[]>(
          `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'audit_dim'`,
        );
        return table?.read ?? Number.NaN;
      });
      // A few values are numbered before. A join read all numbers of the tenant for each delta.
      expect(deltas).toBeGreaterThan(1_000);
      expect(read).toBeGreaterThanOrEqual(COUNTED.length * deltas);
      expect(read).toBeLessThan((COUNTED.length + 1) * deltas);
    });

    it('a fold that numbers values tells the planner of them', async () => {
      const { migrator } = store.database;
      const tenants = async (from: string) => {
        const [row] = await migrator.models.$queryRawUnsafe<{ n: number }[]>(`SELECT (${from})::int AS n`);
        return row?.n;
      };
      const known = `SELECT n_distinct FROM pg_stats WHERE tablename = 'audit_dim' AND attname = 'tenant_id'`;
      const before = await tenants(known);
      await newcomer.writer.insert(newcomer.tenantId, newcomer.checked(eventsOf(1)));
      const another = await store.forNewTenant();
      await another.writer.insert(another.tenantId, another.checked(eventsOf(0)));
      await new Folder(migrator).run();
      const after = await tenants('SELECT count(DISTINCT tenant_id) FROM audit_dim');
      expect(after).toBeGreaterThan(before ?? Number.NaN);
      expect(await tenants(known)).toBe(after);
    });

    it.each<[string, (ids: readonly string[]) => Prisma.Sql]>([
      [
        'events of the log',
        (ids) =>
          eventsStatement(
            { ids, tenants: ids.map(() => newcomer.tenantId) },
            { events: 1_000, bytes: 10_000_000 },
            mine(),
          ),
      ],
      ['rows of a page', (ids) => rowsStatement(newcomer.tenantId, ids, mine())],
      [
        'hours of a word',
        () => hoursOfWord('select', Prisma.sql`${newcomer.tenantId}::int`, Prisma.sql`true`, mine()),
      ],
    ])('%s are found by the primary key', async (_, statementOf) => {
      const ids = newcomer.checked(eventsOf(0)).map(({ recordId }) => recordId);
      const statement = statementOf(ids.filter((_id, i) => i % 100 === 0));
      const nodes = await explain(statement, [newcomer.tenantId]);
      const run = nodes.filter((node) => node['Actual Loops'] > 0);
      expect(run.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
      // Words that one event of an hour has are found by an index of their own.
      const indexes = run
        .flatMap((node) => node['Index Name'] ?? [])
        .filter((name) => !name.includes('single'));
      expect(indexes.length).toBeGreaterThan(0);
      expect(indexes.filter((name) => !name.endsWith('_pkey'))).toEqual([]);
    });
  });

  function expectEdgesOnly(nodes: readonly PlanNode[]) {
    const events = nodes.filter(
      (node) => node['Relation Name']?.startsWith('audit_event') && node['Actual Loops'] > 0,
    );
    expect(events.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
    const rows = events.reduce((sum, node) => sum + rowsRead(node), 0);
    expect(rows).toBeLessThan(EVENTS_PER_WEEK / 4);
  }

  async function explain(statement: Prisma.Sql, tenants = [store.tenantId]): Promise<PlanNode[]> {
    // Explained as requests run: with the service's role, under row-level security.
    const [row] = await store.database.service.ask(
      Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
      tenantSet(tenants),
    );
    const plan = (row as { 'QUERY PLAN': [{ Plan: PlanNode }] } | undefined)?.['QUERY PLAN'][0].Plan;
    return plan ? flat(plan) : [];
  }
});

/** The rows read in all loops, including those that a filter drops. Both numbers of the plan are for one loop. */
const rowsRead = (node: PlanNode) =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];

/** Events spread evenly over the week, with actions, databases and principals in fixed proportions. */
function eventsOf(week: number) {
  return Array.from({ length: EVENTS_PER_WEEK }, (_, i) => {
    const at = FIRST_S + week * WEEK_S + Math.floor((i * WEEK_S) / EVENTS_PER_WEEK);
    return {
      eventTime: `${new Date(at * 1000).toISOString().slice(0, 19)}.0000000Z`,
      actionId: i % 20 === 0 ? 'DL' : i % 3 === 0 ? 'UP' : 'SL',
      databaseName: `db${i % 10}`,
      serverPrincipalName: `login${i % 40}`,
      serverInstanceName: i === 77 && week === 2 ? 'SQL\\RARE' : 'SQL1',
      succeeded: i % 50 !== 7,
      statement: `SELECT * FROM dbo.T WHERE Id = 'id${week * EVENTS_PER_WEEK + i}'`,
    };
  });
}
