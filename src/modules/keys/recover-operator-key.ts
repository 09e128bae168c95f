import os from 'node:os';
import { ownAttempt, storableName } from '../../caller/access-log';
import { PostgresKeyStore } from '../../caller/key.store';
import { newKey } from '../../caller/key-format';
import type { Config } from '../../config';
import { openDatabase } from '../../database/database';
import { type CreatedKey, operatorRow } from './manage-keys';

/** A failure that the user of the command can mend. It is printed as one line. */
class CannotRecover extends Error {
  override readonly name = 'CannotRecover';
}

const NAME = 'recovered';

/** Makes an operator key for a person with the login that owns the tables. The access log records it. */
export async function recoverOperatorKey(
  config: Pick<Config, 'databaseUrl' | 'migrationDatabaseUrl' | 'dataDir'>,
): Promise<CreatedKey> {
  const database = await openDatabase(config);
  try {
    const [table] = await database.migrator.models.$queryRawUnsafe<{ login: string; is_owner: boolean }[]>(
      `SELECT current_user::text AS login, pg_has_role(current_user, relowner, 'USAGE') AS is_owner
       FROM pg_class WHERE oid = to_regclass('api_key')`,
    );
    if (!table)
      throw new CannotRecover(
        'This database has no tables of the service: start it, or run `migrate`, first.',
      );
    if (!table.is_owner)
      throw new CannotRecover(
        `No key was made: ${table.login} does not own the tables. Set MIGRATION_DATABASE_URL to the login that does.`,
      );
    const key = newKey('operator');
    const row = operatorRow(key, NAME);
    const who = { login: table.login, host: storableName(os.hostname()) };
    const attempt = { ...ownAttempt('recoverOperatorKey', new Date(), who), entrance: 'command' };
    await new PostgresKeyStore(database.migrator).insert(row, attempt);
    return { keyId: row.keyId, key };
  } finally {
    await database.close();
  }
}
