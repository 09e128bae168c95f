import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config';
import { BACKUP_MARK, ERASURES_FOLDER } from '../../data-folder';
import type { OwnerDoor } from '../../database/clients';
import { lockDataDir } from '../../database/data-dir-lock';
import { openDatabase } from '../../database/database';
import { EMBEDDED_FOLDER } from '../../database/embedded';
import { SECRETS_KEY_FILE } from '../../delivery/secret-box';
import { CHECKPOINT_KEY_FILE } from '../../modules/evidence/checkpoint-key-file';
import { CHECKPOINTS_FOLDER } from '../../modules/evidence/checkpoint-memory';
import { OPERATOR_KEY_FILE } from '../../modules/keys/operator-key';
import { DUMP_FILE, fileIn, filesIn, MANIFEST_FILE, type Manifest, sha256 } from './manifest';
import { packed } from './tar';

/** The backup cannot be made. Printed as one line. */
class CannotBackUp extends Error {
  override readonly name = 'CannotBackUp';
}

interface Part {
  readonly name: string;
  readonly content: Buffer;
}

interface Where {
  readonly config: Config;
  /** Of the service. */
  readonly version: string;
  /** The URL of the owner's login as it was given, for programs of PostgreSQL. */
  readonly ownerUrl: string | null;
  /** The environment of programs of PostgreSQL; it names where they are. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface MadeBackup {
  readonly manifest: Manifest;
  /** What is still to be done. */
  readonly notes: readonly string[];
}

const PRIVATE = { mode: 0o600, flag: 'wx' } as const;

/** Makes a backup in a new or empty folder: first keys and checkpoints, then the dump. */
export async function makeBackup(where: Where, folder: string): Promise<MadeBackup> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new CannotBackUp(`${folder} is not empty: name a new folder.`);
  await chmod(folder, 0o700);
  const { parts, missing } = await partsOf(where.config);
  for (const { name, content } of parts) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true, mode: 0o700 });
    await writeFile(path.join(folder, name), content, PRIVATE);
  }
  const stated = await databaseOf(where.config);
  const isEmbedded = where.config.databaseUrl === null;
  const dump = isEmbedded ? await copyDatabase(where.config, folder) : await dumpDatabase(where, folder);
  const files = await Promise.all((await filesIn(folder)).map((name) => fileIn(folder, name)));
  const manifest = manifestOf(where, stated, dump, files);
  await writeFile(path.join(folder, MANIFEST_FILE), textOf(manifest), PRIVATE);
  // Without a dump, whoever makes it leaves the mark.
  if (dump !== null) await markBackup(where.config.dataDir);
  return { manifest, notes: [...missing, ...(dump === null ? [dumpNote(folder)] : [])] };
}

/** Makes the part of a backup that is not in the database, as a tar archive: where no folder can be copied from. */
export async function packBackup(where: Where): Promise<MadeBackup & { readonly archive: Buffer }> {
  const { parts, missing } = await partsOf(where.config);
  const stated = await databaseOf(where.config);
  const files = parts.map(({ name, content }) => ({ name, bytes: content.length, sha256: sha256(content) }));
  const manifest = manifestOf(where, stated, null, files);
  const all = [...parts, { name: MANIFEST_FILE, content: Buffer.from(textOf(manifest)) }];
  return { manifest, notes: [...missing, dumpNote('the unpacked folder')], archive: packed(all) };
}

/** Leaves the time for the service's metric. A folder that takes no file does not spoil the backup. */
const markBackup = (dataDir: string) =>
  writeFile(path.join(dataDir, BACKUP_MARK), `${new Date().toISOString()}\n`).catch(() => {});

const textOf = (manifest: Manifest) => `${JSON.stringify(manifest, null, 2)}\n`;

const dumpNote = (folder: string) =>
  `The database is not dumped yet. Now run: pg_dump --format=custom --enable-row-security ` +
  `--file=${path.join(folder, DUMP_FILE)} --dbname="$OWNER_URL"; chmod 600 ${path.join(folder, DUMP_FILE)}`;

