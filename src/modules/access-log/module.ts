import type { AccessLog } from '../../caller/access-log';
import type { PostgresAccessLogStore } from '../../caller/access-log.store';
import type { AccessViews } from '../../caller/access-views';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { OwnerDoor } from '../../database/clients';
import { clockNotAhead } from '../../database/lease';
import { DAY_MS } from '../../event/event-time';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import { AccessLogResolver } from './access-log.resolver';

/** The access log: operators query it, and background tasks write and shorten it. */
export const accessLogModule = (parts: {
  readonly accessLog: AccessLog;
  readonly accessViews: AccessViews;
  readonly store: PostgresAccessLogStore;
  readonly fairShare: FairShare;
  /** How long entries are kept: the longest time that an instance on the database is set to. */
  readonly days: () => number;
  readonly owner: OwnerDoor;
  readonly epoch: LogEpoch;
  readonly nowMs: () => number;
}): Module => ({
  resolvers: [new AccessLogResolver(parts.store, parts.fairShare)],
  tasks: [
    {
      name: 'access-log',
      doc: 'writing the access log',
      everyMs: LIMITS.accessLogFlushMs,
      run: () => {
        parts.accessViews.settle(parts.nowMs());
        return parts.accessLog.flush();
      },
    },
    {
      name: 'log-retention',
      doc: 'retention of the access log',
      everyMs: LIMITS.retentionMs,
      run: () =>
        parts.epoch.unlessPaused(async () => {
          const clock = await clockNotAhead(parts.owner.models, parts.nowMs);
          return parts.store.removeBefore(clock() - parts.days() * DAY_MS, LIMITS.accessLogRemoveEntries);
        }),
    },
  ],
  metrics: (metrics) => {
    metrics.gauge(
      'access_log_waiting_entries',
      'Not written yet.',
      () => parts.accessLog.unwritten + parts.accessViews.held,
    );
    metrics.gauge(
      'access_log_lost_entries',
      'Found no room while the database was away, since the start.',
      () => parts.accessLog.lost,
    );
  },
  health: [parts.accessLog],
});
