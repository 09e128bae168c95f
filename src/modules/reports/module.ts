import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { CheckpointKey } from '../../store/log/evidence/note-key';
import { ReportMaker, type ReportSources } from './maker';
import { ReportResolver } from './report.resolver';
import { Reports } from './reports';
import { RunStore } from './run.store';

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
  readonly checkpointKey: CheckpointKey;
  readonly nowMs: () => number;
}): Module & { readonly entrance: ReportEntrance } {
  const { service, owner, ask, checkpointKey, nowMs } = parts;
  const store = new RunStore(service, owner);
  const reports = new Reports(store, checkpointKey.verifierKey);
  const maker = new ReportMaker(store, ask, checkpointKey, nowMs);
  return {
    entrance: {
      make: (request) => maker.make(request),
      file: (tenants, runId, format) => reports.file(tenants, runId, format),
    },
    resolvers: [new ReportResolver(reports)],
    tasks: [
      {
        name: 'report-retention',
        doc: 'removing the files of reports that are over',
        everyMs: LIMITS.reportClearMs,
        run: () => store.clear(),
      },
    ],
  };
}
