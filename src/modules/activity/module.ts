import type { Logger } from 'pino';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { OwnerDoor } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { InstanceFiller } from '../../store/counts/fill-instances';
import { Folder } from '../../store/counts/fold';
import { AuditEventResolver } from './audit-event.resolver';
import type { ReadSide } from './open-replica';

/** Lists, details and summaries of events, and the counts that they use. */
export function activityModule(parts: {
  readonly owner: OwnerDoor;
  readonly readSide: ReadSide;
  readonly fairShare: FairShare;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Module {
  const { owner, readSide, fairShare, nowMs, log } = parts;
  const folder = new Folder(owner, LIMITS.foldRestMs);
  const filler = new InstanceFiller(owner, log);
  return {
    resolvers: [new AuditEventResolver(readSide.reader, fairShare, nowMs)],
    tasks: [
      { name: 'fold', doc: 'folding counts', everyMs: LIMITS.foldMs, run: () => folder.run() },
      {
        name: 'instance-counts',
        doc: 'counting by instance',
        everyMs: LIMITS.fillMs,
        run: () => filler.run(),
      },
    ],
    metrics: (metrics, figures) => {
      metrics.gauge(
        'unfolded_deltas',
        'Counts of batches that reads still add up.',
        () => figures()?.unfoldedDeltas ?? null,
      );
      metrics.gauge(
        'replica_lag_seconds',
        'Since the last moment of which the replica has everything.',
        () => readSide.lagSeconds,
      );
    },
    health: [readSide],
  };
}
