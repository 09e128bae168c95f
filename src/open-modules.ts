import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { openCallers } from './caller/callers';
import type { Config } from './config';
import { BUILD_VERSION } from './generated/version';
import type { InFlight } from './http/in-flight';
import type { Module } from './module';
import { accessLogModule } from './modules/access-log/module';
import { activityModule } from './modules/activity/module';
import { openArchiveModule } from './modules/archive/module';
import { complianceModule } from './modules/compliance/module';
import { dashboardModule } from './modules/dashboard/module';
import { builtPage } from './modules/dashboard/page';
import { openDestinations } from './modules/destinations/module';
import { detectionModule } from './modules/detection/module';
import { entitiesModule } from './modules/entities/module';
import { openEvidence } from './modules/evidence/module';
import { exploreModule } from './modules/explore/module';
import { PostgresAuditEventExplorer } from './modules/explore/stored-explorer';
import { exportModule } from './modules/export/module';
import { openIngest } from './modules/ingest/module';
import { instancesModule } from './modules/instances/module';
import { keysModule } from './modules/keys/module';
import { ensureOperatorKey } from './modules/keys/operator-key';
import { notesModule } from './modules/notes/module';
import { overviewModule } from './modules/overview/module';
import { reportsModule } from './modules/reports/module';
import { restoreModule } from './modules/restore/module';
import { savedSearchesModule } from './modules/saved-searches/module';
import { searchModule } from './modules/search/module';
import { sourcesOfInstance } from './modules/sources/concerned-sources';
import { type CoverageQuestion, readCoverage } from './modules/sources/coverage';
import { sourcesModule } from './modules/sources/module';
import { openTail } from './modules/tail/module';
import { countHeld, heldBy, heldNow } from './modules/tenants/holds/held';
import { HoldStore } from './modules/tenants/holds/hold.store';
import { tenantsModule } from './modules/tenants/module';
import { FILES } from './package-check/layout';
import type { Storage } from './storage';
import { eventsByIds, sealedStatement } from './store/archive/rows-by-id';
import { LargeStatements } from './store/bytes/large-statements';
import { GoneSeal } from './store/log/arrivals/gone-seal';
import { LogEpoch } from './store/log/epoch/log-epoch';
import { oneTenant, type TenantSet } from './tenant-set';

/** The parts that modules are built on. */
interface Ground {
  readonly config: Config;
  readonly log: Logger;
  readonly storage: Storage;
  readonly callers: Awaited<ReturnType<typeof openCallers>>;
  readonly inFlight: InFlight;
  readonly nowMs: () => number;
  /** Aborted when the service is told to stop. */
  readonly signal: AbortSignal;
}

/**
 * Opens every module and gives it what it needs from other modules. @returns the modules, and the parts for entrances
 */