/** Keys and checkpoints. They are read before the database is. */
async function partsOf(config: Config): Promise<{ parts: readonly Part[]; missing: readonly string[] }> {
  const { dataDir } = config;
  const keys = [
    [CHECKPOINT_KEY_FILE, config.checkpointKeyFile ?? path.join(dataDir, CHECKPOINT_KEY_FILE)],
    [SECRETS_KEY_FILE, config.secretsKeyFile ?? path.join(dataDir, SECRETS_KEY_FILE)],
    [OPERATOR_KEY_FILE, path.join(dataDir, OPERATOR_KEY_FILE)],
  ] as const;
  const parts: Part[] = [];
  const missing: string[] = [];
  for (const [name, file] of keys) {
    const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return null;
    });
    if (content) parts.push({ name, content });
    else missing.push(`${file} is missing, and so it is not in the backup.`);
  }
  if (!parts.some(({ name }) => name === CHECKPOINT_KEY_FILE))
    throw new CannotBackUp(
      `There is no checkpoint key in ${dataDir}. Run it with the settings of the service, where its DATA_DIR is.`,
    );
  const folder = path.join(dataDir, CHECKPOINTS_FOLDER);
  const remembered = (await readdir(folder).catch(() => [])).filter((name) =>
    /^tenant-\d+(\.epoch)?$/.test(name),
  );
  for (const name of remembered.sort())
    parts.push({ name: `${CHECKPOINTS_FOLDER}/${name}`, content: await readFile(path.join(folder, name)) });
  const erasures = path.join(dataDir, ERASURES_FOLDER);
  for (const name of (await readdir(erasures).catch(() => [])).sort())
    parts.push({ name: `${ERASURES_FOLDER}/${name}`, content: await readFile(path.join(erasures, name)) });
  return { parts, missing };
}

type Stated = Pick<Manifest, 'migration' | 'epoch' | 'logs'>;

async function databaseOf(config: Config): Promise<Stated> {
  const database = await openDatabase(config);
  try {
    return await readState(database.migrator);
  } finally {
    await database.close();
  }
}

async function readState(owner: OwnerDoor): Promise<Stated> {
  const [there] = await owner.models.$queryRaw<{ migrations: boolean; epochs: boolean }[]>`
    SELECT to_regclass('_prisma_migrations') IS NOT NULL AS migrations,
      to_regclass('audit_log_epoch') IS NOT NULL AS epochs`;
  if (!there?.migrations)
    throw new CannotBackUp('The database has no tables of the service: there is nothing to back up.');
  const [newest] = await owner.models.$queryRaw<{ name: string }[]>`
    SELECT max(migration_name) AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL`;
  const [epoch] = there.epochs
    ? await owner.models.$queryRaw<{ epoch: string }[]>`SELECT epoch FROM audit_log_epoch`
    : [];
  const logs = await owner.models.$queryRaw<{ tenantId: number; entries: bigint }[]>`
    SELECT tenant_id AS "tenantId", size AS entries FROM audit_log_head ORDER BY tenant_id`;
  return {
    migration: newest?.name ?? '',
    epoch: epoch?.epoch ?? null,
    logs: logs.map(({ tenantId, entries }) => ({ tenantId, entries: Number(entries) })),
  };
}

const manifestOf = (
  { config, version }: Where,
  stated: Stated,
  dump: string | null,
  files: Manifest['files'],
): Manifest => ({
  version,
  madeAt: new Date().toISOString(),
  database: config.databaseUrl === null ? 'embedded' : 'postgresql',
  ...stated,
  dump,
  files,
});

/** The embedded database is copied while no service runs on it. */
async function copyDatabase({ dataDir }: Config, folder: string): Promise<string> {
  const unlock = await lockDataDir(dataDir);
  try {
    const target = path.join(folder, EMBEDDED_FOLDER);
    await cp(path.join(dataDir, EMBEDDED_FOLDER), target, { recursive: true });
    await chmod(target, 0o700);
  } finally {
    await unlock();
  }
  return EMBEDDED_FOLDER;
}

/** @returns null if there is no `pg_dump` here @throws CannotBackUp with what it said */
async function dumpDatabase({ ownerUrl, env }: Where, folder: string): Promise<string | null> {
  const url = new URL(ownerUrl ?? '');
  const password = decodeURIComponent(url.password);
  // Other users of the host see the arguments of a program, and not its environment.
  url.password = '';
  url.searchParams.delete('uselibpqcompat');
  const file = path.join(folder, DUMP_FILE);
  const args = ['--format=custom', '--enable-row-security', `--file=${file}`, `--dbname=${url.href}`];
  const child = spawn('pg_dump', args, {
    env: { ...env, ...(password !== '' && { PGPASSWORD: password }) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const code = await new Promise<number | null | 'missing'>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? resolve('missing') : reject(error),
    );
    child.once('close', resolve);
  });
  if (code === 'missing') return null;
  if (code !== 0)
    throw new CannotBackUp(`pg_dump ended with ${code}, so this backup is not whole: ${said.trim()}`);
  await chmod(file, 0o600);
  return DUMP_FILE;
}
