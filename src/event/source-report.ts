/** Why a part of the audit trail could not be published. */
export const GAP_REASONS = {
  FILE_DELETED: 'An audit file was deleted before all of it was read.',
  BLOCKS_MISSING: 'A file lacks event blocks that stood between others.',
  UNREADABLE: 'Records are there and cannot be read.',
  SPOOL_FULL: 'The agent had no room left to keep what it had read.',
  REJECTED: 'Records were read, and the service refused them for good.',
} as const;
export type GapReason = keyof typeof GAP_REASONS;

/** Longest texts in the report of an agent, in UTF-16 units. */
export const REPORT_CHARS_MAX = {
  hostName: 255,
  databaseName: 100,
  agentVersion: 100,
  problem: 1_000,
  fileName: 500,
  detail: 1_000,
} as const;

/** The largest number of published events in one report: the largest GraphQL `Int`. */
export const REPORT_PUBLISHED_MAX = 2 ** 31 - 1;

/** The sources without those whose servers are gone, or whose folder another host has: they lack nothing. */
export const inUse = <S extends { readonly state: string }>(sources: readonly S[]): readonly S[] =>
  sources.filter(({ state }) => state !== 'retired' && state !== 'standby');
