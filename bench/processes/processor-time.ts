import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own clock is. */
const TICK_MS = 10;

interface Times {
  readonly parent: number;
  readonly own: number;
  /** Of children that ended and were waited for. */
  readonly ended: number;
}

/** Milliseconds of processor time, user and system, that a process took so far. NaN where it is not, or no /proc is. */
export const processMs = (pid: number | undefined): number => timesOf(String(pid))?.own ?? Number.NaN;

/** The same with its children, those that have ended included. */
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
    // Behind the name, which may hold anything: state, parent, …, and from the twelfth on user, system, and both of children.
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

/** What some work took of the processors, by what took it, in milliseconds; `wall` is the time that passed. */
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
