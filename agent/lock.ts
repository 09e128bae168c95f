import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './log';

export type Lock =
  | { readonly kind: 'locked'; release(): Promise<void> }
  | { readonly kind: 'taken'; readonly pid: number };

/**
 * Makes this process the only agent of a data folder. A lock whose owner is gone is taken over: a process id
 * alone may belong to somebody else by now, so its start time counts too where the system tells it.
 */
export async function lockFolder(folder: string): Promise<Lock> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'agent.lock');
  const mine = JSON.stringify({ pid: process.pid, started: await startOf(process.pid) });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, mine);
  try {
    for (;;) {
      if (await linked(draft, path)) return { kind: 'locked', release: () => release(path, mine) };
      const theirs = await textOf(path);
      if (theirs === null) continue;
      const owner = parseOwner(theirs);
      if (owner && (await isAlive(owner))) return { kind: 'taken', pid: owner.pid };
      await takeAway(path, theirs);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

interface Owner {
  readonly pid: number;
  readonly started: string | null;
}

/** Link, not write: the lock has its whole text from the moment it exists. */
async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a stale lock, and puts it back where another process has replaced it meanwhile. */
async function takeAway(path: string, stale: string): Promise<void> {
  const aside = `${path}.${process.pid}.stale`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if ((await textOf(aside)) !== stale) await linked(aside, path);
  await rm(aside, { force: true });
}

async function release(path: string, mine: string): Promise<void> {
  if ((await textOf(path)) === mine) await rm(path, { force: true });
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function parseOwner(text: string): Owner | null {
  try {
    const owner = JSON.parse(text) as Partial<Owner> | null;
    return Number.isSafeInteger(owner?.pid)
      ? { pid: Number(owner?.pid), started: owner?.started ?? null }
      : null;
  } catch {
    // No agent writes such a lock; it protects nobody.
    return null;
  }
}

async function isAlive({ pid, started }: Owner): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  return started === null || (await startOf(pid)) === started;
}

/** When a process started, in the system's own count; null where the system has no /proc. */
async function startOf(pid: number): Promise<string | null> {
  const stat = await textOf(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets and may hold spaces; the start is the 22nd.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}
