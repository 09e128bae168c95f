import { useEffect, useRef } from 'react';
import { type CommandId, commandOfKey } from './commands';
import { useKeysPreference } from './use-keys-preference';

/** What commands do now. */
export type Acts = Readonly<Partial<Record<CommandId, () => void>>>;

/** Of the components that are shown, in the order in which they appeared. */
const shown = new Set<{ readonly current: Acts }>();

/** Makes commands do this while the component is shown. Of several components, the newest one acts. */
export function useCommands(acts: Acts): void {
  const current = useRef(acts);
  current.current = acts;
  useEffect(() => {
    shown.add(current);
    return () => {
      shown.delete(current);
    };
  }, []);
}

/** What a command does now; undefined: nothing that is shown acts on it. */
export const actOf = (id: CommandId): (() => void) | undefined =>
  [...shown].flatMap(({ current }) => current[id] ?? []).at(-1);

/** How long `g` waits for its letter. */
const GO_MS = 1_500;

/**
 * Listens to the keys of all commands. Single keys are heard while no text field has the focus and no dialog is open;
 * Ctrl-K always.
 * @param go leads to the page of a letter after `g`; false: it has none
 */
export function useKeyboard(go: (letter: string) => boolean): void {
  const [isOn] = useKeysPreference();
  const leads = useRef(go);
  leads.current = go;
  useEffect(() => {
    let goUntil = 0;
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return;
      if (event.ctrlKey || event.metaKey) {
        if (event.key.toLowerCase() !== 'k' || event.shiftKey) return;
        event.preventDefault();
        actOf('palette')?.();
        return;
      }
      if (!isOn || isTyping(event.target) || isCovered()) return;
      const isAfterGo = event.timeStamp < goUntil;
      goUntil = 0;
      if (isAfterGo && leads.current(event.key)) return event.preventDefault();
      if (event.key === 'g') {
        goUntil = event.timeStamp + GO_MS;
        return;
      }
      const id = commandOfKey(event.key, (each) => actOf(each) !== undefined);
      const act = id && actOf(id);
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [isOn]);
}

/**
 * Whether a dialog or a list of choices is shown over the page. A closed one may be in the page, without a place in it;
 * one that is docked covers nothing.
 */
const isCovered = (): boolean =>
  [...document.querySelectorAll('[role="dialog"]:not([data-docked]), [role="listbox"]')].some(
    (element) => element.getClientRects().length > 0,
  );

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select'));
