import { type Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { CannotDistribute, distribute } from '../../src/database/distribute/distribute';
import {
  DISTRIBUTED_TABLES,
  distributionPlan,
  LOCAL_TABLES,
  type Placement,
} from '../../src/database/distribute/distribution';
import { migrate } from '../../src/database/migrate';
import { installCitusStub } from '../support/citus-stub';
import { createEmptyDatabase, describeOnPostgres, ENGINES, type TestDatabase } from '../support/engines';
import { useDatabase } from '../support/use-database';

const placed = (name: string, change: Partial<Placement> = {}): Placement => ({
  name,
  column: 'tenant_id',
  colocation: 1,
  ...change,
});

describe('the plan of the distribution', () => {
  it("places the rows of every table beside their tenant's row", () => {
    const [anchor, ...others] = distributionPlan([], null);
    expect(anchor).toBe(`SELECT create_distributed_table('tenant', 'tenant_id', colocate_with => 'none')`);
    expect(others).toEqual(
      DISTRIBUTED_TABLES.slice(1).map(
        (table) => `SELECT create_distributed_table('${table}', 'tenant_id', colocate_with => 'tenant')`,
      ),
    );
  });

  it('gives the number of shards to the first table, and the others follow it', () => {
    const plan = distributionPlan([], 64).filter((statement) => statement.includes('shard_count => 64'));
    expect(plan).toEqual([expect.stringContaining(`'tenant'`)]);
  });

  it('continues after an interruption, and is empty when everything is done', () => {
    const half = DISTRIBUTED_TABLES.slice(0, 3).map((name) => placed(name));
    expect(distributionPlan(half, null)).toHaveLength(DISTRIBUTED_TABLES.length - 3);
    expect(
      distributionPlan(
        DISTRIBUTED_TABLES.map((name) => placed(name)),
        null,
      ),
    ).toEqual([]);
  });

  it('refuses a table that is distributed in another way', () => {
    const other = placed('audit_event', { column: 'record_id' });
    expect(() => distributionPlan([placed('tenant'), other], null)).toThrow('by record_id');
    const apart = placed('audit_event', { colocation: 2 });
    expect(() => distributionPlan([placed('tenant'), apart], null)).toThrow('not beside tenant');
    expect(() => distributionPlan([placed('audit_event')], null)).toThrow('not beside tenant');
  });
});

describe.each(ENGINES)('the tables on %s', (engine) => {
  const use = useDatabase(engine);
  const rows = <T>(sql: string, ...values: unknown[]) =>
    use.db.migrator.models.$queryRawUnsafe<T[]>(sql, ...values);

  it('are all listed as either distributed or local', async () => {
    const tables = await rows<{ name: string }>(
      `SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
       WHERE s.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
    );
    expect(tables.map(({ name }) => name).sort()).toEqual([...DISTRIBUTED_TABLES, ...LOCAL_TABLES].sort());
  });

  it('have the tenant in every unique key, and have a replica identity', async () => {
    const unique = await rows<{ index: string }>(
      `SELECT i.indexrelid::regclass::text AS index FROM pg_index i
       WHERE i.indrelid::regclass::text = ANY($1::text[]) AND i.indisunique AND NOT EXISTS (
         SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attname = 'tenant_id'
           AND a.attnum = ANY(i.indkey[0:i.indnkeyatts - 1]))`,
      [...DISTRIBUTED_TABLES],
    );
    expect(unique).toEqual([]);
    const unnamed = await rows<{ name: string }>(
      `SELECT c.relname::text AS name FROM pg_class c WHERE c.relname::text = ANY($1::text[]) AND c.relreplident <> 'f'
         AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`,
      [...DISTRIBUTED_TABLES],
    );
    expect(unnamed).toEqual([]);
  });

  it('have no foreign key, trigger or rule that a node could only check with other nodes', async () => {
    const found = await rows(
      `SELECT conname::text FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text = ANY($1::text[])
       UNION ALL SELECT tgname::text FROM pg_trigger WHERE tgrelid::regclass::text = ANY($1::text[])`,
      [...DISTRIBUTED_TABLES],
    );
    expect(found).toEqual([]);
  });

  it('stay unchanged without the extension, and the refusal is one line', async () => {
    const refusal = distribute(use.db.migrator, () => Promise.reject(new Error('too late')), null);
    await expect(refusal).rejects.toThrow(CannotDistribute);
    await expect(refusal).rejects.toThrow(
      /^The extension citus is not in this database: nothing was distributed\..*$/,
    );
  });
});

describeOnPostgres('distribute on a stand-in for Citus', () => {
  let place: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    place = await createEmptyDatabase('postgresql');
    await installCitusStub(place.databaseUrl);
    db = await openDatabase(place);
  });
  afterEach(async () => {
    await db.close();
    await place.drop();
  });
  const run = (shards: number | null = null) => distribute(db.migrator, () => migrate(db.migrator), shards);

  it('refuses another number of shards than the tables have, and says how to change it', async () => {
    await run(4);
    await expect(run(8)).rejects.toThrow(
      /^The tables have 4 shards each already, not 8: .*alter_distributed_table/,
    );
    expect((await run(4)).distributed).toEqual([]);
  });

  it('exempts the owner from the policies of tables whose rows are copied between nodes', async () => {
    await run();
    const forced = await db.migrator.models.$queryRaw`
      SELECT relname::text AS name FROM pg_class WHERE relforcerowsecurity`;
    expect(forced).toEqual([]);
  });

  it('migrates and distributes every table in order, and does nothing the second time', async () => {
    expect(await run()).toEqual({ citus: '13.2.2', distributed: [...DISTRIBUTED_TABLES], before: [] });
    const calls = await db.migrator.models.$queryRaw<{ name: string; colocationid: number }[]>`
      SELECT logicalrelid::text AS name, colocationid FROM pg_dist_partition ORDER BY call_order`;
    expect(calls).toEqual(DISTRIBUTED_TABLES.map((name) => ({ name, colocationid: 11 })));
    expect(await run()).toEqual({ citus: '13.2.2', distributed: [], before: [...DISTRIBUTED_TABLES] });
  });

  it('continues after a failed call', async () => {
    await migrate(db.migrator);
    await db.migrator.models.$executeRaw`ALTER TABLE audit_dim RENAME TO away`;
    await expect(run()).rejects.toThrow('audit_dim');
    await db.migrator.models.$executeRaw`ALTER TABLE away RENAME TO audit_dim`;
    const { distributed, before } = await run();
    expect(before.toSorted()).toEqual(['audit_count', 'audit_delta', 'audit_event', 'tenant']);
    expect(distributed).toEqual(DISTRIBUTED_TABLES.slice(4));
  });

  it('refuses a table that it cannot correct', async () => {
    await migrate(db.migrator);
    await db.migrator.models
      .$executeRaw`INSERT INTO pg_dist_partition VALUES ('audit_event'::regclass, 'h', 'record_id', 3)`;
    await expect(run()).rejects.toThrow(CannotDistribute);
  });
});
