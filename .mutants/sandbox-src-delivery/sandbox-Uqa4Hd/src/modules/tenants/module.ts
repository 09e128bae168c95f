import type { Logger } from 'pino';
import type { TenantStore } from '../../caller/tenant.store';
import type { OwnerDb, ServiceDb } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { applyRetention } from './retention/apply-retention';
import { RetentionManager } from './retention/manage-retention';
import { RetentionResolver } from './retention/retention.resolver';
import { PostgresRetentionStore } from './retention/retention.store';
import { TenantResolver } from './tenant.resolver';

/** Tenants, and the retention of their events. */
export function tenantsModule(parts: {
  readonly prisma: ServiceDb;
  readonly owner: OwnerDb;
  readonly tenants: TenantStore;
  /** Ends a run of retention after its current step. */
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Module & { readonly retention: PostgresRetentionStore } {
  const { prisma, owner, tenants, signal, nowMs, log } = parts;
  const store = new PostgresRetentionStore(prisma, owner);
  return {
    retention: store,
    resolvers: [new TenantResolver(tenants), new RetentionResolver(new RetentionManager(store, nowMs))],
    tasks: [
      {
        name: 'retention',
        everyMs: LIMITS.retentionMs,
        run: () => applyRetention({ store, nowMs, log, signal }),
      },
    ],
  };
}
