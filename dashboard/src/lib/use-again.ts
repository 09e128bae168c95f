import { useEffect } from 'react';

const AGAIN_MS = 10_000;

/**
 * Asks again some time after each failure, since nobody may be there to do it.
 * @param failure another one after each time; null: there is none
 * @param ask stays the same function
 */
export function useAgain(failure: object | null, ask: () => void): void {
  useEffect(() => {
    if (!failure) return;
    const timer = setTimeout(ask, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [failure, ask]);
}
