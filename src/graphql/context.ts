import type { Attempt } from '../caller/access-entry';
import type { AccessLog } from '../caller/access-log';
import type { AccessLogStore } from '../caller/access-log-store';
import { addressGroup, plainAddress } from '../caller/address-list';
import type { Authenticator } from '../caller/authenticate';
import type { KeyManager } from '../modules/keys/manage-keys';
import type { Principal } from '../caller/principal';
import type { AuditSourceStore } from '../modules/sources/audit-source-store';
import { DomainError } from '../errors';
import type { EvidenceLog } from '../modules/evidence/evidence-log';
import type { AuditEventExplorer } from '../modules/explore/explorer';
import type { AuditEventWriter } from '../modules/ingest/audit-event-writer';
import { LIMITS } from '../limits';
import type { AnswerBytes } from '../caller/rate-limit/answer-bytes';
import type { FairShare } from '../caller/rate-limit/fair-share';
import type { Limiter, RateDecision } from '../caller/rate-limit/limiter';
import { retryAfterSeconds, SlidingLog } from '../caller/rate-limit/sliding-log';
import type { RetentionManager } from '../modules/tenants/retention/manage-retention';
import type { AuditEventReader } from '../trail/audit-event-reader';
import type { Sessions } from '../caller/session/sessions';
import type { TenantStore } from '../caller/tenant-store';
import { noteAccess } from './access-log';

/** What the resolvers work with. */
export interface Services {
  readonly reader: AuditEventReader;
  readonly explorer: AuditEventExplorer;
  /** Of the two above, for whatever may take long. */
  readonly fairShare: FairShare;
  readonly answers: AnswerBytes;
  readonly writer: AuditEventWriter;
  readonly tenants: TenantStore;
  readonly keys: KeyManager;
  readonly retention: RetentionManager;
  readonly sources: AuditSourceStore;
  readonly evidence: EvidenceLog;
  readonly accessLog: Pick<AccessLog, 'note'>;
  readonly accessEntries: AccessLogStore;
  readonly now: () => number;
}

/** One request behind either entrance, after its key was accepted. */
export interface GraphqlContext {
  readonly requestId: string;
  readonly principal: Principal;
  /** Who calls as of now; null: the key or the session has ended since. It counts as a use of the session. */
  readonly again: () => Promise<Principal | null>;
  /** Plain, see `plainAddress`. */
  readonly address: string;
  readonly entrance: Caller['entrance'];
  readonly services: Services;
  /** Resolves when the answer has left, or its caller has. */
  readonly gone: Promise<void>;
  /** Told of the value of each root field, and how many rows it has. */
  readonly onValue?: OnValue;
  /** Set for a mutation: what its entry of the access log says, but for what comes of it. */
  readonly attempt?: () => Attempt;
}

/** For the store of a change: it writes the entry in the transaction of the change. */
export function attemptOf({ attempt }: GraphqlContext): Attempt {
  if (!attempt) throw new Error('only a mutation writes its entry of the access log itself');
  return attempt();
}

export type OnValue = (value: unknown, rows: number) => void;

/** What an entrance knows of a request. */
export interface Caller {
  readonly requestId: string;
  readonly apiKey: string | undefined;
  /** Of a dashboard session, in place of a key. */
  readonly sessionToken?: string | undefined;
  /** Network address, behind the trusted proxies: for the access log and the limit on failed authentications. */
  readonly address: string;
  readonly entrance: 'rest' | 'graphql' | 'dashboard';
  /** Resolves when the answer has left, or its caller has. */
  readonly gone: Promise<void>;
  /** Told of the decision before a refusal is thrown, so that its headers can be set on any answer. */
  readonly onRateDecision?: (decision: RateDecision) => void;
  readonly onValue?: OnValue;
}

/** @throws DomainError `unauthorized`, `rate_limited`, `forbidden` */
export type CreateContext = (caller: Caller) => Promise<GraphqlContext>;

/** The operation that an entry of the access log names where the request was refused before it was read. */
export const AUTHENTICATE = 'authenticate';

