/** What a component keeps of one hook from one drawing to the next. */
interface Kept {
  value: unknown;
  after?: readonly unknown[] | undefined;
  undo?: (() => void) | undefined;
}
/** The component that is drawn now. */
let now: { readonly kept: Kept[]; place: number; readonly due: (() => void)[] } | undefined;

function next(first: () => unknown): Kept {
  if (!now) throw new Error('no component is drawn now');
  const place = now.place++;
  now.kept[place] ??= { value: first() };
  return now.kept[place];
}

const isSame = (a: readonly unknown[] | undefined, b: readonly unknown[]) =>
  a !== undefined && a.length === b.length && a.every((value, i) => Object.is(value, b[i]));

/** The hooks of React that tests without a browser need: `jest.mock('react', () => jest.requireActual('./support/drawn').REACT)`. */
export const REACT = {
  useState: (first: unknown) => {
    const own = next(() => (first instanceof Function ? first() : first));
    const set = (value: unknown) => {
      own.value = value instanceof Function ? value(own.value) : value;
    };
    return [own.value, set];
  },
  useRef: (current: unknown) => next(() => ({ current })).value,
  useCallback: (act: unknown, after: readonly unknown[]) => {
    const own = next(() => act);
    if (!isSame(own.after, after)) Object.assign(own, { value: act, after });
    return own.value;
  },
  useEffect: (run: () => (() => void) | undefined, after: readonly unknown[]) => {
    const own = next(() => null);
    if (isSame(own.after, after)) return;
    now?.due.push(() => {
      own.undo?.();
      Object.assign(own, { after, undo: run() });
    });
  },
};

/** A component on the page. */
export class Drawn {
  readonly #kept: Kept[] = [];

  /** Draws it, and then runs the effects that are due. @returns what its hook does */
  draw<T>(hook: () => T): T {
    now = { kept: this.#kept, place: 0, due: [] };
    const shown = hook();
    const { due } = now;
    now = undefined;
    for (const run of due) run();
    return shown;
  }

  leave(): void {
    for (const { undo } of this.#kept) undo?.();
  }
}
