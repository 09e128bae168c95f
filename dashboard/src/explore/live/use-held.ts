import { useEffect, useState } from 'react';

/** The list, as `explore.tsx` names it. */
const LIST_ID = 'events';
/** The height of the page's head, under which rows are hidden. */
const HEAD_PX = 44;

/** Whether the reader is at work in the rows: then they must not move. */
export function useHeld(isOn: boolean, isOpen: boolean): boolean {
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (!isOn) return setIsHeld(false);
    const look = () => setIsHeld(isAtWork());
    look();
    const events = ['scroll', 'focusin', 'focusout', 'selectionchange'] as const;
    for (const event of events) document.addEventListener(event, look, { passive: true, capture: true });
    return () => {
      for (const event of events) document.removeEventListener(event, look, { capture: true });
    };
  }, [isOn]);
  return isOn && (isHeld || isOpen);
}

/** What scrolls the rows where they have a place of their own. */
const placeOf = (list: HTMLElement): Element | null =>
  list.querySelector('tbody')?.closest('.mantine-ScrollArea-viewport') ?? null;

/** Scrolled down, a row has the focus, or text of the list is selected. */
function isAtWork(): boolean {
  const list = document.getElementById(LIST_ID);
  if (!list) return false;
  const { activeElement } = document;
  const selection = getSelection();
  return (
    list.getBoundingClientRect().top < HEAD_PX ||
    (placeOf(list)?.scrollTop ?? 0) > 0 ||
    (activeElement?.closest('tbody') != null && list.contains(activeElement)) ||
    (selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode))
  );
}

/** Brings the reader to the top of the list. The focus stands on the list, and so on no row. */
export function goToTop(): void {
  const list = document.getElementById(LIST_ID);
  if (!list) return;
  getSelection()?.removeAllRanges();
  list.focus({ preventScroll: true });
  placeOf(list)?.scrollTo({ top: 0, behavior: 'instant' });
  const { top } = list.getBoundingClientRect();
  if (top < HEAD_PX) window.scrollBy({ top: top - 2 * HEAD_PX, behavior: 'instant' });
}
