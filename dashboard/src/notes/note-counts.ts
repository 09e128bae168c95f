import { useSyncExternalStore } from 'react';

/** A note, as far as marks need it. */
interface Noted {
  readonly recordId: string;
  readonly removedAt: string | null;
}

/** How many notes the events of the page have. Events that are not named have none, as far as is known. */
let counts: ReadonlyMap<string, number> = new Map();
const listeners = new Set<() => void>();

export function countNotes(notes: readonly Noted[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { recordId, removedAt } of notes)
    if (removedAt === null) found.set(recordId, (found.get(recordId) ?? 0) + 1);
  return found;
}

/** Tells the marks of some events what their notes are now. */
export function tellNotes(recordIds: readonly string[], notes: readonly Noted[]): void {
  const found = countNotes(notes);
  const next = new Map(counts);
  for (const id of recordIds) next.set(id, found.get(id) ?? 0);
  counts = next;
  for (const listener of listeners) listener();
}

/** Begins with the events of another page. */
export function beginNotes(): void {
  counts = new Map();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useNoteCount = (recordId: string): number =>
  useSyncExternalStore(subscribe, () => counts.get(recordId) ?? 0);
