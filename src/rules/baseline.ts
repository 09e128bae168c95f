import { type Entry, entrySize, RECORD_IDS_MAX } from './hit';

const DAY_US = 86_400e6;
export const dayOf = (at: number): number => Math.floor(at / DAY_US);

/** The first and the last day of a value of a group. For the group itself the first day is when it became known. */
export interface SeenDays {
  first: number;
  last: number;
}

/** Window sums of a group: the highest sum of each day, and the windows that may still grow. */
export interface Sums {
  days: Record<string, number>;
  windows: Window[];
}
interface Window {
  readonly index: number;
  sum: number;
  isTold: boolean;
  entry: Entry;
  /** Where children tell of the same amounts: the sum of each child, by server instance. */
  of?: Record<string, number[]>;
}
const WINDOWS_MAX = 3;
export const noSums = (): Sums => ({ days: {}, windows: [] });
export const sumsSize = ({ windows }: Sums): number =>
  windows.reduce((sum, { entry }) => sum + entrySize(entry), 2);

/**
 * Adds to a window.
 * @param at the time to whose window and day the value belongs
 * @returns the window's entry when its sum is far above the days before and was not reported yet
 */
export function addToSum(
  body: Sums,
  entry: Entry,
  { value, child, at = entry.l }: { readonly value: number; readonly child: number; readonly at?: number },
  node: {
    readonly within: number;
    readonly days: number;
    readonly learnDays: number;
    readonly atLeast: number;
    readonly times: number;
    readonly isSame: boolean;
    readonly unlearnedAtLeast: number | null;
  },
  canTell: boolean,
): Entry | null {
  const index = Math.floor(at / node.within);
  let window = body.windows.find((one) => one.index === index);
  if (!window) {
    window = { index, sum: 0, isTold: false, entry };
    body.windows.push(window);
    body.windows.sort((a, b) => a.index - b.index);
    if (body.windows.length > WINDOWS_MAX) body.windows.shift();
  } else window.entry = joined(window.entry, entry);
  window.sum += node.isSame ? addedTo(window, entry.i[0] ?? '', value, child) : value;
  const day = dayOf(at);
  const { base, history } = before(body, day, node.days);
  body.days[day] = Math.max(body.days[day] ?? 0, window.sum);
  if (!canTell || window.isTold) return null;
  const isFar =
    history < node.learnDays
      ? node.unlearnedAtLeast !== null && window.sum >= node.unlearnedAtLeast
      : window.sum >= node.atLeast && window.sum > base * node.times;
  if (!isFar) return null;
  window.isTold = true;
  return window.entry;
}

/** Adds to the sum of a child and an instance. @returns by how much the largest sum of the instance has grown */
function addedTo(window: Window, instance: string, value: number, child: number): number {
  window.of ??= {};
  const name = `i${instance}`;
  const isKnown = Object.hasOwn(window.of, name) || Object.keys(window.of).length < INSTANCES_MAX;
  // What is left over counts as one instance.
  const key = isKnown ? name : 'others';
  const sums = window.of[key] ?? [];
  window.of[key] = sums;
  const before = Math.max(0, ...sums);
  while (sums.length <= child) sums.push(0);
  const sum = (sums[child] as number) + value;
  sums[child] = sum;
  return Math.max(0, sum - before);
}

interface Before {
  /** The highest sum of a window. */
  readonly base: number;
  /** How many days before the group was first known. */
  readonly history: number;
}
/** What was found of the days before a day, which only a late event changes. */
const known = new WeakMap<Sums, Before & { readonly day: number }>();

/** Looks at the days before, and forgets those that are too old. */
function before(body: Sums, day: number, count: number): Before {
  const found = known.get(body);
  if (found?.day === day) return found;
  let [base, first] = [0, Number.POSITIVE_INFINITY];
  for (const [name, sum] of Object.entries(body.days)) {
    const of = Number(name);
    first = Math.min(first, of);
    if (of < day && of >= day - count) base = Math.max(base, sum);
    if (of < day - count - 1) delete body.days[name];
  }
  const isNew = first === Number.POSITIVE_INFINITY;
  const made = { day, base, history: isNew ? 0 : day - first };
  // The day itself will be the first one of a group that is only known later.
  if (isNew || first <= day) known.set(body, made);
  else known.delete(body);
  return made;
}

/** Adds an event to a window's entry. Full lists are not copied. */
const joined = (window: Entry, { f, l, r, i }: Entry): Entry => ({
  f: Math.min(window.f, f),
  l: Math.max(window.l, l),
  r: window.r.length < RECORD_IDS_MAX ? [...window.r, ...r] : window.r,
  n: window.n + 1,
  p: window.p,
  i:
    i[0] === undefined || window.i.includes(i[0]) || window.i.length >= INSTANCES_MAX
      ? window.i
      : [...window.i, i[0]],
});
const INSTANCES_MAX = 20;
