import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describeOnPostgres, ENGINES } from '../support/engines';
import { ROOT } from '../support/imports';
import { Store } from '../support/store';

interface Drift {
  readonly diff: string;
  readonly history: { readonly history: unknown; readonly editedMigrationNames: readonly string[] };
}

/** What Prisma's schema engine reports about a migrated database; see `schema-drift.mjs`. */
function driftOf(store: Store): Drift {
  const script = path.join(ROOT, 'test/support/schema-drift.mjs');
  return JSON.parse(
    execFileSync(process.execPath, [script, store.place.databaseUrl ?? ''], { encoding: 'utf8' }),
  );
}
const withoutComments = (sql: string) => sql.replace(/^--.*$/gm, '').trim();
/** Primary keys with included columns (INCLUDE). Prisma cannot express them and reports them as drift. */
const COVERING_KEYS = ['audit_count', 'audit_word'];
const withoutCoveringKeys = (sql: string) =>
  COVERING_KEYS.reduce(
    (rest, table) => rest.replace(new RegExp(`ALTER TABLE "${table}" DROP CONSTRAINT[^;]*;\\s*`), ''),
    withoutComments(sql),
  ).trim();

describeOnPostgres('the migrations', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open('postgresql');
  });
  afterAll(() => store.close());

  it('make exactly the database that prisma/schema.prisma describes', () => {
    expect(withoutCoveringKeys(driftOf(store).diff)).toBe('');
  });

  it("are recorded so that Prisma's own tool finds nothing to apply and nothing edited", () => {
    expect(driftOf(store).history).toMatchObject({
      history: null,
      editedMigrationNames: [],
      failedMigrationNames: [],
      hasMigrationsTable: true,
    });
  });

  it('leave no drift after partitions are added', async () => {
    await store.partitions.ensureAhead();
    expect(withoutCoveringKeys(driftOf(store).diff)).toBe('');
  });

  it('the check notices a column that the schema lacks', async () => {
    await store.database.migrator.models.$executeRawUnsafe('ALTER TABLE tenant ADD COLUMN forgotten int');
    expect(withoutComments(driftOf(store).diff)).toContain('"forgotten"');
  });
});

interface Column {
  readonly table_name: string;
  readonly udt_name: string;
  readonly is_nullable: string;
  readonly collation_name: string | null;
}
const COLUMNS = `SELECT table_name::text, column_name::text, udt_name::text, is_nullable::text, collation_name::text,
    column_default::text, is_identity::text FROM information_schema.columns
  WHERE table_schema = 'public' AND table_name IN ('tenant', 'api_key', 'access_log', 'audit_event', 'audit_source', 'audit_gap', '_prisma_migrations')
  ORDER BY table_name, column_name`;
const INDEXES = `SELECT tablename::text, indexname::text, indexdef::text FROM pg_indexes WHERE schemaname = 'public' ORDER BY 2`;

describe('PostgreSQL and the embedded engine', () => {
  const stores: Store[] = [];
  beforeAll(async () => {
    for (const engine of ENGINES) stores.push(await Store.open(engine));
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
  });

  it('have the same tables, columns, types, collations and indexes', async () => {
    const found = [];
    for (const store of stores) {
      found.push({ columns: await store.query(COLUMNS), indexes: await store.query(INDEXES) });
    }
    expect(found[0]?.columns.length).toBeGreaterThan(30);
    for (const other of found) expect(other).toEqual(found[0]);
  });

  it('compare and sort texts of events byte by byte, and store an absent text as an empty one', async () => {
    for (const store of stores) {
      const columns = (await store.query<Column>(COLUMNS)).filter(
        (column) => column.table_name === 'audit_event',
      );
      expect(columns.filter((column) => column.is_nullable !== 'NO')).toEqual([]);
      const texts = columns.filter((column) => column.udt_name === 'text');
      expect(texts.length).toBeGreaterThan(10);
      expect(texts.filter((column) => column.collation_name !== 'C')).toEqual([]);
    }
  });

  it('have the tenant as the first column in every index of events', async () => {
    for (const store of stores) {
      const indexes = await store.query<{ tablename: string; indexdef: string }>(INDEXES);
      const ofEvents = indexes.filter((index) => index.tablename === 'audit_event');
      expect(ofEvents.length).toBeGreaterThanOrEqual(2);
      for (const { indexdef } of ofEvents) expect(indexdef).toMatch(/\(tenant_id, /);
    }
  });
});
