import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves with the first truthy result of `check`; @throws after `ms` without one */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  ms = 60_000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + ms;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`waited in vain for: ${what}`);
    await sleep(10);
  }
}
