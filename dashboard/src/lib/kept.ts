import { useEffect, useRef, useState } from 'react';

/**
 * What people have begun to type, and the dialogs in which they do, by page and name. It is in the memory of the page
 * alone, for the person who typed it. What is older than `KEPT_MAX` others is forgotten.
 */
const kept = new Map<string, unknown>();
const KEPT_MAX = 50;
let owner: string | null = null;
/** Whether the session has ended by itself: what is drawn goes, and what was typed waits for the next sign-in. */
let isWaiting = false;

/** @param person and rights of the session that begins: another one finds nothing of this */
export function beginKeeping(person: string): void {
  if (person !== owner) kept.clear();
  owner = person;
  isWaiting = false;
}

/** @param isOver the session ended by itself; else somebody signed out, and nothing waits */
export function endKeeping(isOver: boolean): void {
  isWaiting = isOver;
  if (!isOver) kept.clear();
}

function keep(key: string, value: unknown): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
}

interface Options<T> {
  /** What of a value may wait. Secrets and keys never do. */
  readonly part?: (value: T) => T;
  /** Whether it waits too while something else is shown, until it is as it began. */
  readonly isDraft?: boolean;
}

/**
 * A state that waits while somebody signs in again: of a dialog or form, with what is typed there.
 * @param name of the state in its page, with the id of what it is about
 */
export function useKept<T>(name: string, initial: T | (() => T), { part, isDraft = false }: Options<T> = {}) {
  const key = `${location.pathname} ${name}`;
  const begin = () => (initial instanceof Function ? initial() : initial);
  const [value, set] = useState<T>(() => (kept.has(key) ? (kept.get(key) as T) : begin()));
  const of = useRef(part);
  of.current = part;
  const [first] = useState(begin);
  useEffect(() => {
    if (value !== first) keep(key, of.current ? of.current(value) : value);
    else kept.delete(key);
  }, [key, value, first]);
  useEffect(() => {
    if (isDraft) return;
    return () => {
      if (!isWaiting) kept.delete(key);
    };
  }, [key, isDraft]);
  return [value, set] as const;
}
