import type { Authenticator } from '../../caller/authenticate';
import type { KeyStore } from '../../caller/key-store';
import type { TenantStore } from '../../caller/tenant.store';
import { DAY_MS } from '../../event/event-time';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { KeyResolver } from './key.resolver';
import { KeyManager } from './manage-keys';
import { KeyRenewal } from './renew-keys';

/** The operations on keys for operators. */
export const keysModule = (parts: {
  readonly store: KeyStore;
  readonly tenants: TenantStore;
  readonly authenticator: Authenticator;
  readonly nowMs: () => number;
}): Module => ({
  resolvers: [
    new KeyResolver(
      new KeyManager(parts.store, parts.tenants, parts.authenticator),
      new KeyRenewal(parts.store, parts.tenants, parts.authenticator),
      parts.nowMs,
    ),
  ],
  metrics: (metrics, figures) =>
    metrics.gauges(
      'keys_expiring_soon',
      `Valid keys, not rotated, that expire within ${LIMITS.keyExpiresSoonMs / DAY_MS} days.`,
      ['kind'],
      () => (figures()?.expiringKeys ?? []).map(({ kind, count }) => ({ labels: { kind }, value: count })),
    ),
});
