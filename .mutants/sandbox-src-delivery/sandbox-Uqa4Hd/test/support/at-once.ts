/** Settings for an indexer that indexes an hour at once, although events may still come for it. */
export const AT_ONCE = { pastMs: 0, liveMs: 0, folded: false } as const;
