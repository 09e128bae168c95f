import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '../../src/database/database';
import { migrate } from '../../src/database/migrate';
import { CITUS_URL, createCitusDatabase } from './citus';
import { onServer, templateOn, urlOf } from './postgres-template';

/** A database for one test: its URLs, and how to drop it. */
export interface TestDatabase {
  readonly databaseUrl: string | null;
  /** The owner's URL, if a separate login owns the tables. */
  readonly migrationDatabaseUrl?: string;
  readonly dataDir: string;
  drop(): Promise<void>;
}

export type EngineName = 'embedded' | 'postgresql' | 'citus';
const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '../..');
const SERVER_URL = process.env.TEST_DATABASE_URL;

/**
 * The engines that this run can test: only a cluster (`npm run test:citus`), or the others. The runner says if
 * PostgreSQL is missing.
 */
const AVAILABLE: readonly EngineName[] = CITUS_URL
  ? ['citus']
  : SERVER_URL
    ? ['embedded', 'postgresql']
    : ['embedded'];
/**
 * The engines for tests in which the engine matters. `TEST_ENGINE` picks one of those available: `npm test` takes
 * PostgreSQL, and `npm run test:long` runs the same tests on the embedded engine.
 */
export const ENGINES: readonly EngineName[] = AVAILABLE.includes(process.env.TEST_ENGINE as EngineName)
  ? [process.env.TEST_ENGINE as EngineName]
  : AVAILABLE;
/**
 * The engine for tests in which the engine does not matter: PostgreSQL where it is there, since a service on the embedded
 * engine takes three times the processor time to start.
 */
export const ANY_ENGINE: EngineName = ENGINES.at(-1) ?? 'embedded';
export const ONE_ENGINE: readonly EngineName[] = [ANY_ENGINE];
/** For tests that need several connections or PostgreSQL's catalogue; skipped if PostgreSQL is missing. */
export const describeOnPostgres = SERVER_URL ? describe : describe.skip;
export const REDIS_URL = process.env.TEST_REDIS_URL ?? null;

export function createTestDatabase(engine: EngineName): Promise<TestDatabase> {
  if (engine === 'citus') return createCitus();
  return engine === 'embedded' ? copyOf('migrated') : createPostgres('migrated');
}

/** A database on which no service has started yet. */
export async function createEmptyDatabase(engine: EngineName): Promise<TestDatabase> {
  if (engine === 'postgresql') return createPostgres('empty');
  return copyOf('empty');
}

export const temporaryFolder = () => mkdtemp(path.join(os.tmpdir(), 'audit-activity-test-'));

/** Making and migrating the embedded engine's files takes seconds, so all workers and runs share them. */
type Template = 'empty' | 'migrated';
const templates = new Map<Template, Promise<string>>();

async function copyOf(template: Template): Promise<TestDatabase> {
  const source = templates.get(template) ?? loadTemplate(template);
  templates.set(template, source);
  const dataDir = await temporaryFolder();
  // There are a thousand files: Node's own copy takes eight times the processor time.
  await run('cp', ['-R', `${await source}/.`, dataDir]);
  return { databaseUrl: null, dataDir, drop: () => rm(dataDir, { recursive: true, force: true }) };
}

/** The folder of these files, with the current migrations or with none, beside what the set-up keeps. */
async function loadTemplate(template: Template): Promise<string> {
  const folder = path.join(ROOT, '.setup', `test-database-${template}-${await versionOfTemplate()}`);
  if (existsSync(folder)) return folder;
  await mkdir(path.dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  const database = await openDatabase({ databaseUrl: null, dataDir: draft });
  if (template === 'migrated') await migrate(database.migrator);
  await database.close();
  try {
    await rename(draft, folder);
  } catch (error) {
    // Another worker has made the files meanwhile.
    if (!existsSync(folder)) throw error;
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

async function versionOfTemplate(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  const migrations = path.join(ROOT, 'prisma/migrations');
  for (const name of (await readdir(migrations, { recursive: true })).sort()) {
    if (name.endsWith('.sql')) hash.update(name).update(await readFile(path.join(migrations, name)));
  }
  hash.update(await readFile(path.join(ROOT, 'node_modules/@electric-sql/pglite/package.json')));
  return hash.digest('hex').slice(0, 16);
}

async function createPostgres(template: Template): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const dataDir = await temporaryFolder();
  const server = SERVER_URL ?? '';
  const copied =
    template === 'migrated' ? ` TEMPLATE ${await templateOn(server, await versionOfTemplate())}` : '';
  await onServer(server, `CREATE DATABASE ${name}${copied}`);
  return {
    databaseUrl: urlOf(server, name),
    dataDir,
    drop: async () => {
      await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function createCitus(): Promise<TestDatabase> {
  const { drop, ...urls } = await createCitusDatabase();
  const dataDir = await temporaryFolder();
  return {
    ...urls,
    dataDir,
    drop: async () => {
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
