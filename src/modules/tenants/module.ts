import type { Logger } from 'pino';
import type { Authenticator } from '../../caller/authenticate';
import type { TenantStore } from '../../caller/tenant.store';
import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { clockNotAhead } from '../../database/lease';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import { HoldResolver } from './holds/hold.resolver';
import { HoldStore } from './holds/hold.store';
import { applyRetention } from './retention/apply-retention';
import { type CountEvents, RetentionManager } from './retention/manage-retention';
import { RetentionResolver } from './retention/retention.resolver';
import { PostgresRetentionStore } from './retention/retention.store';
import { TenantResolver } from './tenant.resolver';

/** Tenants, and the retention of their events. */
export function tenantsModule(parts: {
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  readonly tenants: TenantStore;
  readonly authenticator: Authenticator;
  readonly epoch: LogEpoch;
  readonly countEvents: CountEvents;
  /** Ends a run of retention after its current step. */
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Module & { readonly retention: PostgresRetentionStore; readonly holds: HoldStore } {
  const { service, owner, tenants, authenticator, epoch, countEvents, signal, nowMs, log } = parts;
  const store = new PostgresRetentionStore(service, owner);
  const holds = new HoldStore(service);
  return {
    retention: store,
    holds,
    resolvers: [
      new TenantResolver(tenants, authenticator, holds, nowMs),
      new RetentionResolver(new RetentionManager(store, holds, countEvents, nowMs)),
      new HoldResolver(holds, nowMs),
    ],
    tasks: [
      {
        name: 'retention',
        doc: 'retention',
        everyMs: LIMITS.retentionMs,
        run: () =>
          epoch.unlessPaused(async () =>
            applyRetention({
              store,
              nowMs: await clockNotAhead(owner.models, nowMs),
              log,
              isStopped: () => signal.aborted || epoch.pause !== null,
            }),
          ),
      },
    ],
  };
}
