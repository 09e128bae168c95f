import type { FieldSlot } from './event';
import { type EventKind, kindsOfAll, kindsOfAny } from './event-kind';
import { type Needs, NO_NEEDS, needsOfAll, needsOfAny, needsOfOthers, needsOfTexts } from './need';
import type { Seen } from './seen';

/** A condition on one event, compiled once. */
export interface Matcher {
  readonly test: (seen: Seen) => boolean;
  /**
   * Action codes, letter case folded: the condition cannot hold for an event with any other code. Null: any code fits.
   */
  readonly actions: ReadonlySet<string> | null;
  /** The kinds of events for which it can hold. Absent: `actions` says it. */
  readonly kinds?: readonly EventKind[];
  /** The condition is that a field, letter case folded, is one of these texts. Absent: it is another condition. */
  readonly oneOf?: { readonly field: FieldSlot; readonly texts: readonly string[] };
  /** What must stand in an event for the condition to hold. Absent: nothing is known of it. */
  readonly needs?: Needs;
}

const needsOf = ({ needs }: Matcher): Needs => needs ?? NO_NEEDS;

const CLASS_TYPE = 'additional.classType';

/** Holds where a field, letter case folded, is one of the texts. */
export function oneOf(field: FieldSlot, texts: readonly string[], actions: Matcher['actions']): Matcher {
  const [only] = texts;
  const set = new Set(texts);
  const isOne = texts.length === 1 ? (text: string) => text === only : (text: string) => set.has(text);
  const test = (seen: Seen) => {
    for (const text of seen.folded(field)) if (isOne(text)) return true;
    return false;
  };
  const kinds = field.name === CLASS_TYPE ? { kinds: [{ actions: null, classes: texts }] } : {};
  return { test, actions, oneOf: { field, texts }, needs: needsOfTexts(field, texts), ...kinds };
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
    kinds: kindsOfAll(parts),
    needs: needsOfAll(parts.map(needsOf)),
  };
}

function commonOf([first, ...others]: readonly ReadonlySet<string>[]): ReadonlySet<string> | null {
  return first ? new Set([...first].filter((one) => others.every((set) => set.has(one)))) : null;
}

export function anyOf(parts: readonly Matcher[]): Matcher {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const actions = parts.every((part) => part.actions !== null)
    ? new Set(parts.flatMap((part) => [...(part.actions ?? [])]))
    : null;
  const field = only?.oneOf?.field;
  // One look-up answers a list of texts.
  if (field && parts.every((part) => part.oneOf?.field === field))
    return oneOf(
      field,
      parts.flatMap((part) => part.oneOf?.texts ?? []),
      actions,
    );
  const tests = parts.map(({ test }) => test);
  return {
    test: (seen) => {
      for (const test of tests) if (test(seen)) return true;
      return false;
    },
    actions,
    kinds: kindsOfAny(parts),
    needs: needsOfAny(parts.map(needsOf)),
  };
}

export const not = ({ test, oneOf: one }: Matcher): Matcher => ({
  test: (seen) => !test(seen),
  actions: null,
  needs: one ? needsOfOthers(one.field, one.texts) : NO_NEEDS,
});
