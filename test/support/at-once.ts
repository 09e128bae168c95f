/** For an indexer: hours need not have been quiet. */
export const AT_ONCE = { pastMs: 0, liveMs: 0 } as const;
