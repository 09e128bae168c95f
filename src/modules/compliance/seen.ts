import type { EventGroup } from '../../store/columns/groups';
import type { ActionGroup } from './frameworks';

/** How often a group's events were seen, and when last. */
export interface Seen {
  readonly succeeded: number;
  readonly failed: number;
  readonly lastMs: number;
}

/**
 * Adds events to the groups that write them.
 * @param counted events by server instance, action and class type
 */
export function seenGroups(
  groups: ReadonlyMap<string, ActionGroup>,
  counted: readonly EventGroup[],
): ReadonlyMap<string, ReadonlyMap<string, Seen>> {
  const seen = new Map<string, Map<string, Seen>>();
  const add = (name: string, { values: [instance = ''], n, failed, lastMs }: EventGroup) => {
    const own = seen.get(instance) ?? new Map<string, Seen>();
    const before = own.get(name) ?? { succeeded: 0, failed: 0, lastMs: 0 };
    own.set(name, {
      succeeded: before.succeeded + n - failed,
      failed: before.failed + failed,
      lastMs: Math.max(before.lastMs, lastMs),
    });
    seen.set(instance, own);
  };
  const byAction = new Map<string, EventGroup[]>();
  for (const one of counted) {
    const action = codeOf(one.values[1]);
    byAction.set(action, [...(byAction.get(action) ?? []), one]);
  }
  for (const [name, { writes }] of groups)
    for (const { actions, classes } of writes)
      for (const action of actions)
        for (const one of byAction.get(action) ?? [])
          if (!classes || classes.includes(codeOf(one.values[2]))) add(name, one);
  return seen;
}

/** Codes are stored as the server wrote them, with spaces behind. */
export const codeOf = (code: string | undefined) => (code ?? '').trim();
