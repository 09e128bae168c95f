import { useState } from 'react';

/** The notes that somebody has begun, of the events they are about. What is older is forgotten. */
const begun = new Map<string, string>();
const DRAFTS_MAX = 50;

/**
 * A note that is not added yet. It waits while another event or another tab is shown, and while somebody signs in again.
 * @param key the person and the event
 */
export function useDraft(key: string): [string, (text: string) => void] {
  const [text, setText] = useState(begun.get(key) ?? '');
  const write = (next: string) => {
    setText(next);
    begun.delete(key);
    if (next !== '') begun.set(key, next);
    const [oldest] = begun.keys();
    if (begun.size > DRAFTS_MAX && oldest !== undefined) begun.delete(oldest);
  };
  return [text, write];
}
