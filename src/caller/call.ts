import { addressGroup, plainAddress } from '../address-list';
import { DomainError } from '../errors';
import type { Parsed } from '../event/parse-parameters';
import { LIMITS } from '../limits';
import { parseTenantId } from '../tenant-set';
import {
  type AccessLog,
  type Attempt,
  entryOf,
  parametersText,
  type Result,
  storableName,
} from './access-log';
import type { Authenticator } from './authenticate';
import {
  type Entrance,
  type MarkedTenants,
  type Masks,
  masksOf,
  type Principal,
  tenantsOf,
} from './principal';
import { type Limiter, type RateDecision, retryAfterSeconds, SlidingLog } from './rate-limit/limiter';
import type { Sessions } from './session/sessions';

/** One request at either entrance, after its key was accepted. */
export interface Call extends Masks {
  readonly requestId: string;
  readonly principal: Principal;
  /**
   * Looks the caller up again; null: the key or the session has ended. It counts as a use of the session as the call did.
   * @throws DomainError `forbidden`: its tenant is disabled
   */
  readonly again: () => Promise<Principal | null>;
  /** Plain, see `plainAddress`. */
  readonly address: string;
  readonly entrance: Entrance;
  /** Aborted when the answer has been sent, or the caller has disconnected. */
  readonly gone: AbortSignal;
  /** The parameters of its single root field, if the entrance has parsed them. */
  readonly parsed?: Parsed;
  /** Called with the value of each root field and its number of rows. */
  readonly onValue?: OnValue;
  /** Set for a mutation: makes its entry of the access log without the outcome. */
  readonly attempt?: () => Attempt;
  /**
   * Records an access that is no root field of GraphQL. An access that hands over rows for a long time is recorded
   * twice: at its beginning with null rows, and at its end.
   */
  readonly note: (access: Access) => void;
  /** What is masked for the caller now, because an answer may take long. Not there: nothing is. */
  readonly masksNow?: () => Promise<Masks>;
  /** Counts a costly call as so many further calls of its rate limit. */
  readonly charge: (calls: number) => void;
}

export type Access = Result & { readonly operation: string; readonly parameters: object };

/** For the store of a change, which writes the entry in the transaction of the change. */
export function attemptOf({ attempt }: Call): Attempt {
  if (!attempt) throw new Error('only a mutation writes its entry of the access log itself');
  return attempt();
}

type OnValue = (value: unknown, rows: number) => void;

/** What an entrance knows about a request. */
interface Visit {
  readonly requestId: string;
  readonly apiKey: string | undefined;
  /** The token of a dashboard session, in place of a key. */
  readonly sessionToken?: string | undefined;
  /** Set if the page asks by itself: then neither the call nor `again` is a use of the session. */
  readonly isUnattended?: boolean;
  /**
   * The caller's network address behind trusted proxies, for the access log and the limit on failed authentications.
   */
  readonly address: string;
  readonly entrance: Entrance;
  /** Aborted when the answer has been sent, or the caller has disconnected. */
  readonly gone: AbortSignal;
  /** Called with the decision before a refusal is thrown, so that every answer can have its headers. */
  readonly onRateDecision?: (decision: RateDecision) => void;
  readonly onValue?: OnValue;
}

/** @throws DomainError `unauthorized`, `rate_limited`, `forbidden` */
export type AcceptCall = (visit: Visit) => Promise<Call>;

/** The operation in the access log if a request was refused before it was read. */
const AUTHENTICATE = 'authenticate';

