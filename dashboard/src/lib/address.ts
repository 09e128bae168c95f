import { type Step, stepOf } from './drawer-step';

/** How a view's state stands in the query string, so that a link shows the same. */
export interface Address<S> {
  /** Missing and invalid parts get their default. */
  readonly parse: (search: string) => S;
  /** The shortest query string that `parse` reads as this state. */
  readonly format: (state: S) => string;
  /** The part of the state that says what the drawer shows; null: it is closed. */
  readonly drawer?: keyof S;
}

/** The step from one state to the next. @param isOwn whether the page has opened the drawer */
export function stepBetween<S>({ format, drawer }: Address<S>, now: S, next: S, isOwn: boolean): Step {
  if (drawer === undefined) return 'push';
  const restOf = (state: S) => format({ ...state, [drawer]: null });
  if (restOf(now) !== restOf(next)) return 'push';
  const shown = (state: S) => (state[drawer] === null ? null : String(state[drawer]));
  return stepOf(shown(now), shown(next), isOwn);
}

/** A state of texts, each a parameter of its own. */
export function textsAddress<N extends string>(
  names: readonly N[],
  drawer?: N,
): Address<Readonly<Record<N, string | null>>> {
  return {
    parse: (search) => {
      const given = new URLSearchParams(search);
      return Object.fromEntries(names.map((name) => [name, given.get(name) || null])) as Record<
        N,
        string | null
      >;
    },
    format: (state) => {
      const parts = new URLSearchParams();
      for (const name of names) {
        const value = state[name];
        if (value) parts.set(name, value);
      }
      return parts.toString();
    },
    ...(drawer !== undefined && { drawer }),
  };
}
