import type { FacetField } from '../facets/facet-field';

/** What groups are sorted by, beside their fields. */
export const GROUP_NUMBERS = [
  ...(['count', 'failed', 'before', 'change', 'sum', 'firstTime', 'lastTime'] as const),
] as const;

export interface GroupOrder {
  readonly sortBy: (typeof GROUP_NUMBERS)[number] | FacetField;
  readonly descending: boolean;
}

/** The order after a click on a heading: largest or latest first; texts from A; a second click turns it round. */
export function orderBy(sortBy: GroupOrder['sortBy'], now: GroupOrder): GroupOrder {
  if (now.sortBy === sortBy) return { sortBy, descending: !now.descending };
  return { sortBy, descending: ['count', 'failed', 'before', 'change', 'sum', 'lastTime'].includes(sortBy) };
}