export function callAccepter(parts: {
  readonly authenticator: Authenticator;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly limiter: Limiter;
  readonly rateLimitPerMinute: number;
  readonly accessLog: Pick<AccessLog, 'note'>;
  /** Not given: no tenant masks its statements. */
  readonly maskedTenants?: Pick<MarkedTenants, 'among'>;
  readonly nowMs: () => number;
}): AcceptCall {
  const { authenticator, sessions, limiter, rateLimitPerMinute, accessLog, nowMs } = parts;
  const failures = new SlidingLog(LIMITS.addressesTrackedMax);

  return async (visit) => {
    const address = plainAddress(visit.address);
    if (visit.apiKey !== undefined && visit.sessionToken !== undefined) throw bothGiven();
    const lookUp = async () =>
      visit.sessionToken === undefined
        ? authenticator.authenticate(visit.apiKey)
        : ((await sessions.find(visit.sessionToken, !visit.isUnattended))?.principal ?? null);
    const again = async () => {
      const found = await lookUp();
      if (found?.isDisabled) throw ofDisabledTenant();
      return found;
    };
    const principal = await lookUp();
    if (!principal)
      throw await refusal(failures, address, visit.sessionToken === undefined ? notValid : sessionOver);
    const { requestId, entrance, gone, onValue } = visit;
    const asking = { requestId, principal, address, entrance };
    const note = ({ operation, parameters, ...result }: Access) =>
      accessLog.note(entryOf(attemptBy(asking, operation, { at: nowMs(), parameters }), result));
    let window: string | null = null;
    const charge = (calls: number) => void (window !== null && limiter.charge(window, calls));
    const call = { ...asking, again, gone, note, charge, ...(onValue && { onValue }) };
    const isElsewhere = principal.allowedFrom && !principal.allowedFrom.includes(address);
    if (isElsewhere || principal.isDisabled) {
      // Recorded only within the limit on failures, so that a stolen key cannot fill the log.
      throw await refusal(failures, address, () => {
        const refused = isElsewhere ? fromElsewhere() : ofDisabledTenant();
        note({ operation: AUTHENTICATE, parameters: {}, outcome: refused.code, rows: null });
        return refused;
      });
    }
    if (principal.session || visit.entrance === 'dashboard') {
      // All sessions of a key or person share one window, so a new sign-in does not open a fresh one.
      const who = principal.session?.user ?? principal.keyId;
      const limit = sessionCallsPerMinuteOf(principal);
      window = `dashboard:${who}`;
      const decision = await admitSoon(limiter, window, limit);
      if (!decision.admitted) throw rateLimited(sessionLimit(principal, decision), decision);
    } else if (principal.kind === 'enroll') {
      const limit = LIMITS.enrollmentsPerMinute;
      const decision = await admitSoon(limiter, `enroll:${principal.keyId}`, limit);
      if (!decision.admitted) throw rateLimited(`A token enrolls ${limit} agents per minute.`, decision);
    } else if (principal.kind === 'public') {
      const limit = principal.rateLimitPerMinute ?? rateLimitPerMinute;
      // Each entrance has its own window, so that dashboards do not use up the calls of the public API.
      window = `${visit.entrance}:${principal.keyId}`;
      const decision = await admitSoon(limiter, window, limit);
      visit.onRateDecision?.(decision);
      if (!decision.admitted) throw rateLimited(`This API key may make ${limit} calls per minute.`, decision);
    }
    const { maskedTenants } = parts;
    if (!maskedTenants) return call;
    const masksNow = () => masksOf(principal, maskedTenants);
    return { ...call, masksNow, ...(await masksNow()) };
  };
}

/** The dashboard shows this text to a person unchanged. */
const sessionLimit = ({ session }: Principal, decision: RateDecision) =>
  `${session?.user ? 'A person' : 'All sessions of one key together'} may make ${decision.limit} calls per minute ` +
  `in the dashboard. The next call succeeds in ${retryAfterSeconds(decision)} seconds.`;

/**
 * A page makes several calls at once, so a session gets more calls than its key, within a bound that keeps slow keys
 * slow.
 */
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

/** The refusal of a failed authentication. After too many from one address, it asks to wait. */
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

/**
 * 403 and not 401, because the key is valid. It does not count as a call of the key, whose holder is another person.
 */
const fromElsewhere = () =>
  new DomainError('forbidden', { public: 'This API key may not be used from this address.' });

/** The key is valid, and works again when an operator enables its tenant. */
const ofDisabledTenant = () =>
  new DomainError('forbidden', {
    public: 'The tenant of this API key is disabled: an operator of the service can enable it.',
  });

const rateLimited = (text: string, decision: RateDecision) =>
  new DomainError('rate_limited', { public: text, retryAfterSeconds: retryAfterSeconds(decision) });

type Asking = Pick<Call, 'principal' | 'requestId' | 'address' | 'entrance'>;

/** @param what.at milliseconds since 1970 */
export function attemptBy(
  { principal, requestId, address, entrance }: Asking,
  operation: string,
  { at, parameters }: { readonly at: number; readonly parameters: object },
): Attempt {
  const { kind, keyId, name, session } = principal;
  return {
    at: new Date(at),
    principalKind: kind,
    keyId,
    keyName: storableName(name),
    userName: session?.user ? storableName(session.user) : null,
    entrance: session ? 'dashboard' : entrance,
    operation,
    parameters: parametersText(parameters),
    tenantIds: tenantsConcerned(principal, parameters),
    requestId,
    address,
  };
}

/** An operator acts for no tenant, but may name some. */
function tenantsConcerned(principal: Principal, parameters: object): readonly number[] {
  if (principal.kind !== 'operator') return tenantsOf(principal);
  const { tenantId, tenantIds } = parameters as Readonly<Record<string, unknown>>;
  const named = [tenantId, ...(Array.isArray(tenantIds) ? tenantIds : [])];
  return named.flatMap((id) => (typeof id === 'string' ? (parseTenantId(id) ?? []) : []));
}
