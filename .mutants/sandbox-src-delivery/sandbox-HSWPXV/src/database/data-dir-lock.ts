import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const ATTEMPTS_MAX = 100;
const LOCK = /^service\.lock\.(\d{1,15})$/;
const lockFile = (dataDir: string, number: number) => path.join(dataDir, `service.lock.${number}`);

/**
 * Makes sure that one process at a time opens an embedded database. Two processes would destroy it. The lock names the
 * process and its start time, so that a lock left by a killed process, or a reused process id, never blocks.
 *
 * Locks are numbered, and the highest number counts. A lock whose holder has ended is not replaced. The next lock gets
 * a higher number, and its holder removes the lower ones. So of many processes that find such a lock at once, exactly
 * one succeeds, and no process removes a lock that another has just taken.
 * @returns the release
 * @throws Error that names the holder of the folder
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  const draft = path.join(dataDir, `service.lock.draft-${randomUUID()}`);
  try {
    await writeFile(draft, JSON.stringify({ pid: process.pid, started: await startOf(process.pid) }));
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const last = Math.max(0, ...(await locksOf(dataDir)));
      const holder = await holderOf(lockFile(dataDir, last));
      if (holder !== null) {
        throw new Error(
          `${dataDir} is in use by process ${holder}. Stop it, or set DATA_DIR to another folder; ` +
            'several instances need PostgreSQL (DATABASE_URL).',
        );
      }
      const own = lockFile(dataDir, last + 1);
      if (!(await linked(draft, own))) continue;
      const locks = await locksOf(dataDir);
      if (Math.max(...locks) === last + 1) {
        for (const older of locks) if (older <= last) await rm(lockFile(dataDir, older), { force: true });
        return () => writeFile(own, '');
      }
      // Another process has taken a higher number meanwhile.
      await rm(own, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new Error(`${dataDir} cannot be locked; remove service.lock.* there if no service is running`);
}

async function locksOf(dataDir: string): Promise<number[]> {
  return (await readdir(dataDir)).flatMap((name) => {
    const number = LOCK.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

/** Uses a link and no write, so that the lock has its whole text from the moment it exists. */
async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The running process that holds the lock; null: none does. */
async function holderOf(file: string): Promise<number | null> {
  const owner = parseOwner(await readFile(file, 'utf8').catch(() => ''));
  if (!owner) return null;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: the process runs as another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null;
  }
  return (await startOf(owner.pid)) === owner.started ? owner.pid : null;
}

function parseOwner(text: string): { pid: number; started: unknown } | null {
  try {
    const { pid, started } = JSON.parse(text) as { pid: unknown; started: unknown };
    return Number.isSafeInteger(pid) && Number(pid) > 0 ? { pid: Number(pid), started } : null;
  } catch {
    // The lock was released, or this service did not write the file. Nobody holds it.
    return null;
  }
}

/** The start time of a process in the kernel's own unit; null: the system does not tell it. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()}:${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return null;
  }
}
