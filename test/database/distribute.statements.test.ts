import { pino } from 'pino';
import { DISTRIBUTED_TABLES } from '../../src/database/distribute/distribution';
import { SORTS } from '../../src/event/parameters';
import type { AuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { Indexer } from '../../src/modules/search/indexer';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../src/modules/tenants/retention/retention.store';
import { Folder } from '../../src/store/counts/fold';
import { Partitions } from '../../src/store/rows/partitions';
import { tenantSet } from '../../src/tenant-set';
import { AT_ONCE } from '../support/at-once';
import { AN_ATTEMPT } from '../support/attempt';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { inLayout, layoutsOf } from '../support/doors';
import { describeOnPostgres } from '../support/engines';
import { NO_FILTER } from '../support/filters';
import { Inserter } from '../support/inserter';
import { recording, recordingService, seeingSteps } from '../support/recorded-statements';
import { Store } from '../support/store';

const TABLE = new RegExp(
  String.raw`\b(FROM|JOIN|USING|INTO|UPDATE|,)\s+(${DISTRIBUTED_TABLES.join('|')})\b(?:\s+(?:AS\s+)?(?!(?:WHERE|CROSS|JOIN|ON|SET|GROUP|ORDER|LIMIT|VALUES|USING)\b)([a-z]\w*))?`,
  'g',
);
const SEVERAL = 'ANY(';

/** @returns the tables that a statement uses without naming the tenant by `$n`, `(SELECT $n)` or a number */
function unnamed(text: string): string[] {
  const flat = text.replace(/\s+/g, ' ');
  const wanted = new Map<string, number>();
  const problems: string[] = [];
  for (const [, verb, table, alias] of flat.matchAll(TABLE)) {
    if (verb === 'INTO') {
      const insert = flat.slice(flat.indexOf(`INTO ${table}`));
      if (
        !/^INTO \w+(?: AS \w+)? ?\(tenant_id,[^)]*\) (?:SELECT t\.tenant_id,|VALUES \(\$1::int,)/.test(insert)
      )
        problems.push(`${table}: inserted without naming the tenant first`);
    } else wanted.set(alias ?? '', (wanted.get(alias ?? '') ?? 0) + 1);
  }
  for (const [alias, count] of wanted) {
    const column = alias === '' ? String.raw`(?<![\w.])tenant_id` : String.raw`\b${alias}\.tenant_id`;
    const named = flat.match(new RegExp(String.raw`${column} = (?:\(SELECT )?\$\d+`, 'g'))?.length ?? 0;
    if (named < count) problems.push(`${alias || 'no alias'}: ${count} times used, ${named} times named`);
  }
  return problems;
}

describe('the check for unnamed tenants', () => {
  it.each([
    [
      'SELECT 1 FROM audit_event e WHERE e.tenant_id = $1 AND EXISTS (SELECT FROM audit_count c WHERE c.n > 0)',
      1,
    ],
    ['SELECT 1 FROM audit_event e JOIN audit_dim m ON m.tenant_id = e.tenant_id WHERE e.tenant_id = $1', 1],
    ['DELETE FROM audit_word WHERE hour = $1', 1],
    ['INSERT INTO audit_word (tenant_id, hour) SELECT x.tenant_id, 1 FROM x', 1],
    ['SELECT 1 FROM audit_event e WHERE e.tenant_id = $1::int', 0],
  ])('finds the tables without a tenant: %s', (text, count) => {
    expect(unnamed(text)).toHaveLength(count);
  });
});

describeOnPostgres('the statements of a service', () => {
  let store: Store;
  let other: Store;
  beforeAll(async () => {
    store = await Store.open('postgresql');
    other = await store.forNewTenant();
  });
  afterAll(() => store.close());

  const query = (change: object = {}, sort: AuditEventQuery['sort'] = 'recordId'): AuditEventQuery => ({
    filter: {
      ...NO_FILTER,
      from: 17_670_000_000_001_234n,
      to: 17_690_000_000_001_234n,
      ...change,
    },
    sort,
    descending: true,
    page: 2,
    pageSize: 10,
  });
  const QUERIES = [
    ...Object.values(SORTS).map((sort) => query({}, sort)),
    query({ from: null, to: null }),
    query({ actionId: 'SL' }),
    { ...query({}, 'succeeded'), page: 1_000 },
    query({ actionId: 'SL', databaseName: 'a', principalName: 'x' }, 'databaseName'),
    query({ succeeded: false }),
    query({ serverInstanceName: 'SQL1\\PAY', succeeded: true }),
    query({ search: [{ kind: 'word', text: 'select' }] }),
    query({ search: [{ kind: 'phrase', text: 'select * from' }], actionId: 'SL' }),
  ];

  /** @returns the statements of every kind of read for these tenants */
  async function asked(tenants: readonly number[], isDistributed: boolean): Promise<string[]> {
    const texts: string[] = [];
    const { service } = store.database;
    const reader = new PostgresAuditEventReader({
      ...inLayout(isDistributed, service),
      ask: (statement, ...rest) => {
        texts.push(statement.text);
        return service.ask(statement, ...rest);
      },
    });
    const scope = tenantSet(tenants);
    for (const one of QUERIES) await reader.page(scope, one);
    await reader.find(scope, '019b8d0e-1c00-8000-8000-000000000001');
    await reader.summary(scope, NO_FILTER);
    return texts;
  }

  it('read one tenant by its number in every sub-select, so that one node runs the whole statement', async () => {
    for (const isDistributed of layoutsOf('postgresql')) {
      const texts = await asked([store.tenantId], isDistributed);
      expect(texts.flatMap(unnamed)).toEqual([]);
      // A list of records is not one of tenants.
      const named = texts.map((text) => text.replaceAll('e.record_id = ANY(', ''));
      expect(named.filter((text) => text.includes(SEVERAL) || /\btenant t\b/.test(text))).toEqual([]);
      // A subquery hides the tenant from the planner of one database. A distributed one needs the value.
      expect(texts.some((text) => text.includes('= (SELECT $'))).toBe(!isDistributed);
    }
  });

  /** Parts joined to the rows of `tenant t` name their tenant by that row. */
  const hung = (text: string) =>
    unnamed(text.replaceAll(/= t\.tenant_id/g, '= $1').replaceAll(/t\.tenant_id = ANY/g, 't.tenant_id = $1'));

  it('read several tenants by joining each part to tenant, on one database and on a distributed one', async () => {
    for (const isDistributed of layoutsOf('postgresql'))
      for (const text of await asked([store.tenantId, other.tenantId], isDistributed)) {
        expect([text, hung(text)]).toEqual([text, []]);
      }
  });

  it("for several tenants of a distributed database take no OFFSET or LIMIT from another part's result", async () => {
    for (const text of await asked([store.tenantId, other.tenantId], true))
      expect(text).not.toMatch(/\b(?:LIMIT|OFFSET)\b[^\n)]*(?:-|greatest|SELECT)/);
  });

  it('write, fold, index and remove by tenant; only the queries for waiting work go to every node', async () => {
    const texts: string[] = [];
    const service = recordingService(store.database.service, texts);
    const owner = recording(store.database.migrator, texts);
    const writer = new Inserter(service, new Partitions(owner), TEST_CHECKPOINT_KEY);
    const retention = new PostgresRetentionStore(service, owner);
    await retention.setDays(store.tenantId, 10, AN_ATTEMPT);
    const times = [
      '2026-01-05T08:00:00.0000000Z',
      '2026-01-20T08:00:00.0000000Z',
      '2026-01-22T08:00:00.0000000Z',
    ];
    await writer.insert(store.tenantId, store.checked(times.map((eventTime) => ({ eventTime }))));
    await new Folder(owner).run();
    const indexer = new Indexer(
      seeingSteps(owner, (text) => texts.push(text)),
      AT_ONCE,
    );
    await indexer.run();
    const log = pino({ level: 'silent' });
    await applyRetention({ store: retention, nowMs: () => Date.parse('2026-01-31T00:00:00Z'), log });
    expect((await retention.runs(store.tenantId, 10)).map(({ events }) => events)).toEqual([2]);

    const isWork = (text: string) =>
      !/^\s*(SET|SAVEPOINT|CREATE|ALTER|DROP|SELECT\s+pg_(try_)?advisory)/.test(text);
    // The fold looks up numbers by the tenant of a delta, and names the tenant of the deltas.
    const ofDeltas = (text: string) => text.replaceAll('m.tenant_id = x.tenant_id', 'm.tenant_id = $1');
    const wide = [...new Set(texts.filter(isWork).filter((text) => unnamed(ofDeltas(text)).length > 0))];
    const short = wide.map((text) => text.replace(/\s+/g, ' ').trim().slice(0, 60)).sort();
    expect(short).toEqual([
      // These list the tenants with waiting work for background tasks.
      'SELECT DISTINCT h.tenant_id AS "tenantId" FROM legal_hold h ',
      'SELECT DISTINCT tenant_id FROM audit_unindexed WHERE tenant_',
      'SELECT t.tenant_id AS "tenantId", t.retention_days AS "reten',
      'SELECT t.tenant_id AS "tenantId", t.retention_days AS "reten',
      'SELECT t.tenant_id FROM tenant t CROSS JOIN LATERAL ( SELECT',
      'SELECT t.tenant_id FROM tenant t CROSS JOIN LATERAL (SELECT ',
      'SELECT t.tenant_id FROM tenant t CROSS JOIN LATERAL (SELECT ',
      'SELECT t.tenant_id FROM tenant t WHERE t.tenant_id = ANY($1:',
      'SELECT tenant_id AS "tenantId", retention_days AS "retention',
      'SELECT tenant_id, count(*)::int AS deltas FROM audit_delta W',
    ]);
    // SKIP LOCKED needs a named tenant, and all statements with it name one.
    expect(texts.filter((text) => /set_config|CONCURRENTLY/i.test(text))).toEqual([]);
  });

  it('make and drop partitions in the forms that a distributed table accepts', async () => {
    const texts: string[] = [];
    await new Partitions(recording(store.database.migrator, texts), () =>
      Date.parse('2031-01-01'),
    ).ensureAhead();
    const changes = texts.filter((text) => /^(CREATE|ALTER|DROP)/.test(text.trim()));
    expect(changes.length).toBeGreaterThan(0);
    for (const text of changes)
      expect(text.replace(/\s+/g, ' ')).toMatch(
        /^(CREATE TABLE audit_event_\d{8} \(LIKE audit_event INCLUDING ALL\)|ALTER TABLE audit_event ATTACH PARTITION audit_event_\d{8} FOR VALUES FROM \('[0-9a-f-]{36}'\) TO \('[0-9a-f-]{36}'\))$/,
      );
  });
});
