import { readdirSync, readFileSync } from 'node:fs';

const EVERY_MS = 10;

/** Records the command lines of all processes of this machine while `work` runs. @returns each of them once */
export async function commandLinesDuring(work) {
  const seen = new Set();
  const timer = setInterval(() => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        seen.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
      } catch {
        // The process has ended meanwhile.
      }
    }
  }, EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return [...seen];
}
