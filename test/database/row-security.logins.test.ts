import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { openDatabase } from '../../src/database/database';
import { SERVICE_ROLE } from '../../src/database/each-tenant';
import { migrate } from '../../src/database/migrate';
import { assertRowSecurity } from '../../src/database/row-security';
import { createEmptyDatabase, describeOnPostgres, type TestDatabase } from '../support/engines';
import { World } from '../support/world';

const SERVER_URL = process.env.TEST_DATABASE_URL ?? '';

describeOnPostgres('logins of their own for tables and for requests', () => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const [owner, service] = [`${name}_owner`, `${name}_service`];
  let place: TestDatabase;

  /** Runs statements as the administrator. */
  async function administer(...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: SERVER_URL });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }
  const as = (login: string) => {
    const url = new URL(place.databaseUrl ?? '');
    url.username = login;
    url.password = name;
    return url.href;
  };
  /** Makes the checks of a start before it serves. */
  async function checked(databaseUrl: string, migrationDatabaseUrl: string | null): Promise<void> {
    const database = await openDatabase({ ...place, databaseUrl, migrationDatabaseUrl });
    try {
      await migrate(database.migrator);
      await assertRowSecurity(database.service);
    } finally {
      await database.close();
    }
  }
  const works = async (databaseUrl: string, migrationDatabaseUrl: string | null) => {
    const world = await World.on(place, { databaseUrl, migrationDatabaseUrl });
    try {
      const acme = await world.tenant();
      await acme.audited({ objectName: 'Invoices' });
      const { data } = (await acme.get('/audit-activity', { search: 'invoices' })).body;
      return data.map((event: { objectName: string }) => event.objectName);
    } finally {
      await world.service.close();
    }
  };

  beforeAll(async () => {
    place = await createEmptyDatabase('postgresql');
    // The first migration of a cluster makes this role, but it may not have run yet.
    await administer(
      `DO $$ BEGIN CREATE ROLE ${SERVICE_ROLE} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`,
      `CREATE ROLE ${owner} LOGIN PASSWORD '${name}'`,
      `CREATE ROLE ${service} LOGIN PASSWORD '${name}'`,
      `ALTER DATABASE ${new URL(place.databaseUrl ?? '').pathname.slice(1)} OWNER TO ${owner}`,
    );
  });
  afterAll(async () => {
    await place.drop();
    await administer(`DROP ROLE ${owner}`, `DROP ROLE ${service}`);
  });

  it('start only if each login has its rights, and say which right is missing', async () => {
    await expect(checked(as(owner), null)).rejects.toThrow(
      `The login of DATABASE_URL may not become ${SERVICE_ROLE}: GRANT ${SERVICE_ROLE} TO it.`,
    );
    await expect(checked(as(service), as(owner))).rejects.toThrow(
      `The login of DATABASE_URL has no rights on the tables: GRANT ${SERVICE_ROLE} TO ${service}.`,
    );
    for (const login of [as(owner), place.databaseUrl ?? ''])
      await expect(checked(login, as(owner))).rejects.toThrow('must be bound by row-level security');

    await administer(`GRANT ${SERVICE_ROLE} TO ${service}`);
    expect(await works(as(service), as(owner))).toEqual(['Invoices']);
    await administer(`GRANT ${SERVICE_ROLE} TO ${owner}`);
    expect(await works(as(owner), null)).toEqual(['Invoices']);
  });
});
