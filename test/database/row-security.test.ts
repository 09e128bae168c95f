import { Prisma } from '../../src/database/clients';
import { FREE_TABLES, SERVICE_ROLE } from '../../src/database/each-tenant';
import { ofEveryTenant, ofTenants } from '../../src/database/tenant-rows';
import { oneTenant, tenantsOrNone } from '../../src/tenant-set';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { until } from '../support/until';

type Rows = readonly Readonly<Record<string, unknown>>[];
/** The errors of a refused row. A cluster cannot copy rows under policies, nor move rows between tenants. */
const REFUSED =
  /row-level security policy|COPY FROM not supported with row-level security|modifying the partition value/;

describe.each(ENGINES)('row-level security on %s', (engine) => {
  let store: Store;
  let one: number;
  let two: number;
  let tables: readonly string[];
  beforeAll(async () => {
    store = await Store.open(engine);
    const other = await store.forNewTenant();
    [one, two] = [store.tenantId, other.tenantId];
    for (const each of [store, other]) await each.insert(each.checked([{}]));
    tables = await tablesOfTenants(store);
    for (const table of tables) await fill(store, table, [one, two]);
  });
  afterAll(() => store.close());

  const asked = (text: string, tenants: readonly number[], ...values: unknown[]): Promise<Rows> =>
    store.database.service.run(text, values, tenantsOrNone(tenants));
  const tenantsIn = async (table: string, tenants: readonly number[]) =>
    (await asked(`SELECT DISTINCT tenant_id AS id FROM ${table} ORDER BY 1`, tenants)).map(({ id }) => id);
  const tablesWith = async (right: string) =>
    (
      await store.query<{ name: string }>(
        'SELECT t.name FROM unnest($1::text[]) t(name) WHERE has_table_privilege($2, t.name, $3)',
        ...[tables, SERVICE_ROLE, right],
      )
    ).map(({ name }) => name);

  it('binds every table of tenants, also for its owner unless rows are copied between nodes', async () => {
    expect(tables.length).toBeGreaterThan(10);
    const bound = await store.query<{ name: string }>(
      `SELECT c.relname::text AS name FROM pg_class c WHERE c.relrowsecurity AND c.relforcerowsecurity = $1 ORDER BY 1`,
      engine !== 'citus',
    );
    expect(bound.map(({ name }) => name)).toEqual(tables);
    const policies = await store.query<{ roles: string }>(
      `SELECT policyname || ' TO ' || array_to_string(roles, ', ') AS roles FROM pg_policies GROUP BY 1 ORDER BY 1`,
    );
    const [owner] = await store.query<{ name: string }>('SELECT current_user::text AS name');
    expect(policies.map(({ roles }) => roles)).toEqual([
      `owner TO ${owner?.name}`,
      `tenants TO ${SERVICE_ROLE}`,
    ]);
  });

  it('gives the service no access to partitions except through audit_event, and no right to delete or alter', async () => {
    const rights = await store.query<{ text: string }>(
      `SELECT c.relname || ' ' || r.name AS text
       FROM pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES']) r(name)
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND has_table_privilege($1, c.oid, r.name)
         AND (c.relispartition OR (r.name NOT IN ('SELECT', 'INSERT', 'UPDATE') AND c.relname = ANY($2::text[])))
         -- A tenant's rules, schedules, groups of hosts and packages for them are removed, each with an entry in the access
         -- log; its last backtests are kept.
         AND NOT (c.relname IN ('agent_group', 'agent_package', 'agent_package_part', 'detection_rule', 'report_schedule',
           'backtest') AND r.name = 'DELETE')`,
      ...[SERVICE_ROLE, tables],
    );
    expect(rights).toEqual([]);
    const [role] = await store.query(
      'SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcanlogin AS strong FROM pg_roles WHERE rolname = $1',
      SERVICE_ROLE,
    );
    expect(role).toEqual({ strong: false });
  });

  it('shows no row to a statement without tenants, and to others only the rows of their tenants', async () => {
    const readable = await tablesWith('SELECT');
    expect(readable).toEqual(
      expect.arrayContaining(['audit_event', 'audit_count', 'audit_segment', 'audit_gap']),
    );
    for (const table of readable) {
      expect([table, await tenantsIn(table, [])]).toEqual([table, []]);
      expect([table, await tenantsIn(table, [one])]).toEqual([table, [one]]);
      expect([table, await tenantsIn(table, [two, one])]).toEqual([table, [one, two]]);
      const count = `SELECT count(*)::int AS n FROM ${table}`;
      expect(await store.database.service.models.$queryRawUnsafe(count)).toEqual([{ n: 0 }]);
      expect(
        await ofTenants(store.database.service, oneTenant(two), (tx) => tx.$queryRawUnsafe(count)),
      ).toEqual(await store.database.migrator.models.$queryRawUnsafe(`${count} WHERE tenant_id = ${two}`));
    }
  });

  it('refuses new and changed rows of other tenants', async () => {
    const writable = await tablesWith('INSERT');
    expect(writable).toEqual(
      expect.arrayContaining(['audit_event', 'audit_delta', 'audit_source', 'audit_gap']),
    );
    for (const table of writable) {
      await expect(asked(copied(table, one, two), [one])).rejects.toThrow(REFUSED);
      await expect(asked(copied(table, one, two), [])).resolves.toEqual([]);
    }
    for (const table of await tablesWith('UPDATE')) {
      await expect(asked(`UPDATE ${table} SET tenant_id = $1::int`, [one], two)).rejects.toThrow(REFUSED);
      const changed = await asked(`UPDATE ${table} SET tenant_id = tenant_id RETURNING tenant_id AS id`, [
        one,
      ]);
      expect(new Set(changed.map(({ id }) => id))).toEqual(new Set([one]));
    }
  });

  it('sets the tenants for one statement only, also when it fails or is cancelled', async () => {
    const all = 'SELECT count(*)::int AS n FROM audit_event';
    const { service } = store.database;
    const failures: [() => Promise<unknown>, string][] = [
      [() => asked('SELECT 1 / (SELECT 0 FROM audit_event LIMIT 1)', [one]), 'division by zero'],
      [() => ofTenants(service, oneTenant(one), () => Promise.reject(new Error('given up'))), 'given up'],
      ...(engine === 'embedded'
        ? []
        : [[cancelled, 'canceling statement'] as [() => Promise<unknown>, string]]),
    ];
    for (const [fails, message] of failures) {
      // Runs often enough to use every connection of the pool.
      await Promise.all(Array.from({ length: 12 }, () => asked(all, [one, two])));
      await expect(fails()).rejects.toThrow(message);
      const unscoped: readonly (() => Promise<unknown>)[] = [
        () => service.models.$queryRawUnsafe(all),
        () => asked(all, []),
      ];
      for (const next of unscoped)
        expect(await Promise.all(Array.from({ length: 12 }, next))).toEqual(Array(12).fill([{ n: 0 }]));
    }
    expect(await asked(all, [one])).toEqual([{ n: 1 }]);
  });

  async function cancelled(): Promise<unknown> {
    const sleep = asked('SELECT pg_sleep(60) FROM audit_event', [one]);
    const settled = sleep.then(
      () => true,
      () => true,
    );
    const cancel = () =>
      store.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%' AND state = 'active'`,
      );
    await until(
      () => cancel().then(() => Promise.race([settled, false])),
      (isSettled) => isSettled,
    );
    return sleep;
  }

  it('keeps concurrent statements apart', async () => {
    const scopes = [[one], [two], [], [one, two]];
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, i) => tenantsIn('audit_event', scopes[i % 4] ?? [])),
    );
    expect(answers).toEqual(Array.from({ length: 80 }, (_, i) => scopes[i % 4]));
  });

  it('lets operators see all tenants together, and accepts only tenant ids', async () => {
    const count = (tx: Prisma.TransactionClient) => tx.auditEvent.count();
    expect(await ofEveryTenant(store.database.service, count)).toBe(2);
    for (const tenant of [0, -1, 1.5, Number.NaN, 2 ** 31, "1'; DROP TABLE x --" as unknown as number]) {
      await expect(asked('SELECT 1', [tenant])).rejects.toThrow(RangeError);
      await expect(ofTenants(store.database.service, oneTenant(tenant), count)).rejects.toThrow(RangeError);
    }
  });

  it('finds hours of single words only for the tenants of the statement', async () => {
    const hours = (tenant: number, scope: readonly number[]) =>
      asked('SELECT hour FROM audit_hours_of_single($1::int, $2)', scope, tenant, `${tenant} word`);
    for (const tenant of [one, two])
      await store.database.migrator.models.$executeRawUnsafe(
        `UPDATE audit_segment SET singles = ARRAY['${tenant} word'], hour = 7 WHERE tenant_id = ${tenant}`,
      );
    expect(await hours(one, [one])).toEqual([{ hour: 7 }]);
    expect(await hours(two, [one, two])).toEqual([{ hour: 7 }]);
    expect(await hours(two, [one])).toEqual([]);
    expect(await hours(one, [])).toEqual([]);
  });

  it('does not hinder the owner, who folds, indexes and removes', async () => {
    for (const table of tables) {
      const rows = await store.query<{ n: number }>(
        `SELECT count(DISTINCT tenant_id)::int AS n FROM ${table} WHERE tenant_id = ANY($1::int[])`,
        [one, two],
      );
      expect([table, rows]).toEqual([table, [{ n: 2 }]]);
    }
  });
});

