import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const BEAT_MS = 2_000;
/** An owner that has not touched its lock for this time is gone. A process id is no proof: it may be reused. */
const SILENT_MS = 30_000;
const POLL_MS = 100;

/**
 * Runs `work` while this process holds the lock file `path`, which one process at a time can hold. A lock whose owner
 * died, or no longer touches it, is taken over.
 * @returns the result of `work`
 */
export async function withLock(path, work, { onWait = () => {}, silentMs = SILENT_MS } = {}) {
  const mine = JSON.stringify({
    pid: process.pid,
    host: hostname(),
    since: Date.now(),
    nonce: Math.random(),
  });
  mkdirSync(dirname(path), { recursive: true });
  for (let waited = false; !tryCreate(path, mine); ) {
    const held = read(path);
    if (held === undefined) continue;
    if (isStale(held, silentMs)) {
      takeAway(path, held);
      continue;
    }
    if (!waited) onWait(held.owner?.pid);
    waited = true;
    await sleep(POLL_MS);
  }
  const beat = setInterval(() => touch(path), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if (read(path)?.text === mine) rmSync(path, { force: true });
  }
}

function tryCreate(path, text) {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    // Windows answers EPERM while a removed file is still open somewhere.
    if (error.code === 'EEXIST' || (error.code === 'EPERM' && process.platform === 'win32')) return false;
    throw error;
  }
}

function read(path) {
  try {
    const text = readFileSync(path, 'utf8');
    return { text, owner: parse(text), ageMs: Date.now() - statSync(path).mtimeMs };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    // The file is empty between its creation and its writing, or after a crash between the two.
    return undefined;
  }
}

function isStale({ owner, ageMs }, silentMs) {
  if (ageMs > silentMs) return true;
  return owner !== undefined && owner.host === hostname() && !isAlive(owner.pid);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Removes a stale lock. Two waiters may find the same one, so a waiter that moved a fresh lock away puts it back. */
function takeAway(path, stale) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  const moved = read(aside);
  if (moved !== undefined && moved.text !== stale.text) tryCreate(path, moved.text);
  rmSync(aside, { force: true });
}

function touch(path) {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
