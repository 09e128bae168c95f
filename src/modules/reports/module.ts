import type { Logger } from 'pino';
import type { AccessEntry } from '../../caller/access-log';
import { CallTenants } from '../../caller/call-tenants';
import { FairShare, REPORT_SHARES } from '../../caller/rate-limit/fair-share';
import type { TenantStore } from '../../caller/tenant.store';
import type { Config } from '../../config';
import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import type { CheckpointKey } from '../../store/log/evidence/note-key';
import { makeInTurn, ReportMaker, type ReportSources } from './maker';
import { openFileMaker } from './open-file-maker';
import { ReportResolver } from './report.resolver';
import { Reports } from './reports';
import { RunStore } from './run.store';
import { type Deliverers, Delivery } from './schedules/deliver';
import { ScheduleRunner, type ScheduleTrouble } from './schedules/runner';
import { ReportScheduleResolver } from './schedules/schedule.resolver';
import { ScheduleStore } from './schedules/schedule.store';

/** What entrances need: to make runs, and to read their files. */
export interface ReportEntrance {
  readonly make: ReportMaker['make'];
  readonly file: Reports['file'];
}

/** Reports: the catalogue, runs that are made of it, and their files. */
export function reportsModule(parts: {
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  readonly ask: ReportSources;
  /** The key that signs runs, and earlier ones. */
  readonly checkpointKeys: readonly [CheckpointKey, ...CheckpointKey[]];
  /** @throws DomainError `service_unavailable` while this instance cannot sign runs */
  readonly assertSigns: () => void;
  /** Whether that is so. */
  readonly hasOtherKey: () => boolean;
  readonly tenants: TenantStore;
  readonly deliverers: Deliverers;
  readonly hasDestination: (tenantId: number, destinationId: string) => Promise<boolean>;
  readonly config: Pick<Config, 'reportDays'>;
  readonly epoch: Pick<LogEpoch, 'unlessPaused'>;
  /** Notes an entry of the access log. */
  readonly note: (entry: AccessEntry) => void;
  /** Makes an alert. */
  readonly tell: (trouble: ScheduleTrouble) => Promise<unknown>;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly nowMs: () => number;
}): Module & { readonly entrance: ReportEntrance } {
  const { service, owner, ask, checkpointKeys, config, epoch, log, nowMs } = parts;
  const [checkpointKey, ...earlier] = checkpointKeys;
  const store = new RunStore(service, owner, config.reportDays);
  const reports = new Reports(store, [
    checkpointKey.verifierKey,
    ...earlier.map(({ verifierKey }) => verifierKey),
  ]);
  const files = openFileMaker();
  const maker = new ReportMaker(store, ask, checkpointKey, files, nowMs);
  const schedules = new ScheduleStore(service, owner, nowMs);
  const runner = new ScheduleRunner({
    schedules,
    runs: store,
    maker,
    delivery: new Delivery(reports, parts.deliverers),
    note: parts.note,
    tell: parts.tell,
    canSign: () => !parts.hasOtherKey(),
    nowMs,
    signal: parts.signal,
    log,
  });
  const inTurn = makeInTurn(maker, new FairShare(REPORT_SHARES, 'new reports'));
  return {
    entrance: {
      make: async (request) => {
        parts.assertSigns();
        return inTurn(request);
      },
      file: (tenants, runId, format) => reports.file(tenants, runId, format),
    },
    resolvers: [
      new ReportResolver(reports),
      new ReportScheduleResolver({
        schedules,
        tenants: new CallTenants(parts.tenants),
        hasDestination: parts.hasDestination,
        nowMs,
      }),
    ],
    stop: async () => {
      await runner.stop();
      await files.close();
    },
    tasks: [
      {
        name: 'report-retention',
        doc: 'removing the files of reports that are over',
        everyMs: LIMITS.reportClearMs,
        run: () => epoch.unlessPaused(() => store.clear()),
      },
      {
        name: 'report-schedules',
        doc: 'making and sending scheduled reports',
        everyMs: LIMITS.reportScheduleMs,
        run: () => epoch.unlessPaused(() => runner.round()),
      },
    ],
  };
}
