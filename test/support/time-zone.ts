import { readFileSync } from 'node:fs';

/** The process itself. Jest gives tests a copy of its environment, and only the process' own changes the clock of dates. */
const realProcess = readFileSync.constructor('return process')() as NodeJS.Process;

/** Runs with this zone as that of local times, such as `Europe/Berlin`. */
export function inTimeZone<T>(zone: string, run: () => T): T {
  const before = realProcess.env.TZ;
  realProcess.env.TZ = zone;
  try {
    return run();
  } finally {
    if (before === undefined) delete realProcess.env.TZ;
    else realProcess.env.TZ = before;
  }
}
