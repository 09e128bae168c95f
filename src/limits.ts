/** Sizes, counts and times the service keeps to. The unit is in the name, the reason beside it. */
export const LIMITS = {
  pageSizeDefault: 20, // the specification's
  pageSizeMax: 100, // the specification's
  pageMax: 2_147_483_647, // GraphQL's Int
  searchCharsMax: 512, // longer searches are pasted by mistake
  searchTermsMax: 32, // each term is a condition of the statement
  filterCharsMax: 512, // no stored name is longer
  rateWindowMs: 60_000, // the specification's sliding minute
  rateEarlyMs: 250, // a call this early waits for its turn: jitter must not refuse a steady caller
  rateLimitPerMinuteMax: 100_000, // one log entry of 8 bytes per admitted call
  failedAuthPerMinute: 300, // per address: a guesser learns nothing, a misconfigured client fills no log
  addressesTrackedMax: 10_000, // addresses of failed authentications remembered at once
  ingestBatchEventsMax: 5_000, // one statement stays well under a second
  ingestBodyBytesMax: 8 * 1024 * 1024, // inflated; bounds what one request can hold in memory
  ingestInWorkMax: 3, // PostgreSQL is busy with fewer; each may hold a whole body and its rows in memory
  ingestWaitingMax: 100, // requests whose body is not read yet; about a second of work
  additionalCharsMax: 1024 * 1024, // names and values of one event's additional values
  eventFutureMaxMs: 24 * 3600_000, // "to tomorrow": a clock that is ahead, not a stranger date
  requestHeadersMs: 10_000, // a caller that sends slower is cut off
  requestMs: 60_000, // the same for a whole request: 8 MiB at 140 kB/s
  databaseConnectMs: 2_000, // with the next two, a lost database is answered within 5 s
  databaseStatementMs: 4_000,
  requestDeadlineMs: 4_500,
  keyCacheMs: 1_000, // a revoked key is refused everywhere after this
  keyCacheEntriesMax: 10_000,
  keyUseFlushMs: 2_000, // last-used times are written in batches
  foldMs: 1_000, // new counts are exact at once; folding keeps reading them cheap
  indexMs: 1_000, // a search reads what is not indexed yet; indexing keeps that little
  indexQuietMs: 2_000, // an hour that is still being filled is not indexed over and over
  indexLiveQuietMs: 60_000, // still less one that is not over
  retentionMs: 15 * 60_000, // expired events are gone well within an hour, and a typing error can be corrected
  retentionStepEvents: 5_000, // removed by one statement: as many as one stores
  retentionDaysMax: 36_500, // a hundred years
  retentionRunsMax: 1_000, // one answer
  nameCharsMax: 200, // of tenants and keys
  reportGapsMax: 100, // in one report of an agent; further ones follow in the next
  sourceGapsMax: 10_000, // stored of one source; a source that loses more needs a person
  sourceGapsShownMax: 1_000, // of one source in one answer
} as const;

/** First and last week an event can fall in: before 1990 there was no SQL Server to audit. */
export const EVENT_TIME_MIN = '1990-01-01T00:00:00.0000000Z';
