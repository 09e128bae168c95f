import type { Authenticator } from '../api-key/authenticate';
import type { KeyManager } from '../api-key/manage-keys';
import type { Principal } from '../api-key/principal';
import type { AuditSourceStore } from '../audit-source/audit-source-store';
import { DomainError } from '../errors';
import type { AuditEventWriter } from '../ingest/audit-event-writer';
import { LIMITS } from '../limits';
import type { Limiter, RateDecision } from '../rate-limit/limiter';
import { retryAfterSeconds, SlidingLog } from '../rate-limit/sliding-log';
import type { RetentionManager } from '../retention/manage-retention';
import type { AuditEventReader } from '../search/audit-event-reader';
import type { TenantStore } from '../tenant/tenant-store';

/** What the resolvers work with. */
export interface Services {
  readonly reader: AuditEventReader;
  readonly writer: AuditEventWriter;
  readonly tenants: TenantStore;
  readonly keys: KeyManager;
  readonly retention: RetentionManager;
  readonly sources: AuditSourceStore;
  readonly now: () => number;
}

/** One request behind either entrance, after its key was accepted. */
export interface GraphqlContext {
  readonly requestId: string;
  readonly principal: Principal;
  readonly services: Services;
}

/** What an entrance knows of a request. */
export interface Caller {
  readonly requestId: string;
  readonly apiKey: string | undefined;
  /** Network address, for the limit on failed authentications. */
  readonly address: string;
  readonly entrance: 'rest' | 'graphql';
  /** Told of the decision before a refusal is thrown, so that its headers can be set on any answer. */
  readonly onRateDecision?: (decision: RateDecision) => void;
}

/** @throws DomainError `unauthorized`, `rate_limited` */
export type CreateContext = (caller: Caller) => Promise<GraphqlContext>;

export function contextFactory(parts: {
  readonly authenticator: Authenticator;
  readonly limiter: Limiter;
  readonly rateLimitPerMinute: number;
  readonly services: Services;
}): CreateContext {
  const { authenticator, limiter, rateLimitPerMinute, services } = parts;
  const failures = new SlidingLog(LIMITS.addressesTrackedMax);

  return async (caller) => {
    const principal = await authenticator.authenticate(caller.apiKey);
    if (!principal) throw await refusal(failures, caller.address);
    if (principal.kind === 'public') {
      const limit = principal.rateLimitPerMinute ?? rateLimitPerMinute;
      // Each entrance has its own window: dashboards must not use up the calls of the public contract.
      const decision = await admitSoon(limiter, `${caller.entrance}:${principal.keyId}`, limit);
      caller.onRateDecision?.(decision);
      if (!decision.admitted) throw rateLimited(`This API key may make ${limit} calls per minute.`, decision);
    }
    return { requestId: caller.requestId, principal, services };
  };
}

/**
 * A call that comes early by no more than a network's jitter waits for its turn. Otherwise the window, being
 * exact, would refuse a steady caller at the limit about once a minute.
 */
async function admitSoon(limiter: Limiter, key: string, limit: number): Promise<RateDecision> {
  const decision = await limiter.admit(key, limit);
  if (decision.admitted || decision.waitMs > LIMITS.rateEarlyMs) return decision;
  await new Promise((resolve) => setTimeout(resolve, decision.waitMs));
  return limiter.admit(key, limit);
}

async function refusal(failures: SlidingLog, address: string): Promise<DomainError> {
  const decision = await failures.admit(address, LIMITS.failedAuthPerMinute);
  if (!decision.admitted) return rateLimited('Too many failed authentications from this address.', decision);
  return new DomainError('unauthorized', {
    public: 'The header X-Api-Key is missing, or its key is not valid.',
  });
}

const rateLimited = (text: string, decision: RateDecision) =>
  new DomainError('rate_limited', { public: text, retryAfterSeconds: retryAfterSeconds(decision) });
