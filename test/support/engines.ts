import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { openDatabase } from '../../src/postgres/database';
import { migrate } from '../../src/postgres/migrate';

/** A database of a test's own: where it is, and how to get rid of it. */
export interface TestDatabase {
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  drop(): Promise<void>;
}

export type EngineName = 'embedded' | 'postgresql';
const SERVER_URL = process.env.TEST_DATABASE_URL;

/** The engines this run can test. The runner says so when PostgreSQL is missing. */
export const ENGINES: readonly EngineName[] = SERVER_URL ? ['embedded', 'postgresql'] : ['embedded'];
export const REDIS_URL = process.env.TEST_REDIS_URL ?? null;

export function createTestDatabase(engine: EngineName): Promise<TestDatabase> {
  return engine === 'embedded' ? createEmbedded() : createPostgres();
}

const temporaryFolder = () => mkdtemp(path.join(os.tmpdir(), 'audit-activity-test-'));

/** Making the embedded engine's files takes seconds, so each worker makes them once and copies them. */
let template: Promise<string> | undefined;

async function createEmbedded(): Promise<TestDatabase> {
  template ??= makeTemplate();
  const dataDir = await temporaryFolder();
  await cp(await template, dataDir, { recursive: true });
  return { databaseUrl: null, dataDir, drop: () => rm(dataDir, { recursive: true, force: true }) };
}

async function makeTemplate(): Promise<string> {
  const dataDir = await temporaryFolder();
  process.on('exit', () => rm(dataDir, { recursive: true, force: true }));
  const database = await openDatabase({ databaseUrl: null, dataDir });
  await migrate(database.migrator);
  await database.close();
  return dataDir;
}

async function createPostgres(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const dataDir = await temporaryFolder();
  await onServer(`CREATE DATABASE ${name}`);
  const url = new URL(SERVER_URL ?? '');
  url.pathname = `/${name}`;
  return {
    databaseUrl: url.href,
    dataDir,
    drop: async () => {
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: SERVER_URL });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
