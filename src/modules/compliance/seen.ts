import type { EventGroup } from '../../store/columns/groups';
import type { ActionGroup } from './frameworks';

/** How often a group's events were seen, and when last. */
export interface Seen {
  readonly succeeded: number;
  readonly failed: number;
  readonly lastMs: number;
}

/**
 * Adds the events by action, and by class type where the class type decides, to the groups that write them. One
 * question for each set of actions is asked, whatever the number of instances.
 */
export async function seenGroups(
  groups: ReadonlyMap<string, ActionGroup>,
  byAction: readonly EventGroup[],
  byClass: (actions: readonly string[]) => Promise<readonly EventGroup[]>,
): Promise<ReadonlyMap<string, Map<string, Seen>>> {
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
  const answers = new Map<string, readonly EventGroup[]>();
  const there = new Set(byAction.map(({ values }) => codeOf(values[1])));
  for (const [name, { writes }] of groups)
    for (const { actions, classes } of writes) {
      const present = actions.filter((action) => there.has(action));
      if (present.length === 0) continue;
      if (!classes) {
        for (const one of byAction) if (present.includes(codeOf(one.values[1]))) add(name, one);
        continue;
      }
      const key = present.join(' ');
      const counted = answers.get(key) ?? (await byClass(present));
      answers.set(key, counted);
      for (const one of counted) if (classes.includes(codeOf(one.values[1]))) add(name, one);
    }
  return seen;
}

/** Codes are stored as the server wrote them, with spaces behind. */
export const codeOf = (code: string | undefined) => (code ?? '').trim();
