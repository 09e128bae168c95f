import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { uptime } from 'node:os';
import { join } from 'node:path';

type FolderLock =
  | { readonly kind: 'locked'; release(): Promise<void> }
  | { readonly kind: 'taken'; readonly pid: number };

/** Whose folder it is. */
type Program = 'agent' | 'launcher' | 'service' | 'witness';

const ATTEMPTS_MAX = 100;

/**
 * Makes this process the only one that works in a data folder. It makes the folder if there is none, and takes over a
 * lock whose owner is gone. Another process may have the owner's process id by now, so the start of the process counts
 * too, if the system tells it. Processes of two containers do not see each other, and both may have the id 1: the owner
 * listens at a socket in the folder, which reaches it as long as it runs.
 *
 * Locks are numbered, and the highest number counts. A process outnumbers an abandoned lock before it removes it: of many
 * that find the lock at once one succeeds, and none removes a lock that was just taken.
 * @throws Error if so many others try at once that none succeeds
 */
export async function lockFolder(folder: string, program: Program): Promise<FolderLock> {
  const pathOf = (number: number | string) => join(folder, `${program}.lock.${number}`);
  await mkdir(folder, { recursive: true });
  const id = randomUUID();
  const draft = pathOf(`draft-${id}`);
  const live = await listen(folder, `${program}.lock.live-${id}`);
  let isLocked = false;
  try {
    await writeFile(draft, JSON.stringify({ ...(await ownerOf(process.pid)), socket: live.socket }));
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const last = Math.max(0, ...(await numbersIn(folder, program)));
      const holder = await holderOf(folder, pathOf(last));
      if (holder !== null) return { kind: 'taken', pid: holder };
      const mine = pathOf(last + 1);
      if (!(await linked(draft, mine))) continue;
      const numbers = await numbersIn(folder, program);
      if (Math.max(...numbers) === last + 1) {
        for (const older of numbers) if (older <= last) await removeLock(folder, pathOf(older));
        isLocked = true;
        const release = async () => {
          // The lock is emptied, not removed: no number is given twice.
          await writeFile(mine, '');
          await live.close();
        };
        return { kind: 'locked', release };
      }
      // Others took this lock for abandoned, and made locks with higher numbers.
      await rm(mine, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
    if (!isLocked) await live.close();
  }
  throw new Error(`${folder} cannot be locked; remove ${program}.lock.* there if no ${program} is running`);
}

interface Owner {
  readonly pid: number;
  /** In the system's own count; null if it has no /proc. */
  readonly started: string | null;
  /** When the machine started, in seconds since 1970. Null: an earlier build of the service did not note it; goes with 0.2.0. */
  readonly booted: number | null;
  /** The name of the socket in the folder; null: there is none. */
  readonly socket: string | null;
}

const SOCKET = /^(agent|launcher|service|witness)\.lock\.live-[0-9a-f-]{36}$/;
/** Systems take no longer path of a socket. */
const SOCKET_PATH_BYTES_MAX = 103;

/** Listens at a socket while this process runs, where the system and the folder permit it. */
async function listen(
  folder: string,
  name: string,
): Promise<{ socket: string | null; close(): Promise<void> }> {
  const path = join(folder, name);
  const none = { socket: null, close: async () => {} };
  if (process.platform === 'win32' || Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) return none;
  const server = createServer((socket) => void socket.destroy()).unref();
  return new Promise((resolve) => {
    server.on('error', () => resolve(none));
    server.listen(path, () =>
      resolve({ socket: name, close: () => new Promise((closed) => server.close(() => closed())) }),
    );
  });
}

/** Whether somebody listens at the socket of an owner. */
function isListening(folder: string, { socket }: Owner): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket === null) return resolve(false);
    const asked = createConnection(join(folder, socket), () => {
      asked.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}

/** Removes an abandoned lock, and the socket that its owner has left. */
async function removeLock(folder: string, path: string): Promise<void> {
  const socket = parseOwner((await textOf(path)) ?? '')?.socket;
  if (socket) await rm(join(folder, socket), { force: true });
  await rm(path, { force: true });
}

/** Two readings in one run of the machine differ by no more than this, unless somebody sets the clock. */
const BOOT_SECONDS_APART = 300;

async function numbersIn(folder: string, program: Program): Promise<number[]> {
  return (await readdir(folder)).flatMap((name) => {
    const [, of, number] = /^(agent|launcher|service|witness)\.lock\.(\d{1,15})$/.exec(name) ?? [];
    return number === undefined || of !== program ? [] : [Number(number)];
  });
}

/** Makes a link instead of writing: so the lock has its whole text from the moment it exists. */
async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The living process that holds a lock, or null. */
async function holderOf(folder: string, path: string): Promise<number | null> {
  const owner = parseOwner((await textOf(path)) ?? '');
  if (owner === null) return null;
  if (await isListening(folder, owner)) return owner.pid;
  if (!isRunning(owner.pid)) return null;
  const now = await ownerOf(owner.pid);
  // Without /proc, only a restart of the machine can be told from the same process still running.
  const isSame =
    now.started === null
      ? owner.booted === null || Math.abs(now.booted - owner.booted) <= BOOT_SECONDS_APART
      : now.started === owner.started;
  return isSame ? owner.pid : null;
}

function parseOwner(text: string): Owner | null {
  try {
    const { pid, started, booted, socket } = JSON.parse(text) as Record<string, unknown>;
    if (!Number.isSafeInteger(pid) || Number(pid) <= 0) return null;
    return {
      pid: Number(pid),
      started: typeof started === 'string' ? started : null,
      booted: typeof booted === 'number' ? booted : null,
      socket: typeof socket === 'string' && SOCKET.test(socket) ? socket : null,
    };
  } catch {
    // The lock is released, or no such program wrote it: it protects nobody.
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, under another user.
    return codeOf(error) === 'EPERM';
  }
}

async function ownerOf(pid: number): Promise<Omit<Owner, 'socket'> & { readonly booted: number }> {
  const stat = await textOf(`/proc/${pid}/stat`);
  const boot = await textOf('/proc/sys/kernel/random/boot_id');
  // The second field is the program's name in brackets and may hold spaces; the start is the 22nd.
  const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  const started = ticks === null ? null : `${boot?.trim()}:${ticks}`;
  return { pid, started, booted: Math.round(Date.now() / 1000 - uptime()) };
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return null;
    throw error;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
