import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const POSTGRES_MAJOR_MIN = 15;

const HOW_TO_GET = {
  postgres: `PostgreSQL >= ${POSTGRES_MAJOR_MIN}: install it (Debian: apt-get install postgresql) or set TEST_DATABASE_URL`,
  redis: 'Redis: install it (Debian: apt-get install redis-server) or set TEST_REDIS_URL',
};
const PACKAGES = { postgres: 'postgresql', redis: 'redis-server' };
const FIND = { postgres: findPostgres, redis: findRedis };

/**
 * Folder of PostgreSQL's programs, or Redis' server program. If it is missing, it is installed with apt, given Debian and
 * root. Otherwise `{ skipped }` says how to get it.
 */
export function ensureBinary(kind) {
  const found = FIND[kind]();
  if (found !== undefined) return { found };
  const problem = installWithApt(kind);
  const installed = FIND[kind]();
  if (installed !== undefined) return { found: installed };
  return { skipped: HOW_TO_GET[kind] + (problem ? ` (tried apt-get: ${problem})` : '') };
}

function findPostgres() {
  const folders = [...pathFolders(), ...foldersOf('/usr/lib/postgresql'), ...foldersOf('/opt/homebrew/opt')];
  return folders
    .filter((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
    .map((folder) => ({ folder, major: postgresMajor(folder) }))
    .filter(({ major }) => major >= POSTGRES_MAJOR_MIN)
    .sort((a, b) => b.major - a.major)[0]?.folder;
}

function postgresMajor(folder) {
  const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  return Number(/\) (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}

function findRedis() {
  const names = ['redis-server', 'valkey-server'];
  return pathFolders()
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}

function pathFolders() {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}

/** The folders `bin` of every version below a folder, since Debian and Homebrew keep server programs out of PATH. */
function foldersOf(parent) {
  if (!existsSync(parent)) return [];
  return readdirSync(parent).map((version) => join(parent, version, 'bin'));
}

/** Installs a package with apt, if this is Debian and we are root. @returns what went wrong, or undefined */
function installWithApt(kind) {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined;
  process.stderr.write(`servers: installing ${PACKAGES[kind]} with apt-get\n`);
  // RUNLEVEL=1 prevents the packages from starting their own services, since private servers are used.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const wait = ['-o', 'DPkg::Lock::Timeout=300'];
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', PACKAGES[kind]]]) {
    const { status, stderr, error } = spawnSync('apt-get', ['-qq', ...wait, ...args], {
      env,
      encoding: 'utf8',
    });
    if (status !== 0) return (error?.message ?? stderr).trim().split('\n').at(-1);
  }
  return undefined;
}

/**
 * Ids of an existing unprivileged user when we are root (PostgreSQL refuses to run as root), else undefined.
 * @param passwd text of /etc/passwd
 */
export function unprivilegedIds(passwd = () => readFileSync('/etc/passwd', 'utf8')) {
  if (process.getuid?.() !== 0) return undefined;
  const users = passwd()
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody', 'daemon', 'www-data']) {
    const user = users.find(([login]) => login === name);
    if (user !== undefined && user[2] !== '0') return { uid: Number(user[2]), gid: Number(user[3]) };
  }
  return undefined;
}
