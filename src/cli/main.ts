import { loadConfig } from '../config';
import { openDatabase } from '../postgres/database';
import { migrate } from '../postgres/migrate';
import { createProgram } from './commands';

async function migrateConfigured(): Promise<readonly string[]> {
  const database = await openDatabase(loadConfig(process.env));
  try {
    return await migrate(database.migrator);
  } finally {
    await database.close();
  }
}

createProgram({
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  migrate: migrateConfigured,
})
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
