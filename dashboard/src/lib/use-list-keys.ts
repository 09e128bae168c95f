import { useCallback, useEffect, useRef, useState } from 'react';
import type { CommandId } from './commands';
import { type Acts, useCommands } from './use-commands';

/** The attribute of the rows of a list, which has the id of each. */
type RowAttribute = 'data-alert' | 'data-event';

/**
 * A cursor over the rows of a list: `down` and `up` move it, and `acts` act on the row under the cursor. The focus
 * follows the cursor, so that Enter opens the row.
 * @param ids of the rows, in their order
 * @returns the id of the row under the cursor
 */
export function useListKeys(
  ids: readonly string[],
  attribute: RowAttribute,
  acts: Readonly<Partial<Record<CommandId, (id: string) => void>>> = {},
): string | null {
  const [cursor, setCursor] = useState<string | null>(null);
  // Keys may follow each other faster than the page is drawn.
  const latest = useRef<string | null>(null);
  const move = useCallback((id: string | null) => {
    latest.current = id;
    setCursor(id);
  }, []);
  const place = () => (latest.current === null ? -1 : ids.indexOf(latest.current));
  const goTo = (index: number) => {
    const next = ids[Math.min(ids.length - 1, Math.max(0, index))];
    if (next === undefined) return;
    move(next);
    document.querySelector<HTMLElement>(`[${attribute}="${CSS.escape(next)}"] a`)?.focus();
  };
  // The cursor follows the focus if that is moved in another way.
  useEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      const row = target instanceof Element ? target.closest(`[${attribute}]`) : null;
      if (row) move(row.getAttribute(attribute));
    };
    document.addEventListener('focusin', follow);
    return () => document.removeEventListener('focusin', follow);
  }, [attribute, move]);
  const onRow = Object.entries(acts).map(([key, act]) => {
    const onCurrent = () => {
      const id = ids[place()];
      if (id !== undefined) act(id);
    };
    return [key, onCurrent] as const;
  });
  const onRows: Acts = Object.fromEntries(onRow);
  useCommands({ ...onRows, down: () => goTo(place() + 1), up: () => goTo(place() - 1) });
  return cursor !== null && ids.includes(cursor) ? cursor : null;
}
