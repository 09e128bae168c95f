/** Sizes, counts and times the service keeps to. The unit is in the name, the reason beside it. */
export const LIMITS = {
  sunsetMonthsMin: 12, // from the announcement that a route will end to its end
  pageSizeDefault: 20, // the specification's
  pageSizeMax: 100, // the specification's
  pageMax: 2_147_483_647, // GraphQL's Int
  searchCharsMax: 512, // longer searches are pasted by mistake
  searchTermsMax: 32, // each term is a condition of the statement
  parameterProblemsMax: 100, // named in one answer: more than there are parameters
  problemCharsMax: 1_000, // of the text of one of them, which may repeat what was sent
  expressionCharsMax: 4_096, // the contract's; a saved search with lists of values fits
  expressionTermsMax: 100, // the contract's; each term is a condition on every event of the range
  expressionDepthMax: 20, // the contract's; nested parentheses
  filterCharsMax: 512, // no stored name is longer
  rateWindowMs: 60_000, // the specification's sliding minute
  rateEarlyMs: 250, // a call that is early by at most this waits: jitter must not get a steady caller refused
  rateLimitPerMinuteMax: 100_000, // one log entry of 8 bytes per admitted call
  failedAuthPerMinute: 300, // per address: guessing is useless, and a misconfigured client does not fill the log
  addressesTrackedMax: 10_000, // addresses of failed authentications remembered at once
  ingestBatchEventsMax: 5_000, // one statement stays well under a second
  ingestBodyBytesMax: 8 * 1024 * 1024, // inflated; bounds what one request can hold in memory
  ingestInWorkMax: 3, // fewer keep PostgreSQL busy already; each may hold a whole batch and its rows in memory
  ingestInWorkPerTenantMax: 2, // so that one place is always left for another tenant
  ingestWaitingMax: 100, // about a second of work; one tenant may take a third of it
  ingestWaitMs: 5_000, // then the call is refused; the agent keeps its events and sends them again
  bodiesBytesMax: 48 * 1024 * 1024, // inflated, of all agents at once; one tenant may take a third of it
  bodyRatioMax: 1_100, // inflated to sent bytes; gzip reaches 1,032, and 5,000 copies of one event 327 by brotli
  bodyRatioFreeBytes: 128 * 1024, // inflated, whatever was sent: a short text of one character is no attack
  rejectedEventsMax: 1_000, // of one batch; the rest is not looked at, and is sent again
  refusedBytesPerSecond: 4 * 1024 * 1024, // of a key, in batches of which most is rejected: a tenth of a processor
  refusedEventsPerSecond: 4_000, // rejected, of a key: the same
  refusedFreeMs: 1_000, // of such work, before the key's next batch waits: a few bad events delay nobody
  refusedDebtMsMax: 4_000, // then the next batch of the key is looked at, which may be sound; less than `ingestWaitMs`
  smallBodiesBytesMax: 12 * 1024 * 1024, // the same of all but agents, so that no reader's bodies stop ingest
  shareOfOne: 3, // one tenant may take a third of what all tenants share
  bodyBytesPerSecondMin: 10_000, // as sent; a slower body holds memory that other requests wait for
  bodySlowMs: 5_000, // a body may be slower than that for so long
  bodyPiecesMax: 256, // of one body; with more, each must have on average
  bodyPieceBytesMin: 128, // because it takes memory and time beside its bytes; the smallest packets hold 500
  jsonDepthMax: 64, // no valid request is deeper than 8
  jsonValuesMax: 50_000, // of one event, and of everything beside the events; parsed in some 50 ms
  workMs: 10, // of work without a pause, where it can be interrupted; other requests wait so long
  rejectionProblemsMax: 5, // named for one event
  rejectionMessagesBytesMax: 650_000, // of one batch: with 5,000 rejected events the answer stays under 1 MB
  rejectionMessageBytesMin: 110, // of one event: names one problem and the number of the others
  unknownFieldsMax: 50, // of one event; a newer agent sends a few, and an event with more is not from our agent
  additionalCharsMax: 1024 * 1024, // names and values of one event's additional values
  eventFutureMaxMs: 24 * 3600_000, // that a server's clock may be ahead; a later event is marked
  graphqlDocumentCharsMax: 16_384, // no document of the dashboard is longer; its values are in variables
  graphqlTokensMax: 1_000, // the time of GraphQL's own validation grows with the square of their number
  graphqlDepthMax: 8, // nothing in the schema is deeper
  graphqlRootFieldsMax: 5, // each runs at least one statement; one request takes at most half of the connections
  graphqlAliasesMax: 20, // in one document
  graphqlCostMax: 30_000, // values in the largest answer: 5 full pages of events, 1 of sources with some gaps
  graphqlOperatorCostMax: 1_500_000, // the same for operators, who look at sources with all the gaps shown
  graphqlBodyBytesMax: 128 * 1024, // inflated; agents may send more
  errorMessageCharsMax: 1_000, // of GraphQL's own errors, which repeat what was sent
  requestHeadersMs: 10_000, // for the headers of a request; a slower caller is cut off
  requestMs: 60_000, // the same for a whole request: 8 MiB at 140 kB/s
  requestCheckMs: 1_000, // interval at which these two times are checked
  requestHeadBytesMax: 64 * 1024, // headers and URL
  requestHeadsBytesMax: 64 * 1024 * 1024, // of all requests that still arrive: their callers have not shown a key yet
  urlBytesMax: 56 * 1024, // the longest filter in any script, percent-encoded, and other parameters of usual length
  requestsInWorkMax: 1_000, // each holds some 30 kB while it waits for the database
  requestsInWorkPerAddressMax: 250, // leaves places to other addresses; a request whose body still arrives takes none
  connectionsPerAddressMax: 1_600, // a third of all, but of proxies that are named
  requestsAheadMax: 10, // of a connection, not answered yet: few clients send any, and anybody can; each takes 5 kB
  connectionsMax: 5_000, // idle connections count too; further ones are closed at once
  connectionIdleMs: 30_000, // within a request, while the caller neither sends nor reads
  keepAliveMs: 65_000, // between requests; longer than a load balancer waits, so that the load balancer closes first
  metricsKeptMs: 10_000, // figures from the database are not read again at every scrape
  metricsDeadlineMs: 2_000, // a scrape waits no longer for figures from the database
  certificateKeptMs: 3_600_000, // the certificate at PUBLIC_URL is looked at no more often
  certificateLookMs: 5_000,
  replicaPlacesMax: 10_000, // moments that a replica is behind, one for each scrape
  metricsSourcesMax: 250, // each has three series
  metricsConnectionsMax: 20,
  traceExportMs: 5_000, // for one batch of spans; a collector that is away costs spans, and never the service
  databaseConnections: 10, // of an instance, for requests: more would only queue inside PostgreSQL
  longStatementWaitMs: 2_000, // for the turn of a search, count or export; with the statement, the caller's deadline
  longStatementsWaitingPerKey: 20, // a page of the dashboard sends three
  answerBytesPerKeyMax: 16 * 1024 * 1024, // unread answers: two of the largest events
  answerBytesPerTenantMax: 32 * 1024 * 1024, // of all keys of a tenant: a third of `answerBytesMax`
  answerBytesMax: 96 * 1024 * 1024, // an answer is values, then text, then bytes: three times this for a moment
  answerBytesAssumed: 64 * 1024, // for an answer that is not made yet and has no whole statements
  largeStatementBytes: 256 * 1024, // a longer statement is read and written in pieces, one of a tenant at a time
  largeBytesPerCall: 1024 * 1024, // of large statements: each whole MiB counts as a further call of the key
  answerWaitMs: 2_000, // for room; with the statement's time, the caller's deadline
  answersWaitingPerKey: 100, // each is a few hundred bytes
  databaseConnectMs: 2_000, // with the next two, a lost database is answered within 5 s
  databaseStatementMs: 4_000,
  requestDeadlineMs: 4_500,
  standbyLookMs: 1_000, // between two questions whether a commit still waits for a standby
  nodeConnectMs: 3_000, // to a node of a distributed database; a request ends in time although the node is away
  nodeLookMs: 2_000, // /health soon reports a node that is away
  backgroundConnectMs: 10_000, // nobody waits for a background task
  backgroundStatementMsDefault: 300_000, // dropping a week of a billion events takes minutes
  backgroundSilenceMs: 2_000, // for PostgreSQL to confirm that it ended a statement
  enrollmentsPerMinute: 120, // of one token
  enrollUsesMax: 100_000, // agents of one token
  enrollKeyDaysMax: 3_650, // for which the key of an enrolled agent is valid
  keyCacheMs: 750, // a revoked key is refused everywhere within a second, even if its notification is lost
  keyCacheEntriesMax: 10_000,
  keyUseFlushMs: 2_000, // last-used times are written in batches
  keyOverlapMinutesDefault: 24 * 60, // a day to give a rotated key to whoever uses it
  keyOverlapMinutesMax: 30 * 24 * 60, // a longer overlap is no rotation
  keyAddressesMax: 100, // networks a key may be used from; each is compared at every call
  operatorKeyLeftMs: 24 * 3600_000, // one operator key must stay valid this long: time to make another one
  listenRetryMs: 1_000, // between attempts to restore the lost connection that hears of revocations
  listenPingMs: 10_000, // after which a connection that went silent is noticed
  accessLogFlushMs: 250, // entries are written in batches; a crash loses those of the last one
  accessLogViewMs: 3_000, // the questions of one view of the dashboard follow each other within this time
  accessLogRepeatMs: 10 * 60_000, // repeats of a read of the dashboard have one entry for this time
  accessLogKnownMax: 2_000, // reads of the dashboard that are known as repeated: some 4 MB
  accessLogBatchEntries: 1_000, // one statement, of about half a megabyte
  accessLogWaitingMax: 20_000, // ten seconds of a very busy instance; some 10 MB
  accessLogLossShownMs: 3600_000, // in /health: long enough for an alert to see it, and not for good
  keyExpiresSoonMs: 14 * 24 * 3600_000, // time to make a new key and give it to whoever uses the old one
  accessLogParametersCharsMax: 2_000, // every sound request fits
  accessLogPageDefault: 100, // some screens
  accessLogPageMax: 1_000, // one answer
  accessLogSearchedMax: 50_000, // entries looked at for a text by one question; the next page goes on
  accessLogRemoveEntries: 5_000, // by one statement of retention
  accessLogDaysMax: 36_500, // a hundred years
  serverDiskFullMs: 5 * 60_000, // since PostgreSQL last had no room; work that goes on meets it again sooner
  embeddedRoomBytes: 64 * 1024 ** 2, // kept free on the disk of the embedded engine: four files of its log
  vacuumMs: 10 * 60_000, // of the embedded engine; deleted rows take some MB until then
  foldMs: 1_000, // new counts are exact at once; folding keeps reading them cheap
  foldRestMs: 4_000, // of a tenant whose batches keep coming: half as many counts are written as in four folds
  foldDeltas: 5_000, // then it is folded at once: a read takes about 2 ms to add them up
  fillMs: 5_000, // between looks for days not counted by instance, while some are found
  fillRestMs: 10 * 60_000, // between two rounds over all tenants; a round takes about a millisecond per tenant
  indexMs: 1_000, // a search reads events that are not indexed yet; frequent indexing keeps them few
  indexTenantsPerRun: 50, // the others come with the next run, before these again
  indexQuietMs: 2_000, // an hour that is still being filled is not indexed over and over
  indexLiveQuietMs: 60_000, // the same for an hour that is not over yet
  agentFollowingMs: 300_000, // between two counts of agents that do not follow: an alert waits for days
  retentionMs: 15 * 60_000, // expired events are gone well within an hour, and a typing error can be corrected
  retentionStepEvents: 5_000, // removed by one statement: as many as one statement stores
  retentionDaysMax: 36_500, // a hundred years
  agentGroupsMax: 100, // of a tenant: each report of an agent is matched with all of them
  agentGroupHostsMax: 100, // patterns of one group
  agentGroupDatabasesMax: 100, // names in one list of a group
  agentPackageBytesMax: 16 * 1024 * 1024, // of the agent's program in one file, which has 1.5 MB
  agentPackagePartBytes: 64 * 1024, // in Base64 it fits into `graphqlBodyBytesMax`
  reportWholeFilesMax: 512, // of a folder of several hosts: more than rollover keeps
  holdsInForceMax: 50, // of a tenant: each is a condition on every event that retention removes
  coverageHoldsMax: 20, // with the completeness of a range
  holdsShownDefault: 100, // some screens
  holdsShownMax: 1_000, // one answer
  holdWaitMs: 1_900, // for each of two locks of a removal in work: within requestDeadlineMs
  retentionRunsDefault: 100, // some screens
  retentionRunsMax: 1_000, // one answer
  epochLookMs: 1_000, // a database that was restored under a running service is noticed in this time
  cursorBridgeMs: 86_400_000, // an upgrade of all instances takes less than this
  sequenceMs: 1_000, // the evidence log trails ingest by this and the time the hashing takes
  checkpointMs: 50_000, // a checkpoint at least every minute; checkpoints are never removed
  evidenceUnsignedMs: 5 * 60_000, // that a log may have entries without a checkpoint: five times as long as usual
  evidenceWatchedLogs: 1_000, // looked at in one round: a few milliseconds
  evidenceNoteEndsMs: 900, // between two notes of the ends of logs: one in each round of `sequenceMs`
  evidenceNotedEnds: 1_000, // of logs that grew since their newest checkpoint: a file of 80 kB at most
  evidenceProofsPerRound: 100, // checkpoints of other instances, and as many noted ends, that are proven in one round: 3 ms each
  evidenceBackfillStep: { events: 5_000, bytes: 8 * 1024 * 1024 }, // stored before there was a log: as much as a batch
  erasureMs: 5_000, // between two looks at erasures: each waits for a checkpoint of the log, which takes a minute
  erasureWaitsMs: 15 * 60_000, // until an erasure says that it waits for the log
  erasureLookMs: 600_000, // after so long, a look for erasures that a restored database does not know
  erasureNotesMax: 10_000, // files in DATA_DIR/erasures; beyond that the oldest go
  erasureNotesBytesMax: 256 * 1024 * 1024, // of them; one of 50,000 events has about a megabyte
  erasureEventsMax: 50_000, // of one erasure: the log's entry of it names each erased one
  erasureStepEvents: 1_000, // erased by one transaction, during which nobody folds, indexes or appends to the log
  erasuresDefault: 100, // some screens
  erasuresMax: 1_000, // one answer
  evidenceEntriesMax: 16_384, // entries of the log in one answer: 1 MiB
  verificationsKept: 1_000, // of a tenant's evidence log: one a day for almost three years
  evidenceCheckStep: { positions: 4_096, events: 2_000, bytes: 8 * 1024 * 1024 }, // of a log, verified in one answer
  evidenceCheckRecordsShown: 20, // altered or missing records in one answer; `verify` names all
  evidenceCheckpointsMax: 1_000, // in one answer: 300 kB
  witnessBodyBytesMax: 64 * 1024, // sent to a witness: 63 hashes, and a checkpoint with the lines of many witnesses
  witnessProofLinesMax: 63, // the specification's: no log has more levels
  witnessConnectionsMax: 100, // of a witness; a service keeps one
  witnessRequestMs: 10_000, // for a request to a witness to arrive
  witnessesMax: 16, // of a service; each adds a line to a checkpoint
  witnessMs: 5_000, // between looks for checkpoints that witnesses have not signed
  witnessAnswerMs: 10_000, // for the answer of a witness
  witnessLateMs: 5 * 60_000, // that a witness may leave a log unsigned, before /health tells of it
  timeStampMs: 5_000, // between looks for logs that are to be stamped
  timeStampEveryMs: 60 * 60_000, // between two time stamps of a log: authorities bound how often they are asked
  timeStampAnswerMs: 10_000, // for the answer of a time-stamp authority
  timeStampLateMs: 5 * 60_000, // that a log may wait for its stamp, before /health tells of it
  timeStampBytesMax: 32 * 1024, // of a token: three certificates of an authority are 5 kB
  timeStampsMax: 100, // in one answer with checkpoints: 700 kB
  witnessLogsMax: 10_000, // of a witness; each is a file of 400 bytes
  tailEventsDefault: 1_000,
  tailEventsMax: 5_000, // an answer of some 5 MB
  tailWaitSecondsMax: 20, // proxies close silent connections after 30 or 60
  tailWaitingPerKey: 5, // on all instances that share a Redis; each waiting call holds a connection and a few kB
  tailPositionsMax: 50_000, // read by one call, however few match
  tailReadBytes: 4 * 1024 * 1024, // statements and additional values read by one call, the last event's not counted
  tailWorkMs: 1_500, // then a call answers with what it has
  goneBeginningMs: 60_000, // between looks for what retention removed; retention runs every quarter of an hour
  goneBeginningStep: 20_000, // positions of a log looked at by one statement after another
  liveMs: 5 * 60_000, // of one stream; then the page begins the next one, which checks and counts everything anew
  liveStreamsPerHolder: 5, // each is a page that somebody looks at; a hidden one ends its stream
  liveStreamsMax: 600, // of an instance; each is a connection and a few kB
  liveSilenceSeconds: 10, // then a comment tells that the stream lives; connections end after 30 s of silence
  liveCheckMs: 250, // between two looks whether the session has ended; with `keyCacheMs`, a second
  liveEventsMax: 250, // in one message: more than the rows of a page
  liveBytesPerMs: 512, // of a stream; some 500 events a second
  liveReadMs: 5_000, // for the reader to take a message
  assistantRowsMax: 50, // in one answer at /mcp: more is no longer read, but counted
  assistantTableTokens: 2_450, // of a table at /mcp, as estimated; the numbers beside it take 50
  assistantCellChars: 40, // of a value in such a table; a whole event has its values whole
  assistantStatementChars: 300, // of a statement at /mcp: what it does, and not its data
  assistantNamePages: 20, // of events of one millisecond, among which a row's event is looked for: where a clock steps by 15 ms, hundreds share one
  assistantListsRows: 20, // of each of the two lists of the tool coverage
  tailCursorCharsMax: 16_384, // the cursor of a key with 1,500 tenants
  tailLinkCharsMax: 8_192, // with the cursor beside it, the headers that clients (16 KiB) and proxies accept
  arrivalLookMs: 250, // calls that wait for new events learn of them this late, however many calls wait
  nameCharsMax: 200, // of tenants and keys
  reportGapsMax: 100, // in one report of an agent; further ones follow in the next
  sourcesMax: 2_000, // of a tenant: a key that invents sources fills no list and no one else's alerts
  canariesMax: 2_000, // of a tenant in a look, the newest: seven instances at five minutes for a day
  canaryRecordsMax: 20_000, // of `sp_audit_write` of a tenant in a look, the newest: among them its canaries are found
  sourceAlertsMax: 20, // of a tenant about problems of one kind at once; one alert tells of the others
  gapsRemovedMax: 50_000, // in one call that removes sources, within the time of a call
  sourceGapsMax: 10_000, // stored of one source; a source that loses more needs a person
  sessionIdleMs: 30 * 60_000, // then the person has left the desk
  sessionMs: 12 * 3600_000, // a working day; then the key, or the identity provider, is asked again
  sessionUseMs: 60_000, // the last use of a session is written no more often, so it ends up to this early
  sessionCacheMs: 1_000, // a session that was signed out is refused everywhere after this
  sessionCallsPerMinute: 600, // of a key or person: a page asks for several things at once
  sessionCallsPerKeyCall: 10, // of a key with a limit of its own: a page of the dashboard is about ten calls
  signInBodyBytesMax: 4_096, // holds a key
  signInBodyMs: 5_000, // the caller has not shown a key yet, and the body fits into one packet
  signInBodiesPerAddressMax: 20, // that arrive at once; each takes almost no time, so a whole office can sign in
  openIdSignInMs: 10 * 60_000, // to type a password and find one's second factor
  openIdCallMs: 5_000, // for a call to the identity provider
  pageAssetsKeptMs: 24 * 3600_000, // after the last instance of a release: pages stay open for a working day
  pageAssetsKeepMs: 5 * 60_000, // between two notes that an instance still has its files
  pageAssetsLookMs: 1_000, // between looks for names that this instance does not have: anybody may ask for any name
  pageAssetsCachedBytes: 2 * 1024 * 1024, // of other releases; the page of one is 350 kB
  pageAssetsWaitMs: 2_000, // that the first page of an instance waits for its files to be stored
  exportPageEvents: 512, // read by one statement; with whole statements a few MB at most, usually
  exportPageBytes: 4 * 1024 * 1024, // statements of a page, that of the last event not counted
  exportPieceChars: 256 * 1024, // statements made into text at once, the last not counted: the caller may not read yet
  exportReadEvents: 5_000, // read by one statement to find those that match
  exportWaitMs: 20_000, // for a turn between two pages: shorter than a silent connection is kept
  packageEventsMax: 200_000, // of an evidence package: a browser opens and lists so many
  packageWaitMs: 90_000, // for the checkpoint that covers its newest events: one is signed each minute
  packageAskMs: 1_000, // between two looks at the newest checkpoint
  exportLeaseMs: 30_000, // a caller whose instance died cannot export for so long
  reportRowsMax: 1_000_000, // of one run; CSV and JSON have them all
  reportMs: 10 * 60_000, // to make one run
  reportPeriodDaysMax: 3_660, // of one run: ten years
  reportHtmlRowsMax: 10_000, // a browser shows such a page at once
  reportPdfRowsMax: 100_000, // 5,000 pages
  reportPdfUnaskedRowsMax: 10_000, // beyond, a run has a PDF only if somebody asks for it
  reportStatementChars: 512, // of a statement on a page
  reportGroupsMax: 50_000, // of one section; beyond, they are one group
  reportGroupsShown: 100, // of one section, the most frequent
  reportPieceBytes: 256 * 1024, // of a file, before it is compressed
  reportBytesMax: 2 * 1024 * 1024 * 1024, // of the files of one tenant, compressed
  reportRunsShown: 5, // of each report, in the catalogue
  reportClearMs: 10 * 60_000, // between two looks for runs that are over
  reportDays: 90, // that the files of a run are kept
  reportDaysMax: 3_660,
  reportSchedulesMax: 100, // of a tenant
  reportScheduleMs: 10_000, // between two looks for schedules that are due
  reportMailBytesMax: 10 * 1024 * 1024, // of attached files; more are refused by many servers
  reportSentFileBytesMax: 50 * 1024 * 1024, // of a file for a destination, which is sent within 20 s
  histogramBucketsMin: 10,
  histogramBucketsDefault: 60, // bars a narrow chart can show
  histogramPartsMax: 20_000, // hours that are added up to days of a time zone: two years
  histogramBucketsMax: 240, // a bar of 5 pixels each on a wide screen
  overviewServersMax: 7, // each is a colour of its own in one chart; the others are one more
  overviewNewcomersMax: 8, // of each field, in one answer
  entityValuesMax: 20, // of each field, on the page of an entity
  entityRoleChangesMax: 1_000, // of one login, the newest; a person's roles change a few times a year
  savedSearchesMax: 250, // of one holder in one tenant: the list is shown whole, without pages
  savedViewCharsMax: 2_000, // a query string with all columns has 400
  savedSearchesShownMax: 1_000, // one answer
  savedSearchesClearMs: 60 * 60_000, // rows of removed searches are few, and nobody sees them
  notesMax: 100, // of one event, removed ones too: people who write more write a document
  notesOfTenantMax: 50_000, // some 200 MB at most
  notesOfHolderMax: 10_000, // of one key or person in one tenant: a program cannot take the room of all others
  notesShownMax: 1_000, // one answer
  incidentEventsMax: 250, // that people put into one incident: they are shown whole, without pages
  eventIncidentsMax: 20, // into which people put one event
  incidentEventsOfHolderMax: 5_000, // of one key or person in one tenant
  incidentEventsOfTenantMax: 20_000,
  incidentChoicesMax: 50, // open incidents among which a person chooses: others are found by a word
  goneNotesMs: 10 * 60_000, // notes of an event that retention removed go soon after it
  goneNotesStep: 1_000, // events that are looked for at once
  facetValuesDefault: 10,
  facetValuesSearchedMax: 10_000, // values of a field, searched for a text in them; of more, all are read by columns
  complianceLagsMax: 1_000, // sources with their lags in one summary
  complianceInstancesMax: 600, // server instances of one assessment: 70,000 verdicts
  complianceDocumentItemsMax: 5_000, // standings in one document: some 10 MB of OSCAL
  declarationsMax: 2_000, // of a tenant, those that ended too: each assessment reads them
  declarationReasonCharsMax: 1_000,
  snapshotCharsMax: 256 * 1024, // a server with 1,000 databases has about 50 specifications in one of them
  snapshotRowsMax: 2_000, // groups and actions of one snapshot
  complianceDatabasesMax: 50, // databases of an instance that have items of their own
  complianceAlertsMax: 2_000, // alerts of 30 days of a tenant, the newest
  complianceStatementCharsMax: 16_384, // a longer change of an audit is not read, and leaves its groups unknown
  complianceNamesAskedMax: 50, // names in one condition of an assessment: half of the terms of a filter
  complianceRecordsMax: 2_000, // changes of audits that an assessment reads of a tenant, the newest
  groupsCountedMax: 100_000, // by one question: some 50 MB in memory by three fields
  groupsCountedChars: 16 * 1024 * 1024, // of their values: names have some 20 characters, and an agent may send 512
  numbersCountedMax: 1_000_000, // different numbers that one question counts by: some 100 MB in memory
  keptDaysBytesMax: 16 * 1024 * 1024, // of counts of days in memory: some 300 questions about 30 days of a usual trail
  keptDayBytesMax: 64 * 1024, // a day with more is read again: a thousand groups
  habitsBytesMax: 48 * 1024 * 1024, // of habits of days in memory: those of a tenant of 2 million events in 90 days fit (`bench -- usual`)
  habitsOfDayBytesMax: 1024 * 1024, // a day with more is read again: some 80,000 deeds of 12 bytes
  habitsEveryMs: 5_000, // habits of days are counted before anybody asks: who asks at once waits some 200 ms more
  habitsTenantsPerRound: 10, // of which nothing is new takes one some 10 ms
  habitsEventsMax: 2_500_000, // in the period: of more events only those of the login and the object are looked at; also the most of all tenants that are counted ahead
  habitsOfDayEventsMax: 250_000, // 7 MB in memory while they are counted
  groupsListedMax: 10_000, // in one answer: a megabyte, made in some 20 ms
  groupSeriesMax: 8, // groups over time in one answer: each is a colour, and a filter on every event of the range
  gridValuesMax: 24, // values of each field that stand by themselves: a map of 25 × 25 cells
  groupsListedChars: 2 * 1024 * 1024, // of the values in one answer: usual names never have so many
  facetValuesMax: 100, // in one answer; a list of names is filtered, not paged
  exploreReadEventsMax: 200_000, // events that may be read where counts cannot answer: well under a second
  instanceSettingsMs: 20_000, // between two times that an instance says how it is set
  instanceGoneMs: 90_000, // after the last time that it was heard
  instanceSettingsDifferMs: 60_000, // before it is told: after a restart of Redis, instances learn of it in turns
  instancesHeardMax: 100, // more than anybody runs
  trailBehindMs: 300_000, // a source that is complete until this long before a moment is complete until that moment
  clockStepForMs: 16 * 60_000, // after a clock was set, its former time judges silence: sources that are silent for 15 minutes are told
  noticeMs: 1_000, // a message about an alert leaves within seconds
  trailHealthMs: 60_000, // silent sources and gaps are reported within about a minute
  ownRulesMax: 250, // of a tenant: each rule is evaluated on every event
  ownRulesCostMax: 100_000, // of a tenant's own rules: 5,000 states of regular expressions, or 100,000 texts
  incidentsWorkedMax: 100, // incidents that one call works on: a page of the list
  incidentAlertsWorkedMax: 5_000, // their alerts in that call, and those of one incident in a transaction: each has an entry and notices
  escalateMinutesMax: 10_080, // a week: a later escalation tells nobody in time
  incidentMinutesMax: 10_080, // a week: beyond it, what shares a login is no one story
  suppressionsMax: 1_000, // of a tenant at once: each is compared with every finding
  ownRulesCharsMax: 1024 * 1024, // of a tenant's own rules: one answer, and read by every engine that opens them
  exceptionsCharsMax: 16_384, // of a rule's tuning: every engine of the tenant holds it
  backtestDaysMax: 366, // a year
  backtestsMax: 2, // at once, of an instance
  backtestMs: 450, // until an instance with room begins a waiting backtest
  detectionMs: 450, // findings follow an append to the log within well under a second
  detectionWorkMs: 250, // of a tenant's rules in one step: those of other tenants wait so long
  detectionKeptChars: 16 * 1024 * 1024, // of rows read for rules that had no time for them yet, of all tenants
  detectionSlowMs: 1_000, // of a tenant's step: then its rules run on a thread beside that of the other tenants
  detectionSlowForMs: 10 * 60_000, // after the last such step
  detectionQuickSilenceMs: 5_000, // then a step of a tenant goes on in the slow lane, where it may take 30 s
  detectionRestMs: 60_000, // of a tenant whose rules did not end in time or ran out of memory
  detectionStep: { positions: 4_096, events: 4_096, bytes: 8 * 1024 * 1024 }, // written in one transaction
  sourceGapsListed: 100, // of one source in a list of sources
  coverageSourcesMax: 100, // what an analyst reads; an operator has the whole list
  coverageGapsMax: 100, // of all sources of an answer, the newest
  sourceGapsShownDefault: 20, // a screen of them
  sourceGapsShownMax: 1_000, // of one source in one answer
  destinationMs: 1_000, // an event leaves within this time and the delay of the evidence log
  destinationsPerTenantMax: 50, // each may hold two batches in memory
  destinationRunsMax: 24, // destinations that one instance sends to at once
  destinationReadsMax: 2, // destinations that read the log at once: half of the background's connections
  destinationRunMs: 15_000, // then other destinations have their turn
  destinationStandBackMsMax: 60_000, // while the database stores no outcome, or the instance may not connect
  destinationBatchEvents: 500, // a receiver can store this at once, and a failure repeats little
  destinationBatchBytes: 1024 * 1024, // of items, the last not counted: receivers accept a megabyte or more
  destinationScanMax: 20_000, // positions gone through for one batch where the filter lets few through
  destinationSetAsideMax: 10_000, // of one destination: a receiver that refuses more needs a person
  destinationSetAsidePageDefault: 100, // some screens
  destinationSetAsidePageMax: 1_000, // one answer
  pastTroubleShownMs: 3600_000, // in /health: long enough for an alert to see it, and not for good
  destinationSettingsCharsMax: 200_000, // certificates included
  archiveAfterDaysMin: 3, // events younger than a day are stored without a look at files, and clocks may differ by more
  archiveMs: 60_000, // interval of looks for weeks to seal; one is sealed in seconds
  archiveRestMsMax: 30 * 60_000, // after attempts that failed: each writes and reads a week, and none helps a disk that is full
  archiveTenantsPerRound: 50, // of whom a week is attempted
  archiveLateEvents: 1_000, // beside the file of a week, before it is sealed anew: a read of them takes milliseconds
  archiveLateShare: 10, // and more than a tenth of its events: each time, all of the week is written
  archiveCacheBytes: 1024 * 1024 * 1024, // of files on local disk; a year of 10^7 events
  archiveRoomBytes: 256 * 1024 * 1024, // left free on the local disk while a week is written: the embedded engine has its files there
  archiveMemoryMb: 192, // of the process that reads files; more goes to its folder
  valuesOfFilesMax: 300_000, // that one question to files counts by: some 60 MB in the memory of their process
  archiveThreads: 1, // of that process: requests have the other processors
  archiveQuestionMs: 60_000, // then the process is started anew: no question to files takes so long
  archiveWriteMs: 3_600_000, // for the file of a week, which has up to 150 million events; as long as its transaction
  archiveWaitMs: 3_000, // of a request for files that are not on local disk: within requestDeadlineMs, since it keeps its connection longer than that
  archiveAnswerMs: 20_000, // of a folder of files to one call, and of a bucket that is asked for no file: then the place does not answer
  archivePartBytes: 8 * 1024 * 1024, // of a file that is read from a bucket; an answer is in memory whole
  archiveTransferMs: 600_000, // for one request to a bucket: a file of gigabytes is sent by one
  archiveUnlistedMs: 86_400_000, // before a file that no week has is removed from its place; no reader lasts so long
  archiveUnlistedPerRound: 100,
  sealedWeeksMax: 4_000, // one answer
  sealedWeeksDefault: 1_000,
  archiveAnnounceMs: 120_000, // before the first week of a tenant is sealed; no statement or cached list lasts half as long
} as const;

/** An event of an earlier time is marked: before 1990 there was no SQL Server to audit. */
export const EVENT_TIME_MIN = '1990-01-01T00:00:00.0000000Z';
