import { type RefObject, useEffect } from 'react';

const STOPS = 'a[href], button, input, [tabindex]';
const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * Makes a row of controls one stop of the Tab key, within which arrows, Home and End move. The stop is the control that
 * had the focus last, at first the current page or the first control.
 * @param within selects the part of the element that has the controls
 */
export function useOneStop(place: RefObject<HTMLElement | null>, within?: string): void {
  useEffect(() => {
    const root = place.current;
    if (!root) return;
    let current: HTMLElement | null = null;
    const stops = () => {
      const part = within ? root.querySelector(within) : root;
      return [...(part?.querySelectorAll<HTMLElement>(STOPS) ?? [])].filter(
        (element) => !element.matches(':disabled, [type="hidden"]') && element.getClientRects().length > 0,
      );
    };
    const arrange = () => {
      const all = stops();
      if (!current || !all.includes(current))
        current = all.find((element) => element.ariaCurrent || element.matches(':checked')) ?? all[0] ?? null;
      for (const element of all) {
        const wanted = element === current ? 0 : -1;
        if (element.tabIndex !== wanted) element.tabIndex = wanted;
      }
    };
    const follow = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || !stops().includes(target)) return;
      current = target;
      arrange();
    };
    const move = (event: KeyboardEvent) => {
      const all = stops();
      const at = all.indexOf(event.target as HTMLElement);
      if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = STEPS[event.key];
      const to = event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : step && at + step;
      if (to === undefined) return;
      event.preventDefault();
      all[(to + all.length) % all.length]?.focus();
    };
    // Which controls are shown is known once the page is laid out, which may take long: not in the task that draws.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const arrangeSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(arrange);
    };
    arrangeSoon();
    // Controls come and go, and get the place in the order again that the page states for them.
    const watcher = new MutationObserver(arrangeSoon);
    watcher.observe(root, {
      childList: true,
      subtree: true,
      attributeFilter: ['tabindex', 'disabled', 'aria-current', 'href'],
    });
    root.addEventListener('focusin', follow);
    root.addEventListener('keydown', move);
    return () => {
      watcher.disconnect();
      clearTimeout(timer);
      root.removeEventListener('focusin', follow);
      root.removeEventListener('keydown', move);
    };
  }, [place, within]);
}
