import type { In } from '../lib/texts';
import type { EXPLORE } from './texts';

/** The word for a value of `succeeded`. */
export function outcomeText(value: string, t: In<typeof EXPLORE>): string {
  if (value === 'true') return t.succeeded;
  return value === 'false' ? t.failed : value;
}
