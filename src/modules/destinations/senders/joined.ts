import type { Item } from '../batch';

/** The items on lines of their own, in UTF-8. */
export const lines = (items: readonly Item[]): Buffer =>
  Buffer.from(items.map(({ line, json }) => `${line ?? json}\n`).join(''), 'utf8');

/** The items as one text, in UTF-8. */
export function joined(items: readonly Item[], before: string, between: string, after: string): Buffer {
  return Buffer.from(before + items.map(({ json }) => json).join(between) + after, 'utf8');
}
