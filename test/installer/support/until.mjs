import { setTimeout as pause } from 'node:timers/promises';

const LIMIT_MS = 30_000;

/** Waits for a condition. @param check returns true, or what it found instead */
export async function until(what, check) {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const found = await check();
    if (found === true) return;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}: ${found}`);
    await pause(100);
  }
}