/** Reads the tables from the catalogue, so that a new table without a policy is noticed. */
async function tablesOfTenants(store: Store): Promise<readonly string[]> {
  const found = await store.query<{ name: string }>(
    `SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
  );
  return found.map(({ name }) => name).filter((name) => !FREE_TABLES.includes(name));
}

/** @returns a statement that copies a row of one tenant as another tenant's */
const copied = (table: string, from: number, to: number) =>
  `INSERT INTO ${table} SELECT (jsonb_populate_record(x, '{"tenant_id": ${to}}')).* FROM ${table} x WHERE tenant_id = ${from} LIMIT 1`;

/** A valid value for each type of column. */
const ANY_VALUE: Readonly<Record<string, unknown>> = {
  smallint: 1,
  integer: 1,
  bigint: 1,
  boolean: true,
  text: 'x',
  bytea: '\\x00',
  jsonb: {},
  uuid: '0196386a-0000-8000-8000-000000000000',
  'timestamp with time zone': '2026-01-05T08:00:00Z',
};

/** Inserts a row for each tenant that has none. */
async function fill(store: Store, table: string, tenants: readonly number[]): Promise<void> {
  const columns = await store.query<{ name: string; type: string }>(
    `SELECT attname::text AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped`,
    table,
  );
  for (const tenant of tenants) {
    const known = await store.query(`SELECT FROM ${table} WHERE tenant_id = ${tenant} LIMIT 1`);
    if (known.length > 0) continue;
    const values = columns.map(({ name, type }) => [name, type.endsWith('[]') ? [] : ANY_VALUE[type]]);
    const row = JSON.stringify({ ...Object.fromEntries(values), tenant_id: tenant });
    await store.database.migrator.models.$executeRawUnsafe(
      `INSERT INTO ${table} SELECT * FROM jsonb_populate_record(NULL::${table}, $1::jsonb)`,
      row,
    );
  }
}
