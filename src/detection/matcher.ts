import type { Seen } from './seen';

/** A condition on one event, made into code once. */
export interface Matcher {
  readonly test: (seen: Seen) => boolean;
  /** Action codes without one of which it cannot hold, letter case folded; null: it may hold for any. */
  readonly actions: ReadonlySet<string> | null;
}

export function allOf(parts: readonly Matcher[]): Matcher {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const sets = parts.flatMap(({ actions }) => (actions ? [actions] : []));
  // The cheap question first: whether the action is one of them is what the index has answered.
  const tests = parts.map(({ test }) => test);
  return {
    test: (seen) => {
      for (const test of tests) if (!test(seen)) return false;
      return true;
    },
    actions: commonOf(sets),
  };
}

function commonOf([first, ...others]: readonly ReadonlySet<string>[]): ReadonlySet<string> | null {
  return first ? new Set([...first].filter((one) => others.every((set) => set.has(one)))) : null;
}

export function anyOf(parts: readonly Matcher[]): Matcher {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const tests = parts.map(({ test }) => test);
  return {
    test: (seen) => {
      for (const test of tests) if (test(seen)) return true;
      return false;
    },
    actions: parts.every(({ actions }) => actions !== null)
      ? new Set(parts.flatMap(({ actions }) => [...(actions ?? [])]))
      : null,
  };
}

export const not = ({ test }: Matcher): Matcher => ({ test: (seen) => !test(seen), actions: null });
