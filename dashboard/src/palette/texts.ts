/** The texts of the palette. */
export const PALETTE = {
  pages: 'Pages',
  saved: 'Saved searches',
  actions: 'Actions',
  entities: 'Entities',
  timesOf: (zone: string) => `Times of ${zone}`,
  thisBrowser: 'this browser',
  eventsWith: (value: string) => `Events with ${value}`,
  search: 'Search',
  find: 'Find',
  anyEvents: 'A page, a saved search, a login, a host, an action …',
  anyPage: 'A page, an action …',
  found: 'Found',
  nothing: 'Nothing is like this',
} as const;
