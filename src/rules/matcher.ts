import type { Seen } from './seen';

/** A condition on one event, compiled once. */
export interface Matcher {
  readonly test: (seen: Seen) => boolean;
  /**
   * Action codes, letter case folded: the condition cannot hold for an event with any other code. Null: any code fits.
   */
  readonly actions: ReadonlySet<string> | null;
}

export function allOf(parts: readonly Matcher[]): Matcher {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const sets = parts.flatMap(({ actions }) => (actions ? [actions] : []));
  // No test of the action has to come first, because the index of actions has checked it already.
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
