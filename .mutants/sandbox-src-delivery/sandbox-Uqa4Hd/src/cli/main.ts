import { loadConfig } from '../config';
import { openDatabase } from '../database/database';
import { CannotDistribute, type Distribution, distribute } from '../database/distribute/distribute';
import { migrate } from '../database/migrate';
import { CannotPrepare, prepareRestore } from '../database/prepare-restore';
import { recoverOperatorKey } from '../modules/keys/recover-operator-key';
import { createProgram } from './commands';
import { errorLine } from './error-output';

async function migrateConfigured(): Promise<readonly string[]> {
  const database = await openDatabase(loadConfig(process.env));
  try {
    return await migrate(database.migrator);
  } finally {
    await database.close();
  }
}

async function distributeConfigured(shards: number | null): Promise<Distribution> {
  const config = loadConfig(process.env);
  if (config.databaseUrl === null)
    throw new CannotDistribute(
      'DATABASE_URL is not set: nothing was distributed. It must lead to a Citus coordinator.',
    );
  const database = await openDatabase(config);
  try {
    return await distribute(database.migrator, () => migrate(database.migrator), shards);
  } finally {
    await database.close();
  }
}

async function prepareConfigured(): Promise<readonly string[]> {
  const { databaseUrl, migrationDatabaseUrl } = loadConfig(process.env);
  if (databaseUrl === null)
    throw new CannotPrepare(
      'DATABASE_URL is not set: nothing was prepared. A backup of the embedded database is a copy of its folder.',
    );
  return prepareRestore(databaseUrl, migrationDatabaseUrl);
}

const asJson = process.argv.includes('--json');
createProgram({
  env: process.env,
  asJson,
  print: (line) => process.stdout.write(`${line}\n`),
  migrate: migrateConfigured,
  distribute: distributeConfigured,
  prepareRestore: prepareConfigured,
  recoverOperatorKey: () => recoverOperatorKey(loadConfig(process.env)),
})
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    process.stderr.write(`${errorLine(error, asJson)}\n`);
    process.exitCode = 1;
  });
