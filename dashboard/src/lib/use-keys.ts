import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef } from 'react';

/** The functions of single keys, by `key` of the event. */
export type Keys = Readonly<Record<string, () => void>>;

/** Whether single keys are active in this browser. People who dictate, or type with one hand, can switch them off. */
export function useKeysPreference(): [boolean, (isOn: boolean) => void] {
  const [isOn, setIsOn] = useLocalStorage<boolean>({
    key: 'single-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return [isOn, setIsOn];
}

/** Makes single keys active while no text field has the focus and no dialog is open. */
export function useKeys(keys: Keys): void {
  const [isOn] = useKeysPreference();
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    if (!isOn) return;
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || isCovered()) return;
      const act = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [isOn]);
}

/** Whether a dialog or a list of choices is shown. A closed one may be in the page, without a place in it. */
const isCovered = (): boolean =>
  [...document.querySelectorAll('[role="dialog"], [role="listbox"]')].some(
    (element) => element.getClientRects().length > 0,
  );

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select'));
