import { PostgresTenantStore } from '../../src/caller/tenant.store';
import { type Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { migrate } from '../../src/database/migrate';
import { checkEvent } from '../../src/modules/ingest/check-event';
import type { CheckedEvent } from '../../src/store/bytes/checked-event';
import { Partitions } from '../../src/store/rows/partitions';
import { AN_ATTEMPT } from './attempt';
import { TEST_CHECKPOINT_KEY } from './checkpoint-key';
import { createTestDatabase, type EngineName, type TestDatabase } from './engines';
import { anEvent, type IngestedEvent } from './events';
import { Inserter } from './inserter';

/** A writer on this database, made as a service makes it. */
export const writerOn = (
  { service }: Pick<Database, 'service'>,
  partitions: Partitions,
  isTwice?: () => boolean,
) => new Inserter(service, partitions, TEST_CHECKPOINT_KEY, isTwice);

/** A test's own store without a service, and with direct access to its database. */
export class Store {
  readonly partitions: Partitions;
  readonly writer: Inserter;

  private constructor(
    readonly database: Database,
    readonly place: TestDatabase,
    readonly tenantId: number,
  ) {
    this.partitions = new Partitions(database.migrator);
    this.writer = writerOn(database, this.partitions);
  }

  static async open(engine: EngineName): Promise<Store> {
    return Store.on(await createTestDatabase(engine));
  }

  /** A second store on the same database (PostgreSQL), with a new tenant unless one is given. */
  static async on(place: TestDatabase, tenantId?: number): Promise<Store> {
    const database = await openDatabase(place);
    await migrate(database.migrator);
    const tenants = new PostgresTenantStore(database.service);
    return new Store(database, place, tenantId ?? (await tenants.create('Acme', null, AN_ATTEMPT)).tenantId);
  }

  /** The same store, for events of a new tenant. */
  async forNewTenant(): Promise<Store> {
    const { tenantId } = await new PostgresTenantStore(this.database.service).create(
      'Another',
      null,
      AN_ATTEMPT,
    );
    return new Store(this.database, this.place, tenantId);
  }

  /** Empties the database, which is quicker than making one. @returns the store for a new tenant */
  async renewed(): Promise<Store> {
    const tables = await this.query<{ name: string; isWeek: boolean }>(
      `SELECT c.relname::text AS name, c.relispartition AS "isWeek"
       FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
       WHERE s.nspname = 'public' AND c.relkind IN ('r', 'p') AND c.relname <> '_prisma_migrations'`,
    );
    const names = (isWeek: boolean) => tables.filter((one) => one.isWeek === isWeek).map(({ name }) => name);
    if (names(true).length > 0) await this.query(`DROP TABLE ${names(true).join()}`);
    // TRUNCATE would be slower: it makes new files for every table and index.
    const emptied = names(false).map((name) => `DELETE FROM ${name};`);
    await this.query(`DO $$ BEGIN ${emptied.join(' ')} END $$`);
    return this.forNewTenant();
  }

  /** Closes the connections, and keeps the database. */
  disconnect(): Promise<void> {
    return this.database.close();
  }

  async close(): Promise<void> {
    await this.disconnect();
    await this.place.drop();
  }

  /** Valid events of the store's tenant, as the ingest check returns them. */
  checked(changes: readonly Partial<IngestedEvent>[]): CheckedEvent[] {
    return changes.map((change) => {
      const checked = checkEvent(this.tenantId, anEvent(change), Date.now());
      if ('rejection' in checked) throw new Error(checked.rejection.message);
      return checked.event;
    });
  }

  insert(events: readonly CheckedEvent[]): Promise<number> {
    return this.writer.insert(this.tenantId, events);
  }

  /** Queries the database as the owner, who sees every row. */
  query<T>(sql: string, ...values: unknown[]): Promise<T[]> {
    return this.database.migrator.models.$queryRawUnsafe<T[]>(sql, ...values);
  }

  async count(): Promise<number> {
    const [row] = await this.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM audit_event WHERE tenant_id = $1',
      this.tenantId,
    );
    return row?.n ?? -1;
  }
}