export async function openModules({ config, log, storage, callers, inFlight, nowMs, signal }: Ground) {
  const { database, readSide } = storage;
  const { service, owner } = database;
  const {
    keys,
    tenants,
    maskedTenants,
    disabledTenants,
    authenticator,
    fairShare,
    largeTurns,
    changes,
    answers,
    waitingPlaces,
    accessLog,
    accessViews,
    accessEntries,
  } = callers;
  const operatorKeyFile = await ensureOperatorKey(config.dataDir, keys, log);
  const epoch = await LogEpoch.open({
    owner,
    embeddedIn: config.databaseUrl === null ? config.dataDir : null,
    isDrill: config.drill,
    nowMs,
    log,
  });
  const evidence = await openEvidence({
    config,
    service,
    owner,
    migrator: database.migrator,
    epoch,
    tenants,
    holds: {
      of: async (tenantId) => {
        const inForce = await new HoldStore(service).inForce(oneTenant(tenantId), new Date(nowMs()));
        return heldBy(inForce.map(({ filter }) => filter));
      },
      count: (tx, tenantId, recordIds) => countHeld(tx, tenantId, recordIds, new Date(nowMs())),
    },
    packagePage: () => readFile(path.join(builtPage(), FILES.page)),
    signal,
    nowMs,
    log,
  });
  const archive = await openArchiveModule({
    config,
    database,
    doors: readSide.doors,
    epoch,
    checkpointKey: evidence.checkpointKey,
    nowMs,
    isApart: () => instances.others.isOtherwise('ARCHIVE_URL'),
    log,
  });
  const ingest = await openIngest({ service, owner, checkpointKey: evidence.checkpointKey, nowMs });
  const { checkpointKeys } = evidence;
  const goneSeal = new GoneSeal(checkpointKeys);
  const tenancy = tenantsModule({
    service,
    owner,
    tenants,
    authenticator: callers.authenticator,
    epoch,
    countEvents: async (set, filter) => (await readSide.reader.summary(set, filter)).totalCount,
    signal,
    nowMs,
    log,
  });
  const sources = sourcesModule({
    service,
    owner,
    tenants,
    epoch,
    retention: tenancy.retention,
    holds: tenancy.holds,
    areGapsHeld: async (tx, tenantId, at) => (await heldNow(tx, tenantId, at)) !== 'nothing',
    nowMs,
    log,
  });
  const listSources = sources.complete;
  const tail = openTail({
    service,
    owner,
    checkpointKeys,
    epoch,
    fairShare,
    answers,
    waitingPlaces,
    listSources,
    goneSeal,
    nowMs,
  });
  const destinations = await openDestinations({
    config,
    service,
    owner,
    epoch,
    tenants,
    maskedTenants,
    disabledTenants,
    nowMs,
    log,
    goneSeal,
  });
  const dashboard = dashboardModule({ service, owner, keys: checkpointKeys, nowMs });
  const explorer = new PostgresAuditEventExplorer(service);
  const compliance = complianceModule({
    service,
    tenants,
    ask: {
      groupsOfEach: (set, questions) => explorer.groupsOfEach(set, questions),
      facets: (set, filter, asked) => explorer.facets(set, filter, asked),
      page: (set, query) => readSide.reader.page(set, query),
      sources: listSources,
      lags: sources.lags,
      verifications: evidence.verifications,
      sourcesOf: sourcesOfInstance,
    },
    fairShare,
    nowMs,
  });
  const detection = detectionModule({
    service,
    owner,
    tenants,
    maskedTenants,
    signal,
    changes,
    nowMs,
    log,
    send: destinations.sendMessage,
    hasDestination: destinations.hasDestination,
    mail: config.mail,
    stoppedLogs: evidence.stoppedLogs,
    unsealed: archive.unsealed,
    coverage: compliance.coverage,
    page: (set, query) => readSide.reader.page(set, query),
    epoch,
    goneSeal,
    checkpointKeys,
    hasOtherKey: evidence.hasOtherKey,
  });
  evidence.alsoCheck(detection.problemsOf);
  const large = new LargeStatements(service, largeTurns, sealedStatement(service));
  const { beginExport, beginValues } = exportModule(service, fairShare);
  const reports = reportsModule({
    service,
    owner,
    ask: {
      events: beginExport,
      values: beginValues,
      masks: async (tenantId) => (await maskedTenants.among([tenantId])).length > 0,
      lags: sources.lags,
      whole: (text, form, asker, waitMs) => large.written(text, form, asker, waitMs),
      sources: listSources,
      logs: (set) => evidence.evidence.states(set),
      removals: (tenantId) => evidence.evidence.removals(tenantId),
      verifications: evidence.verifications,
      controls: compliance.itemsOf,
      sensitive: compliance.sensitive,
      workingHours: compliance.workingHours,
    },
    checkpointKeys,
    assertSigns: evidence.assertSigns,
    hasOtherKey: evidence.hasOtherKey,
    tenants,
    deliverers: {
      sendMessage: destinations.sendMessage,
      sendFile: destinations.sendFile,
      mail: config.mail,
      publicUrl: config.publicUrl,
    },
    hasDestination: destinations.hasDestination,
    config,
    epoch,
    note: (entry) => accessLog.note(entry),
    tell: detection.tellOfTrail,
    signal,
    log,
    nowMs,
  });
  const instances = instancesModule({
    config,
    owner,
    version: BUILD_VERSION,
    redisId: callers.redisId,
    rules: detection.shippedTexts,
    log,
  });
  const modules: readonly Module[] = [
    instances,
    ...[storage, callers, inFlight, evidence, ingest, tail, tenancy, sources, destinations, dashboard],
    archive,
    restoreModule(epoch, evidence.erasureFiles),
    activityModule({ owner, readSide, fairShare, nowMs, log }),
    searchModule(owner, config.searchIndex),
    detection,
    exploreModule({ service, owner, tenants, fairShare, reader: readSide.reader, nowMs }),
    keysModule({ store: keys, tenants, authenticator, nowMs }),
    compliance,
    entitiesModule({
      ask: {
        facets: (set, filter, asked) => explorer.facets(set, filter, asked),
        histogram: (set, filter, bucketsMax) => explorer.histogram(set, filter, bucketsMax),
        groups: (set, filter, asked) => explorer.groups(set, filter, asked),
        page: (set, query) => readSide.reader.page(set, query),
        events: (set, ids) => eventsByIds(service, set, ids),
        alerts: detection.alertsOfEntity,
      },
      fairShare,
      nowMs,
    }),
    overviewModule({
      service,
      ask: {
        facets: (set, filter, asked) => explorer.facets(set, filter, asked),
        histogram: (set, filter, bucketsMax) => explorer.histogram(set, filter, bucketsMax),
        groups: (set, filter, asked) => explorer.groups(set, filter, asked),
        sources: listSources,
        gaps: sources.gaps,
        sensitive: compliance.sensitive,
        incidents: detection.openIncidents,
      },
      fairShare,
      nowMs,
    }),
    reports,
    savedSearchesModule(service, owner),
    notesModule({
      service,
      owner,
      find: (set, recordId) => readSide.reader.find(set, recordId),
      noteInIncident: detection.noteInIncident,
      epoch,
      nowMs,
    }),
    accessLogModule({
      accessLog,
      accessViews,
      store: accessEntries,
      fairShare,
      days: () => instances.others.largest('ACCESS_LOG_DAYS', config.accessLogDays),
      owner,
      epoch,
      nowMs,
    }),
  ];
  return {
    modules,
    ingest,
    tail,
    large,
    pageAssets: dashboard.pageAssets,
    operatorKeyFile,
    hearInstance: (said: string | null) => instances.others.hear(said),
    beginExport,
    packages: {
      make: evidence.makePackage,
      assertSigns: evidence.assertSigns,
      coverage: (set: TenantSet, question: CoverageQuestion) => readCoverage(service, set, question),
    },
    reports: reports.entrance,
  };
}
