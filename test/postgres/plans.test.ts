import { parseTicks } from '../../src/audit-event/event-time';
import type { AuditEventFilter, AuditEventQuery } from '../../src/audit-event/query';
import { Folder } from '../../src/postgres/counts/fold';
import { pageStatement } from '../../src/postgres/counts/page.statement';
import { eachTenant } from '../../src/postgres/counts/scope';
import { summaryStatement } from '../../src/postgres/counts/summary.statement';
import type { Prisma } from '../../src/postgres/database';
import { Indexer } from '../../src/postgres/search/indexer';
import { tenantScope } from '../../src/tenant/tenant-scope';
import { AT_ONCE } from '../support/at-once';
import { describeOnPostgres } from '../support/engines';
import { Store } from '../support/store';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops': number;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly PlanNode[];
}

const WEEKS = 6;
const EVENTS_PER_WEEK = 6_000;
const WEEK_S = 7 * 86_400;
const FIRST_S = Date.parse('2026-01-05T00:00:00Z') / 1000;
const NO_FILTER: AuditEventFilter = {
  from: null,
  to: null,
  actionId: null,
  databaseName: null,
  principalName: null,
  search: [],
};
const query = (change: Partial<AuditEventFilter>, rest: Partial<AuditEventQuery> = {}): AuditEventQuery => ({
  filter: { ...NO_FILTER, ...change },
  sort: 'recordId',
  descending: true,
  page: 1,
  pageSize: 20,
  ...rest,
});

/** Each question with the partitions of events it may read. */
const PAGES: readonly [string, AuditEventQuery, number][] = [
  ['page 1', query({}), 1],
  ['a page in the middle', query({}, { page: (WEEKS * EVENTS_PER_WEEK) / 40 }), 2],
  ['the last page', query({}, { page: (WEEKS * EVENTS_PER_WEEK) / 20 }), 1],
  ['page 1, oldest first', query({}, { descending: false }), 1],
  ['one action', query({ actionId: 'DL' }), 2],
  ['one principal', query({ principalName: 'login7' }), 2],
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

describeOnPostgres('the plan of a hot statement', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open('postgresql');
    for (let week = 0; week < WEEKS; week++)
      await store.writer.insert(store.tenantId, store.checked(eventsOf(week)));
    await new Folder(store.database.migrator).run();
    while ((await new Indexer(store.database.migrator, AT_ONCE).run()) > 0);
    await store.database.migrator.$executeRawUnsafe('ANALYZE');
  }, 120_000);
  afterAll(() => store.close());

  it.each(PAGES)('%s: no event is read that is not near the page', async (_name, q, partitionsMax) => {
    const nodes = await explain(pageStatement(eachTenant(tenantScope([store.tenantId]), 'lateral'), q));
    const events = nodes.filter(
      (node) => node['Relation Name']?.startsWith('audit_event') && node['Actual Loops'] > 0,
    );
    expect(events.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
    const read = new Set(events.map((node) => node['Relation Name']));
    expect(read.size).toBeGreaterThan(0);
    expect(read.size).toBeLessThanOrEqual(partitionsMax);
    const rows = events.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
    expect(rows).toBeLessThan(EVENTS_PER_WEEK / 4);
  });

  it('the summary over unaligned weeks reads events at its edges only', async () => {
    const range = { from: parseTicks('2026-01-06T10:20:30Z'), to: parseTicks('2026-02-10T11:21:31Z') };
    const nodes = await explain(
      summaryStatement(eachTenant(tenantScope([store.tenantId]), 'lateral'), range),
    );
    const events = nodes.filter(
      (node) => node['Relation Name']?.startsWith('audit_event') && node['Actual Loops'] > 0,
    );
    expect(events.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
    const rows = events.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
    expect(rows).toBeLessThan(EVENTS_PER_WEEK / 4);
  });

  async function explain(statement: Prisma.Sql): Promise<PlanNode[]> {
    // As requests run: by the service's role, with row-level security in force.
    const [row] = await store.database.run(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${statement.text}`,
      statement.values,
      [store.tenantId],
    );
    const plan = (row as { 'QUERY PLAN': [{ Plan: PlanNode }] } | undefined)?.['QUERY PLAN'][0].Plan;
    return plan ? flat(plan) : [];
  }
});

const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];

/** Evenly spread over the week; actions, databases and principals in fixed proportions. */
function eventsOf(week: number) {
  return Array.from({ length: EVENTS_PER_WEEK }, (_, i) => {
    const at = FIRST_S + week * WEEK_S + Math.floor((i * WEEK_S) / EVENTS_PER_WEEK);
    return {
      eventTime: `${new Date(at * 1000).toISOString().slice(0, 19)}.0000000Z`,
      actionId: i % 20 === 0 ? 'DL' : i % 3 === 0 ? 'UP' : 'SL',
      databaseName: `db${i % 10}`,
      serverPrincipalName: `login${i % 40}`,
      statement: `SELECT * FROM dbo.T WHERE Id = 'id${week * EVENTS_PER_WEEK + i}'`,
    };
  });
}
