/** Events by their action codes and class types, letter case folded. Null: any. */
export interface EventKind {
  readonly actions: readonly string[] | null;
  readonly classes: readonly string[] | null;
}

/** A condition on events, as `Matcher` has it. */
interface Condition {
  readonly kinds?: readonly EventKind[];
  readonly actions: ReadonlySet<string> | null;
}

/** More kinds than these are not told apart: the condition is then about any event. */
const KINDS_MAX = 250;
const ANY: readonly EventKind[] = [{ actions: null, classes: null }];

/** The kinds of events for which a condition can hold. */
export const kindsOf = ({ kinds, actions }: Condition): readonly EventKind[] =>
  kinds ?? (actions ? [{ actions: [...actions], classes: null }] : ANY);

export const kindsOfAny = (parts: readonly Condition[]): readonly EventKind[] =>
  bounded(parts.flatMap(kindsOf));

export const kindsOfAll = (parts: readonly Condition[]): readonly EventKind[] =>
  parts
    .map(kindsOf)
    .reduce((some, more) => (some.length * more.length > KINDS_MAX ? some : both(some, more)), ANY);

function both(some: readonly EventKind[], more: readonly EventKind[]): readonly EventKind[] {
  return bounded(
    some.flatMap((one) =>
      more.map((other) => ({
        actions: common(one.actions, other.actions),
        classes: common(one.classes, other.classes),
      })),
    ),
  ).filter(({ actions, classes }) => actions?.length !== 0 && classes?.length !== 0);
}

function common(one: EventKind['actions'], other: EventKind['actions']): EventKind['actions'] {
  if (one === null || other === null) return one ?? other;
  const codes = new Set(other);
  return one.filter((code) => codes.has(code));
}

function bounded(kinds: readonly EventKind[]): readonly EventKind[] {
  const own = new Map(kinds.map((kind) => [JSON.stringify([kind.actions, kind.classes]), kind]));
  return own.size > KINDS_MAX ? ANY : [...own.values()];
}
