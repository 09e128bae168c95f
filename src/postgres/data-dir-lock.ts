import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes sure that one process at a time opens an embedded database: two would destroy it. The lock names the
 * process and when it started, so that a lock left by a killed process, or a reused process id, never blocks.
 * @returns the release
 * @throws Error that says who holds the folder
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  const file = path.join(dataDir, 'service.lock');
  const own = JSON.stringify({ pid: process.pid, started: await startOf(process.pid) });
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await writeFile(file, own, { flag: 'wx' });
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await holderOf(file);
    if (holder !== null) {
      throw new Error(
        `${dataDir} is in use by process ${holder}. Stop it, or set DATA_DIR to another folder; ` +
          'several instances need PostgreSQL (DATABASE_URL).',
      );
    }
    await rm(file, { force: true });
  }
  throw new Error(`${file} cannot be taken; remove it if no service is running`);
}

/** The living process that holds the lock, or null. */
async function holderOf(file: string): Promise<number | null> {
  try {
    const { pid, started } = JSON.parse(await readFile(file, 'utf8')) as {
      pid: number;
      started: string | null;
    };
    process.kill(pid, 0);
    return (await startOf(pid)) === started ? pid : null;
  } catch (error) {
    // EPERM: alive, of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? -1 : null;
  }
}

/** When a process started, in the kernel's own units; null where it cannot be asked. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()}:${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return null;
  }
}
