import { text } from 'node:stream/consumers';
import { loadConfig } from '../config';
import { openDatabase } from '../database/database';
import { CannotDistribute, type Distribution, distribute } from '../database/distribute/distribute';
import { migrate } from '../database/migrate';
import { CannotPrepare, prepareRestore } from '../database/prepare-restore';
import { BUILD_VERSION } from '../generated/version';
import { recoverOperatorKey } from '../modules/keys/recover-operator-key';
import { finishRestore } from '../modules/restore/finish-restore';
import { type MadeBackup, makeBackup, packBackup } from './backup/make-backup';
import { createProgram } from './commands';
import { errorLine } from './error-output';
import { questionsTo } from './question';

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

async function backUp(folder: string | null): Promise<MadeBackup> {
  const { MIGRATION_DATABASE_URL, DATABASE_URL } = process.env;
  const where = {
    config: loadConfig(process.env),
    version: BUILD_VERSION,
    ownerUrl: MIGRATION_DATABASE_URL || DATABASE_URL || null,
    env: process.env,
  };
  if (folder !== null) return makeBackup(where, folder);
  const { archive, ...made } = await packBackup(where);
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(archive, (error) => (error ? reject(error) : resolve()));
  });
  return made;
}

const asJson = process.argv.includes('--json');
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads the output, as `head`, has enough of it.
  if (error.code === 'EPIPE') return;
  process.stderr.write(`${errorLine(new Error(`The output cannot be written: ${error.message}`), asJson)}\n`);
  process.exitCode = 1;
});
const confirm = questionsTo(process.stdin, process.stderr);
createProgram({
  env: process.env,
  asJson,
  print: (line) => process.stdout.write(`${line}\n`),
  readInput: () => text(process.stdin),
  ...(confirm && { confirm }),
  migrate: migrateConfigured,
  distribute: distributeConfigured,
  prepareRestore: prepareConfigured,
  backup: backUp,
  printError: (line) => process.stderr.write(`${line}\n`),
  untilStopped: () =>
    new Promise((done) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
    }),
  finishRestore: (step) => finishRestore(loadConfig(process.env), step),
  recoverOperatorKey: () => recoverOperatorKey(loadConfig(process.env)),
})
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    process.stderr.write(`${errorLine(error, asJson)}\n`);
    process.exitCode = 1;
  });
