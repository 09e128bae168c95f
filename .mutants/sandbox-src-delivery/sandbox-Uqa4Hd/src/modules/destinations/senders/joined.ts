import type { Item } from '../batch';

/** The items as one text, in UTF-8. */
export function joined(items: readonly Item[], before: string, between: string, after: string): Buffer {
  return Buffer.from(before + items.map(({ json }) => json).join(between) + after, 'utf8');
}
