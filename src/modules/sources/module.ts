import type { Logger } from 'pino';
import type { TenantStore, TenantWithRetention } from '../../caller/tenant.store';
import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { clockNotAhead } from '../../database/lease';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { Figures, SourceFigures } from '../../observe/figures';
import type { Metrics } from '../../observe/metrics';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import type { TenantSet } from '../../tenant-set';
import { AuditSourceResolver } from './audit-source.resolver';
import { PostgresAuditSourceStore } from './audit-source.store';
import { countGaps } from './coverage';
import { CoverageResolver, type ReadHolds } from './coverage.resolver';
import { expireGaps } from './expire-gaps';
import { type NotFollowing, readNotFollowing } from './following';
import { AgentGroupResolver } from './groups/agent-group.resolver';
import { AgentGroupStore } from './groups/agent-group.store';
import { type ListComplete, listComplete } from './list-complete';
import { type ListLags, listLags } from './list-lags';
import { AgentPackageResolver } from './packages/agent-package.resolver';
import { AgentPackageStore } from './packages/agent-package.store';
import type { AreGapsHeld } from './remove-sources';

/** The sources: what agents report about the databases that they read. */
export function sourcesModule(parts: {
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  readonly tenants: TenantStore;
  readonly epoch: LogEpoch;
  readonly retention: { tenantsWithRetention(): Promise<readonly TenantWithRetention[]> };
  readonly holds: ReadHolds;
  readonly areGapsHeld: AreGapsHeld;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Module & {
  readonly complete: ListComplete;
  readonly lags: ListLags;
  readonly gaps: (
    tenants: TenantSet,
    range: { readonly from: string; readonly to: string },
  ) => Promise<number>;
} {
  const { service, owner, tenants, epoch, retention, holds, areGapsHeld, nowMs, log } = parts;
  const complete = listComplete(service, nowMs);
  const sources = new PostgresAuditSourceStore(service, owner, areGapsHeld);
  const groups = new AgentGroupStore(service);
  const packages = new AgentPackageStore(service);
  let lagging: NotFollowing | null = null;
  return {
    complete,
    lags: listLags(service, nowMs),
    gaps: (of, range) => countGaps(service, of, range),
    resolvers: [
      new AuditSourceResolver(sources, tenants, complete, { groups, packages }, nowMs),
      new AgentGroupResolver(groups, tenants),
      new AgentPackageResolver(packages, groups, sources, tenants),
      new CoverageResolver(service, holds, nowMs),
    ],
    tasks: [
      {
        name: 'gap-retention',
        doc: 'retention of gaps and of lags',
        everyMs: LIMITS.retentionMs,
        run: () =>
          epoch.unlessPaused(async () => {
            const clock = await clockNotAhead(owner.models, nowMs);
            return expireGaps({ sources, retention, nowMs: clock, log });
          }),
      },
      {
        name: 'following',
        doc: 'counting agents that do not run what the service wants',
        everyMs: LIMITS.agentFollowingMs,
        run: async () => {
          lagging = await readNotFollowing({ sources, groups, packages, tenants });
        },
      },
    ],
    metrics: (metrics, figures) => {
      addMetrics(metrics, figures, nowMs);
      metrics.gauges(
        'agent_hosts_not_following',
        'Hosts whose agent does not run the settings of its group, or the package that is offered to it.',
        ['what'],
        () => Object.entries(lagging ?? {}).map(([what, value]) => ({ labels: { what }, value })),
      );
    },
  };
}

const SOURCE = ['tenant', 'host', 'database'] as const;

/**
 * Only for a bounded number of sources, because each is a series of its own. The number of all sources shows if some
 * are left out.
 */
function addMetrics(metrics: Metrics, figures: () => Figures | null, nowMs: () => number): void {
  const each = (name: string, help: string, read: (source: SourceFigures) => number | null) =>
    metrics.gauges(name, help, SOURCE, () =>
      (figures()?.sources ?? []).flatMap((source) => {
        const value = read(source);
        const labels = {
          tenant: String(source.tenantId),
          host: source.hostName,
          database: source.databaseName,
        };
        return value === null ? [] : [{ labels, value }];
      }),
    );
  metrics.gauge(
    'gaps',
    'Parts of the audit trail that agents could not publish.',
    () => figures()?.gapCount ?? null,
  );
  metrics.gauge(
    'sources_with_problem',
    'Databases whose agent said at its last report that something keeps it from publishing, or that several agents report.',
    () => figures()?.problemCount ?? null,
  );
  metrics.gauge(
    'sources_of_other_versions',
    'Databases whose agent is of another version than this instance.',
    () => figures()?.otherVersionCount ?? null,
  );
  metrics.gauge('sources', 'Databases that agents report of.', () => figures()?.sourceCount ?? null);
  each(
    'source_reported_seconds',
    'Since the agent of a database last reported.',
    (source) => source.reportedSeconds,
  );
  each(
    'source_lag_seconds',
    'Since everything in the files of a database was published.',
    ({ caughtUpAt }) => (caughtUpAt === null ? null : Math.max(0, nowMs() - Date.parse(caughtUpAt)) / 1000),
  );
  each(
    'source_waiting_bytes',
    'In files, not published at the last report.',
    (source) => source.waitingBytes,
  );
  each(
    'source_clock_ahead_seconds',
    "By which the clock of its agent is ahead of the service's; below zero: behind.",
    (source) => source.clockAheadSeconds,
  );
  each('source_gaps', 'Parts of its audit trail that could not be published.', (source) => source.gapCount);
  each('source_problem', '1 while something keeps its agent from publishing.', (source) =>
    Number(source.hasProblem),
  );
}
