import { useEffect, useState } from 'react';
import { type Keys, useKeys } from '../lib/use-keys';
import type { Alert } from './use-queue';

/**
 * A cursor over the alerts: j and k move it, and the keys of `acts` act on the alert under the cursor. The focus follows
 * the cursor, so that Enter opens the alert.
 * @param others keys that concern no alert
 * @returns the id of the alert under the cursor
 */
export function useQueueKeys(
  items: readonly Alert[],
  acts: Readonly<Record<string, (alert: Alert) => void>>,
  others: Keys,
): string | null {
  const [cursor, setCursor] = useState<string | null>(null);
  const at = items.findIndex(({ alertId }) => alertId === cursor);
  const alert = items[at];
  const goTo = (index: number) => {
    const next = items[Math.min(items.length - 1, Math.max(0, index))];
    if (!next) return;
    setCursor(next.alertId);
    linkOf(next.alertId)?.focus();
  };
  // The cursor follows the focus if that is moved in another way.
  useEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      const row = target instanceof Element ? target.closest('[data-alert]') : null;
      if (row) setCursor(row.getAttribute('data-alert'));
    };
    document.addEventListener('focusin', follow);
    return () => document.removeEventListener('focusin', follow);
  }, []);
  const onAlert = Object.entries(acts).map(([key, act]) => [key, () => alert && act(alert)] as const);
  useKeys({ j: () => goTo(at + 1), k: () => goTo(at - 1), ...Object.fromEntries(onAlert), ...others });
  return alert?.alertId ?? null;
}

const linkOf = (alertId: string) =>
  document.querySelector<HTMLElement>(`[data-alert="${CSS.escape(alertId)}"] a`);
