/** Sizes, counts and times the service keeps to. The unit is in the name, the reason beside it. */
export const LIMITS = {
  sunsetMonthsMin: 12, // that callers have between the word that a route is to go and its end
  pageSizeDefault: 20, // the specification's
  pageSizeMax: 100, // the specification's
  pageMax: 2_147_483_647, // GraphQL's Int
  searchCharsMax: 512, // longer searches are pasted by mistake
  searchTermsMax: 32, // each term is a condition of the statement
  parameterProblemsMax: 100, // told of one request: more than there are parameters
  expressionCharsMax: 4_096, // the contract's: a saved question with lists of values
  expressionTermsMax: 100, // the contract's: each is a condition on every event of the range
  expressionDepthMax: 20, // the contract's: parentheses within each other
  filterCharsMax: 512, // no stored name is longer
  rateWindowMs: 60_000, // the specification's sliding minute
  rateEarlyMs: 250, // a call this early waits for its turn: jitter must not refuse a steady caller
  rateLimitPerMinuteMax: 100_000, // one log entry of 8 bytes per admitted call
  failedAuthPerMinute: 300, // per address: a guesser learns nothing, a misconfigured client fills no log
  addressesTrackedMax: 10_000, // addresses of failed authentications remembered at once
  ingestBatchEventsMax: 5_000, // one statement stays well under a second
  ingestBodyBytesMax: 8 * 1024 * 1024, // inflated; bounds what one request can hold in memory
  ingestInWorkMax: 3, // PostgreSQL is busy with fewer; each may hold a whole batch and its rows in memory
  ingestInWorkPerTenantMax: 2, // so that one is always left for another tenant
  ingestWaitingMax: 100, // about a second of work; a third of it for one tenant
  ingestWaitMs: 5_000, // then the agent, who keeps its events, sends them again
  bodiesBytesMax: 48 * 1024 * 1024, // inflated, of all requests at once; a third of it for one tenant
  shareOfOne: 3, // part of what is there for all that one tenant may take
  bodyBytesPerSecondMin: 10_000, // as sent; slower ones hold memory for those who wait
  bodySlowMs: 5_000, // so long they may be slower
  jsonDepthMax: 64, // nothing sound is deeper than 8
  jsonValuesMax: 50_000, // of one event, and of all beside the events: made in some 50 ms
  workMs: 10, // at a stretch, where work can be interrupted: others wait so long
  rejectionProblemsMax: 5, // told of one event
  rejectionMessagesBytesMax: 650_000, // of one batch: with 5,000 rejected events the answer stays under 1 MB
  rejectionMessageBytesMin: 110, // of one event: one problem, and how many more
  unknownFieldsMax: 50, // of one event: a newer agent has a few more fields than this release; more is no event of ours
  additionalCharsMax: 1024 * 1024, // names and values of one event's additional values
  eventFutureMaxMs: 24 * 3600_000, // "to tomorrow": a clock that is ahead, not a stranger date
  graphqlDocumentCharsMax: 16_384, // no document of a dashboard is longer; what varies is in its variables
  graphqlTokensMax: 1_000, // what GraphQL's own rules make of them grows with the square
  graphqlDepthMax: 8, // nothing in the schema is deeper
  graphqlRootFieldsMax: 5, // each is a statement or more: one request takes half of the connections at most
  graphqlAliasesMax: 20, // of a document
  graphqlCostMax: 30_000, // values in the largest answer: 5 full pages of events, 1 of sources with some gaps
  graphqlOperatorCostMax: 1_500_000, // the same for operators, who look at sources with all the gaps shown
  graphqlBodyBytesMax: 128 * 1024, // inflated, of anybody but an agent
  errorMessageCharsMax: 1_000, // of GraphQL's own errors, which repeat what was sent
  requestHeadersMs: 10_000, // a caller that sends slower is cut off
  requestMs: 60_000, // the same for a whole request: 8 MiB at 140 kB/s
  requestCheckMs: 1_000, // how often the two are looked after
  requestHeadBytesMax: 64 * 1024, // the URL with it
  requestHeadsBytesMax: 64 * 1024 * 1024, // of all that still arrive: nobody has shown a key yet
  urlBytesMax: 56 * 1024, // the longest filter in any writing, percent-encoded, and the other parameters as they are used
  requestsInWorkMax: 1_000, // each holds some 30 kB while it waits for the database
  requestsInWorkPerAddressMax: 250, // one address leaves places to the others; a body that arrives takes none
  connectionsPerAddressMax: 1_600, // a third of all, but of proxies that are named
  requestsAheadMax: 10, // of a connection, not answered yet: few clients send any, and each is 5 kB whoever sends it
  connectionsMax: 5_000, // idle ones too; further ones are closed at once
  connectionIdleMs: 30_000, // in the midst of a request: a caller that neither sends nor reads
  keepAliveMs: 65_000, // between requests: longer than load balancers keep theirs, so that they close first
  metricsKeptMs: 10_000, // what is read from the database is not read at every scrape
  metricsDeadlineMs: 2_000, // a scrape waits no longer for it
  metricsSourcesMax: 250, // three series each
  metricsConnectionsMax: 20,
  traceExportMs: 5_000, // for one batch of spans; a collector that is away loses them, not us
  databaseConnections: 10, // of an instance, for requests: more would only queue inside PostgreSQL
  longStatementWaitMs: 2_000, // for a turn of a search, count or export: with the statement's time the caller's deadline
  longStatementsWaitingPerKey: 20, // the page of a dashboard has three
  answerBytesPerKeyMax: 16 * 1024 * 1024, // two of the largest events that nobody has read yet
  answerBytesPerTenantMax: 32 * 1024 * 1024, // of all its keys: a third of what there is in all
  answerBytesMax: 96 * 1024 * 1024, // a text is made of values, then bytes: three times this for a moment
  answerBytesAssumed: 64 * 1024, // of an answer that is not made yet and has no whole statements
  answerWaitMs: 2_000, // for room; with the statement's time the caller's deadline
  answersWaitingPerKey: 100, // each is a few hundred bytes
  databaseConnectMs: 2_000, // with the next two, a lost database is answered within 5 s
  databaseStatementMs: 4_000,
  requestDeadlineMs: 4_500,
  nodeConnectMs: 3_000, // a node of a distributed database that is away: within what a request may take
  nodeLookMs: 2_000, // /health tells of a node that is away soon
  backgroundConnectMs: 10_000, // nobody waits for a background task
  backgroundStatementMsDefault: 300_000, // dropping a week of a billion events takes minutes
  backgroundSilenceMs: 2_000, // for PostgreSQL to say that it ended a statement
  keyCacheMs: 750, // a revoked key is refused everywhere within a second, also where the word of it is lost
  keyCacheEntriesMax: 10_000,
  keyUseFlushMs: 2_000, // last-used times are written in batches
  keyOverlapMinutesDefault: 24 * 60, // a day to give a rotated key to whoever uses it
  keyOverlapMinutesMax: 30 * 24 * 60, // a longer overlap is no rotation
  keyAddressesMax: 100, // networks a key may be used from; each is compared at every call
  operatorKeyLeftMs: 24 * 3600_000, // that an operator key must stay valid for: time to make another one
  listenRetryMs: 1_000, // until the lost connection that hears of revocations is made again
  listenPingMs: 10_000, // a connection that went silent is noticed
  accessLogFlushMs: 250, // entries are written in batches; a crash loses those of the last one
  accessLogBatchEntries: 1_000, // one statement, of about half a megabyte
  accessLogWaitingMax: 20_000, // ten seconds of a very busy instance; some 10 MB
  accessLogLossShownMs: 3600_000, // of /health: an alert is seen, and does not stay for good
  keyExpiresSoonMs: 14 * 24 * 3600_000, // to make a new key and bring it to whoever uses the old one
  accessLogParametersCharsMax: 2_000, // every sound request fits
  accessLogPageMax: 1_000, // one answer
  accessLogRemoveEntries: 5_000, // by one statement of retention
  accessLogDaysMax: 36_500, // a hundred years
  embeddedRoomBytes: 64 * 1024 ** 2, // left on the disk of the embedded engine, four files of its log
  vacuumMs: 10 * 60_000, // of the embedded engine: what is gone takes some MB until then
  foldMs: 1_000, // new counts are exact at once; folding keeps reading them cheap
  fillMs: 5_000, // days that are not counted by instance: looked for while some are found
  fillRestMs: 10 * 60_000, // between two rounds over all tenants, each of a millisecond or so a tenant
  indexMs: 1_000, // a search reads what is not indexed yet; indexing keeps that little
  indexQuietMs: 2_000, // an hour that is still being filled is not indexed over and over
  indexLiveQuietMs: 60_000, // still less one that is not over
  retentionMs: 15 * 60_000, // expired events are gone well within an hour, and a typing error can be corrected
  retentionStepEvents: 5_000, // removed by one statement: as many as one stores
  retentionDaysMax: 36_500, // a hundred years
  retentionRunsMax: 1_000, // one answer
  sequenceMs: 1_000, // the evidence log trails ingest by this and the time the hashing takes
  checkpointMs: 50_000, // a checkpoint at least every minute; each is kept for ever
  evidenceWatchedLogs: 1_000, // looked at in one round: a few milliseconds
  evidenceProofsPerRound: 100, // checkpoints of other instances that are proven in one round: 3 ms each
  evidenceBackfillEvents: 5_000, // of before there was a log, taken in at once: as many as one batch
  evidenceEntriesMax: 16_384, // entries of the log in one answer: 1 MiB
  evidenceCheckStep: { positions: 4_096, events: 2_000, bytes: 8 * 1024 * 1024 }, // of a log, verified in one answer
  evidenceCheckRecordsShown: 20, // altered or missing, of one answer; `verify` names all
  evidenceCheckpointsMax: 1_000, // in one answer: 300 kB
  tailEventsDefault: 1_000,
  tailEventsMax: 5_000, // an answer of some 5 MB
  tailWaitSecondsMax: 20, // proxies close silent connections after 30 or 60
  tailWaitingPerKey: 5, // of all instances that share a Redis; each holds a connection and a few kB
  tailPositionsMax: 50_000, // gone through by one call, whatever matches
  tailReadBytes: 4 * 1024 * 1024, // statements and additional values read by one call, but for those of the last event
  tailWorkMs: 1_500, // then a call answers with what it has
  goneBeginningMs: 60_000, // between looks for what retention removed; it runs every quarter of an hour
  goneBeginningStep: 20_000, // positions of a log looked at by one statement after another
  tailCursorCharsMax: 16_384, // of a key with 1,500 tenants
  tailLinkCharsMax: 8_192, // with the cursor beside it what clients (16 KiB) and proxies take of an answer's headers
  arrivalLookMs: 250, // those who wait for new events hear of them this late, whatever their number
  nameCharsMax: 200, // of tenants and keys
  reportGapsMax: 100, // in one report of an agent; further ones follow in the next
  sourceGapsMax: 10_000, // stored of one source; a source that loses more needs a person
  sessionIdleMs: 30 * 60_000, // someone left the desk
  sessionMs: 12 * 3600_000, // a working day; then the key, or the identity provider, is asked again
  sessionUseMs: 60_000, // the last use of a session is written no more often, so it ends up to this early
  sessionCacheMs: 1_000, // a session that was signed out is refused everywhere after this
  sessionCallsPerMinute: 600, // of a key or person: a page asks for several things at once
  sessionCallsPerKeyCall: 10, // of a key with a limit of its own: a page of the dashboard is about ten calls
  signInBodyBytesMax: 4_096, // holds a key
  signInBodyMs: 5_000, // nobody has shown a key yet, and it fits into one packet
  signInBodiesPerAddressMax: 20, // that arrive at once; each takes no time, so a whole office signs in
  openIdSignInMs: 10 * 60_000, // to type a password and find one's second factor
  openIdCallMs: 5_000, // of the identity provider
  exportPageEvents: 512, // read by one statement; with whole statements a few MB at most, usually
  exportPageBytes: 4 * 1024 * 1024, // statements of a page, that of the last event not counted
  exportPieceChars: 256 * 1024, // statements made into text at once, but for the last: nobody may read it yet
  exportReadEvents: 5_000, // read by one statement to find those that match
  exportWaitMs: 20_000, // for a turn between two pages: shorter than a silent connection is kept
  exportLeaseMs: 30_000, // an instance that died keeps its caller from exporting for so long
  histogramBucketsMin: 10,
  histogramBucketsDefault: 60, // bars a narrow chart can show
  histogramBucketsMax: 240, // a bar of 5 pixels each on a wide screen
  savedSearchesMax: 250, // of one holder in one tenant: a list is looked through, not leafed through
  savedSearchesShownMax: 1_000, // one answer
  savedSearchesClearMs: 60 * 60_000, // rows of removed ones are few, and shown to nobody
  facetValuesDefault: 10,
  facetValuesSearchedMax: 10_000, // the largest values of a field, gone over for a text in them
  facetTimesMax: 390, // values times tenants whose first and last events are looked up, by two statements each: 1.3 s
  facetValuesMax: 100, // one answer; a list of names is filtered, not leafed through
  exploreReadEventsMax: 200_000, // events that may be read where counts can't serve: well under a second
  noticeMs: 1_000, // an alert is told within seconds
  trailHealthMs: 60_000, // silent sources and gaps are told within a minute or so
  ownRulesMax: 250, // of a tenant: each is asked of every event
  ownRulesCostMax: 100_000, // of a tenant's own rules: 5,000 states of regular expressions, or 100,000 texts
  suppressionsMax: 1_000, // of a tenant at once: each is compared with every finding
  ownRulesCharsMax: 1024 * 1024, // of a tenant's own rules: one answer, and read by every engine that opens them
  exceptionsCharsMax: 16_384, // of a rule's tuning: every engine of the tenant holds it
  backtestDaysMax: 366, // a year
  backtestsMax: 2, // at once, of an instance: each takes up to half of a processor
  backtestMs: 450, // until an instance with room begins one
  detectionMs: 450, // from what was appended to the log to its findings: well under a second
  detectionWorkMs: 250, // of a tenant's rules in one step: those of other tenants wait so long
  detectionRestMs: 60_000, // of a tenant whose rules did not end in time or ran out of memory
  detectionStep: { positions: 4_096, events: 2_000, bytes: 8 * 1024 * 1024 }, // written in one transaction
  sourceGapsListed: 100, // of one source in a list of sources
  coverageSourcesMax: 100, // what an analyst reads; an operator has the whole list
  coverageGapsMax: 100, // of all sources of an answer, the newest
  sourceGapsShownMax: 1_000, // of one source in one answer
  destinationMs: 1_000, // what has arrived leaves within this and what the evidence log takes
  destinationsPerTenantMax: 50, // each may hold two batches in memory
  destinationRunsMax: 24, // destinations that one instance sends to at once
  destinationReadsMax: 2, // of them that read the log at once: half of the background's connections
  destinationRunMs: 15_000, // then others have their turn
  destinationBrokenOffMsMax: 60_000, // between attempts while the database does not take what became of them: it is back soon
  destinationBatchEvents: 500, // what a receiver stores at once, and little of it is sent again
  destinationBatchBytes: 1024 * 1024, // of items, but for the last: receivers take a megabyte or more
  destinationScanMax: 20_000, // positions gone through for one batch where the filter lets few through
  destinationSetAsideMax: 10_000, // of one destination: one that refuses more needs a person
  destinationSetAsidePageMax: 1_000, // one answer
  destinationOvertakenShownMs: 3600_000, // of /health: an alert is seen, and does not stay for good
  destinationSettingsCharsMax: 200_000, // with certificates
} as const;

/** First and last week an event can fall in: before 1990 there was no SQL Server to audit. */
export const EVENT_TIME_MIN = '1990-01-01T00:00:00.0000000Z';
