/**
 * The value `now`, in which each part that `before` has too is the object of `before`. Elements of lists are found wherever
 * they stand; a field is compared with the field of the same name.
 */
export function sharedWith<T>(before: unknown, now: T): T {
  if (Array.isArray(now)) return (Array.isArray(before) ? sharedList(before, now) : now) as T;
  if (!isRecord(now) || !isRecord(before)) return now;
  const next = Object.entries(now).map(([name, value]) => [name, sharedWith(before[name], value)] as const);
  const isSame =
    next.length === Object.keys(before).length && next.every(([name, value]) => value === before[name]);
  return (isSame ? before : Object.fromEntries(next)) as T;
}

function sharedList(before: readonly unknown[], now: readonly unknown[]): readonly unknown[] {
  const known = new Map(before.map((each) => [JSON.stringify(each), each]));
  const next = now.map((each) => known.get(JSON.stringify(each)) ?? each);
  return next.length === before.length && next.every((each, i) => each === before[i]) ? before : next;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
