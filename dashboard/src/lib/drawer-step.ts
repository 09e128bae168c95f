/** How a change of the address becomes a step of the browser's history. */
export type Step = 'push' | 'open' | 'replace' | 'back';

/** Stands in the history beside an address that a page has opened a drawer with. */
const OPENED = { drawer: 'opened' } as const;

/**
 * An open drawer is one step of the history: other content replaces it, and closing it goes back, so that Back does not
 * open it again. A drawer that was opened by a link has no step of its own.
 * @param was what the drawer shows; null: it is closed
 * @param is what it will show
 * @param isOwn whether the page has opened it
 */
export function stepOf(was: string | null, is: string | null, isOwn: boolean): Step {
  if (was === null) return is === null ? 'push' : 'open';
  return is === null && isOwn ? 'back' : 'replace';
}

/** Whether the drawer of the present address was opened by the page. */
export const isOwnDrawer = (state: unknown): boolean =>
  (state as typeof OPENED | null)?.drawer === OPENED.drawer;

type Navigate = (options: { readonly replace: boolean; readonly state: unknown }) => void;

let isLeaving = false;

/** @param navigate goes to the new address */
export function take(step: Step, navigate: Navigate): void {
  if (step !== 'back') {
    const state = step === 'open' ? OPENED : step === 'replace' ? history.state : null;
    navigate({ replace: step === 'replace', state });
    return;
  }
  // The browser goes back a moment later. Until then, the drawer can be closed a second time.
  if (isLeaving) return;
  isLeaving = true;
  addEventListener(
    'popstate',
    () => {
      isLeaving = false;
    },
    { once: true },
  );
  history.back();
}