export function contextFactory(parts: {
  readonly authenticator: Authenticator;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly limiter: Limiter;
  readonly rateLimitPerMinute: number;
  readonly services: Services;
}): CreateContext {
  const { authenticator, sessions, limiter, rateLimitPerMinute, services } = parts;
  const failures = new SlidingLog(LIMITS.addressesTrackedMax);

  return async (caller) => {
    const address = plainAddress(caller.address);
    if (caller.apiKey !== undefined && caller.sessionToken !== undefined) throw bothGiven();
    const again = async () =>
      caller.sessionToken === undefined
        ? authenticator.authenticate(caller.apiKey)
        : ((await sessions.find(caller.sessionToken))?.principal ?? null);
    const principal = await again();
    if (!principal)
      throw await refusal(failures, address, caller.sessionToken === undefined ? notValid : sessionOver);
    const { requestId, entrance, gone, onValue } = caller;
    const context = {
      ...{ requestId, principal, again, address, entrance, gone, services },
      ...(onValue && { onValue }),
    };
    if (principal.allowedFrom && !principal.allowedFrom.includes(address)) {
      // Noted within the limit on failures, so that a stolen key can't fill the log.
      throw await refusal(failures, address, () => {
        const refused = fromElsewhere();
        noteAccess(context, { operation: AUTHENTICATE, parameters: {}, outcome: refused.code, rows: null });
        return refused;
      });
    }
    if (principal.session || caller.entrance === 'dashboard') {
      // One window for all sessions of a key or person: signing in again opens no fresh one.
      const who = principal.session?.user ?? principal.keyId;
      const limit = sessionCallsPerMinuteOf(principal);
      const decision = await admitSoon(limiter, `dashboard:${who}`, limit);
      if (!decision.admitted) throw rateLimited(sessionLimit(principal, decision), decision);
    } else if (principal.kind === 'public') {
      const limit = principal.rateLimitPerMinute ?? rateLimitPerMinute;
      // Each entrance has its own window: dashboards must not use up the calls of the public contract.
      const decision = await admitSoon(limiter, `${caller.entrance}:${principal.keyId}`, limit);
      caller.onRateDecision?.(decision);
      if (!decision.admitted) throw rateLimited(`This API key may make ${limit} calls per minute.`, decision);
    }
    return context;
  };
}

/** The dashboard shows this to a person as it stands. */
const sessionLimit = ({ session }: Principal, decision: RateDecision) =>
  `${session?.user ? 'A person' : 'All sessions of one key together'} may make ${decision.limit} calls per minute ` +
  `in the dashboard. The next call succeeds in ${retryAfterSeconds(decision)} seconds.`;

/** A page asks for several things at once, so a session gets more than its key; but a slow key opens no fast door. */
function sessionCallsPerMinuteOf(principal: Principal): number {
  const own = principal.kind === 'public' ? principal.rateLimitPerMinute : null;
  const max = LIMITS.sessionCallsPerMinute;
  return own === null ? max : Math.min(max, own * LIMITS.sessionCallsPerKeyCall);
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

/** What a failed authentication is told; too many of an address are told to wait. */
async function refusal(failures: SlidingLog, address: string, told: () => DomainError): Promise<DomainError> {
  const decision = await failures.admit(addressGroup(address), LIMITS.failedAuthPerMinute);
  return decision.admitted
    ? told()
    : rateLimited('Too many failed authentications from this address.', decision);
}

const notValid = () =>
  new DomainError('unauthorized', { public: 'The header X-Api-Key is missing, or its key is not valid.' });

const sessionOver = () => new DomainError('unauthorized', { public: 'The session is over. Sign in again.' });

const bothGiven = () =>
  new DomainError('invalid_parameter', { public: 'A call has a session or an API key, not both.' });

/** 403, not 401: the key is valid. It is not counted as a call of the key, whose holder is somebody else. */
const fromElsewhere = () =>
  new DomainError('forbidden', { public: 'This API key may not be used from this address.' });

const rateLimited = (text: string, decision: RateDecision) =>
  new DomainError('rate_limited', { public: text, retryAfterSeconds: retryAfterSeconds(decision) });
