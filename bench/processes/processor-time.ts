import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux counts in hundredths of a second, independently of the kernel's own clock. */
const TICK_MS = 10;

interface Times {
  readonly parent: number;
  readonly own: number;
  /** The time of children that ended and were waited for. */
  readonly ended: number;
}

/** Milliseconds of processor time, user and system, of a process so far. NaN without such a process or /proc. */
export const processMs = (pid: number | undefined): number => timesOf(String(pid))?.own ?? Number.NaN;

/** The same, including the children of the process, ended ones too. */
export function familyMs(pid: number | undefined): number {
  const root = timesOf(String(pid));
  if (root === null) return Number.NaN;
  let ms = root.own + root.ended;
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const times = timesOf(entry);
    if (times !== null && times.parent === pid) ms += times.own + times.ended;
  }
  return ms;
}

function timesOf(pid: string): Times | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields after the name, which may hold any character: state, parent, …; from the twelfth on user and system, and
    // both again for children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
    return {
      parent: Number(fields[1]),
      own: (user + system) * TICK_MS,
      ended: (endedUser + endedSystem) * TICK_MS,
    };
  } catch {
    return null;
  }
}

/** Milliseconds of processor time that some work took, by process; `wall` is the time that passed. */
export type Effort<N extends string> = Readonly<Record<N | 'wall', number>>;

/** Does the work, and reads the clocks before and after. */
export async function effortOf<N extends string, T>(
  clocks: Readonly<Record<N, () => number>>,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly effort: Effort<N> }> {
  const all = { ...clocks, wall: () => performance.now() } as Record<N | 'wall', () => number>;
  const names = Object.keys(all) as (N | 'wall')[];
  const before = names.map((name) => all[name]());
  const value = await work();
  const taken = names.map((name, i) => [name, all[name]() - (before[i] ?? Number.NaN)] as const);
  return { value, effort: Object.fromEntries(taken) as Effort<N> };
}

/** Part of one core that a process may use while nobody asks it for anything. */
const QUIET_SHARE = 0.1;
const QUIET_STEP_MS = 2_000;

/**
 * Waits until the clocks stand still: a service works on loaded events (seals them, looks at them with the rules) long
 * after it answers.
 */
export async function untilQuiet(clocks: Readonly<Record<string, () => number>>): Promise<void> {
  const busyMs = () => Object.values(clocks).reduce((sum, clock) => sum + clock(), 0);
  for (let before = busyMs(), isBusy = true; isBusy; ) {
    await sleep(QUIET_STEP_MS);
    const now = busyMs();
    isBusy = now - before > QUIET_SHARE * QUIET_STEP_MS;
    before = now;
  }
}
