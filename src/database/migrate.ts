import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ADVISORY_LOCKS } from './advisory-locks';
import type { OwnerDoor, Prisma } from './clients';
import { isFailure } from './failure';
import { mendRestored } from './row-security';

/** The folder of the migrations, found from `src/` and from `dist/src/`. */
const FOLDER = findUp('prisma/migrations');
const TIMEOUT_MS = 30 * 60_000;
const UNKNOWN_SHOWN_MAX = 5;
/** From this migration on there are policies, which a restore may have lost. */
const ROW_SECURITY = '0010_row_security';

/** A newer release has migrated the database. Printed as one line. */
class NewerDatabase extends Error {
  override readonly name = 'NewerDatabase';
}

/** How long an attempt waits for tables that an older service uses. PostgreSQL looks for deadlocks after a second. */
const LOCK_WAIT_MS = 250;
const LOCK_PAUSE_MS = 350;
/** After these attempts it waits as long as it must. */
const LOCK_ATTEMPTS = 100;

/**
 * Applies the missing migrations, all in one transaction, and records them as Prisma's own tool would. The schema of
 * each release also works for the one before it, so an older service may keep running meanwhile. An attempt that does
 * not get the tables that it changes soon is begun anew: else a statement of that service could be the one that a
 * deadlock ends.
 * @returns the names of the migrations applied now
 * @throws NewerDatabase when a newer release has migrated the database: this release would not maintain what it does
 * not know
 * @throws NoRowSecurity when a restore lost policies or rights
 */
export async function migrate(owner: OwnerDoor): Promise<readonly string[]> {
  const migrations = await readMigrations();
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyMissing(owner, migrations, attempt < LOCK_ATTEMPTS ? LOCK_WAIT_MS : 0);
    } catch (error) {
      if (attempt >= LOCK_ATTEMPTS || !isFailure(error, 'lock_not_available')) throw error;
      await setTimeout(LOCK_PAUSE_MS);
    }
  }
}

/** @param lockWaitMs 0: without end */
function applyMissing(
  owner: OwnerDoor,
  migrations: readonly Migration[],
  lockWaitMs: number,
): Promise<readonly string[]> {
  return owner.models.$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.migrations})`);
      await tx.$executeRawUnsafe(HISTORY_TABLE);
      const done = await tx.$queryRawUnsafe<{ migration_name: string; checksum: string }[]>(
        'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL',
      );
      const checksums = new Map(done.map((row) => [row.migration_name, row.checksum]));
      assertNoneUnknown([...checksums.keys()], migrations);
      if (checksums.has(ROW_SECURITY)) await mendRestored(tx, tablesOf(migrations));
      const missing = migrations.filter(({ name }) => !checksums.has(name));
      await lockChanged(tx, missing, lockWaitMs);
      const applied: string[] = [];
      for (const { name, sql, checksum } of migrations) {
        const before = checksums.get(name);
        if (before && before !== checksum)
          throw new Error(`migration ${name} was changed after it was applied`);
        if (before) continue;
        const statements = splitStatements(sql);
        // One statement at a time: several in one string cannot be prepared, and a distributed database refuses them.
        for (const statement of statements) await tx.$executeRawUnsafe(statement).catch(sayPlainly);
        await tx.$executeRawUnsafe(
          `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
           VALUES ($1, $2, $3, now(), now(), 1)`,
          randomUUID(),
          checksum,
          name,
        );
        applied.push(name);
      }
      return applied;
    },
    { timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS },
  );
}

/**
 * Locks the tables that migrations change, before anything is done. Then the transaction never waits for a table while a
 * statement of another service waits for it.
 */
async function lockChanged(
  tx: Prisma.TransactionClient,
  missing: readonly Migration[],
  waitMs: number,
): Promise<void> {
  const made = tablesOf(missing);
  const changed = missing.flatMap(({ sql }) =>
    [...sql.matchAll(/^ALTER TABLE "?(\w+)/gm)].map(([, name = '']) => name),
  );
  const tables = [...new Set(changed)].filter((name) => !made.includes(name));
  if (tables.length === 0) return;
  await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = ${waitMs}`);
  for (const name of tables) await tx.$executeRawUnsafe(`LOCK TABLE "${name}" IN ACCESS EXCLUSIVE MODE`);
  await tx.$executeRawUnsafe('SET LOCAL lock_timeout = 0');
}

function assertNoneUnknown(done: readonly string[], known: readonly { readonly name: string }[]): void {
  const unknown = done.filter((name) => !known.some((each) => each.name === name)).sort();
  if (unknown.length === 0) return;
  throw new NewerDatabase(
    `A newer release has migrated this database: it has ${unknown.slice(-UNKNOWN_SHOWN_MAX).join(', ')}, which this ` +
      'release does not know. Start that release or a newer one, or restore a backup from before.',
  );
}

/** The tables that migrations make. Other tables of the same schema are not checked. */
const tablesOf = (migrations: readonly { readonly sql: string }[]): string[] =>
  migrations.flatMap(({ sql }) => [...sql.matchAll(/^CREATE TABLE "?(\w+)/gm)].map(([, name = '']) => name));

/** An exception that a migration raises is a message for people, so Prisma's text around it is removed. */
function sayPlainly(error: unknown): never {
  const { meta } = error as { meta?: { driverAdapterError?: { cause?: Record<string, unknown> } } };
  const { originalMessage } = meta?.driverAdapterError?.cause ?? {};
  throw isFailure(error, 'raise_exception') ? new Error(String(originalMessage), { cause: error }) : error;
}

const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER, { withFileTypes: true }))
    .filter((e) => e.isDirectory())
    .map((e) => e.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(FOLDER, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

function findUp(relative: string): string {
  const inDist = path.basename(path.resolve(__dirname, '../..')) === 'dist';
  return path.resolve(__dirname, inDist ? '../../..' : '../..', relative);
}

/** A piece that must not be split: a comment, a quoted text, a quoted name or a dollar-quoted body. */
const PIECE = /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;|[^-'"$;]+|[\s\S]/g;

/** The statements of an SQL script, without comments and closing semicolons. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let statement = '';
  for (const [piece] of sql.matchAll(PIECE)) {
    if (piece === ';') {
      statements.push(statement.trim());
      statement = '';
    } else if (!piece.startsWith('--')) statement += piece;
  }
  statements.push(statement.trim());
  return statements.filter((text) => text !== '');
}
