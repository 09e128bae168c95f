import { Client, escapeIdentifier } from 'pg';
import { LIMITS } from '../limits';
import { SERVICE_ROLE } from './each-tenant';
import { isFailure } from './failure';

/** The cluster cannot be prepared for a restore. Printed as one line. */
export class CannotPrepare extends Error {
  override readonly name = 'CannotPrepare';
}

/**
 * A table that says that the database is about to be restored. The first start afterwards takes it away. A dump of a
 * release without epochs has nothing else by which a restore is noticed.
 */
export const RESTORE_PREPARED = 'restore_prepared';

/**
 * Makes what a dump of the database names and does not contain: the service's role, with the login of requests as its
 * member. It also notes that a restore follows.
 * @returns the statements that were run; empty when nothing was missing
 * @throws CannotPrepare with the statements for an administrator, when the owner's login lacks the rights
 */
export async function prepareRestore(
  databaseUrl: string,
  migrationDatabaseUrl: string | null,
): Promise<readonly string[]> {
  const login = await ask(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>('SELECT current_user::text AS name');
    return rows[0]?.name ?? '';
  });
  return ask(migrationDatabaseUrl ?? databaseUrl, async (client) => {
    const { rows } = await client.query<{ used: boolean; has_role: boolean; is_member: boolean }>(
      `SELECT to_regclass('audit_event') IS NOT NULL AS used, r.oid IS NOT NULL AS has_role,
         r.oid IS NOT NULL AND pg_has_role($1, r.oid, 'USAGE') AS is_member
       FROM (VALUES (1)) one LEFT JOIN pg_roles r ON r.rolname = '${SERVICE_ROLE}'`,
      [login],
    );
    const found = rows[0];
    if (found?.used)
      throw new CannotPrepare('The database has tables of Audit Activity. Restore into an empty one.');
    const missing = [
      ...(found?.has_role ? [] : [`CREATE ROLE ${SERVICE_ROLE} NOLOGIN`]),
      ...(found?.is_member ? [] : [`GRANT ${SERVICE_ROLE} TO ${escapeIdentifier(login)}`]),
    ];
    for (const [done, statement] of missing.entries()) {
      await client.query(statement).catch((error: unknown) => {
        if (!isFailure(error, 'insufficient_privilege')) throw error;
        const left = missing.slice(done).map((each) => `${each};`);
        throw new CannotPrepare(
          `The owner's login may not do it. Have an administrator run: ${left.join(' ')}`,
        );
      });
    }
    await client.query(`CREATE TABLE IF NOT EXISTS ${RESTORE_PREPARED} ()`);
    return missing;
  });
}

async function ask<T>(connectionString: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString, connectionTimeoutMillis: LIMITS.backgroundConnectMs });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
