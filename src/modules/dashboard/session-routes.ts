import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import { addressGroup, plainAddress } from '../../address-list';
import type { AcceptCall, Call } from '../../caller/call';
import { Holdings } from '../../caller/rate-limit/holdings';
import { clearSessionCookie, sessionRequestOf, setSessionCookie } from '../../caller/session/session-cookie';
import { isUnattended, refuseForeign, sessionTokenOf } from '../../caller/session/session-token';
import { idleEndOf, type Sessions, type SignedIn } from '../../caller/session/sessions';
import type { TenantStore } from '../../caller/tenant.store';
import { whenClosed } from '../../deadline';
import { DomainError } from '../../errors';
import { LIMITS } from '../../limits';

type AnswerFor = (contextOf: (request: Request, response: Response) => Promise<Call>) => RequestHandler;

export interface SessionParts {
  readonly sessions: Sessions;
  readonly tenants: Pick<TenantStore, 'list'>;
  readonly acceptCall: AcceptCall;
  /** Answers an export for a caller. */
  readonly answerExport: AnswerFor;
  /** Makes a run of a report for a caller, and answers with a file of it. */
  readonly answerNewRun: AnswerFor;
  /** Answers with a file of a run for a caller. */
  readonly answerRunFile: AnswerFor;
  /** Answers with new events as they arrive. */
  readonly answerLive: AnswerFor;
  /** Answers an evidence package for a caller. */
  readonly answerPackage: AnswerFor;
  /** Wraps steps that read a body. A request does not count as in work during them. */
  readonly whileReading: (...steps: readonly RequestHandler[]) => readonly RequestHandler[];
  /** Whether sign-in by OpenID Connect is offered. */
  readonly hasOpenId: boolean;
  /** The file with the first key, while there is no tenant. */
  readonly firstKeyFile: () => Promise<string | null>;
}

/** Signing in with a key, signing out, and who is signed in. */
export function sessionRoutes(parts: SessionParts): Router {
  const router = Router();
  router.get('/sign-in', async (_request, response) => {
    const file = await parts.firstKeyFile();
    response.json({ key: true, openId: parts.hasOpenId, ...(file !== null && { firstKeyFile: file }) });
  });
  router.post('/sign-in', ownCallsOnly, ...parts.whileReading(signInBody()), async (request, response) => {
    const context = await contextOf(parts, request, response, { apiKey: request.body.key });
    const { principal } = context;
    if (principal.kind === 'agent' || principal.kind === 'enroll') throw refuseAgent(context);
    const token = await parts.sessions.begin({ keyId: principal.keyId });
    context.note({ operation: 'signIn', parameters: {}, outcome: 'ok', rows: null });
    setSessionCookie(request, response, token);
    response.json(await described(parts, await parts.sessions.find(token)));
  });
  router.get('/session', async (request, response) => {
    await ofSession(parts, request, response);
    const isUse = !isUnattended(sessionRequestOf(request));
    response.json(await described(parts, await parts.sessions.find(tokenOf(request) ?? '', isUse)));
  });
  const caller = (request: Request, response: Response) => ofSession(parts, request, response);
  router.get('/export', parts.answerExport(caller));
  // A page that is left open must not keep its session: the stream is no use of it.
  router.get(
    '/live',
    parts.answerLive((request, response) => ofSession(parts, request, response, true)),
  );
  router.get('/package', parts.answerPackage(caller));
  router.get('/reports/runs/:runId/content', parts.answerRunFile(caller));
  router.get('/reports/:reportId/content', parts.answerNewRun(caller));
  router.post('/sign-out', ownCallsOnly, async (request, response) => {
    const token = tokenOf(request);
    if (token !== undefined) await parts.sessions.end(token);
    clearSessionCookie(request, response);
    response.status(NO_CONTENT).end();
  });
  return router;
}

const tokenOf = (request: Request) => sessionTokenOf(sessionRequestOf(request));

/** @throws DomainError `unauthorized` without a session, or the reason why the session is refused */
async function ofSession(
  parts: SessionParts,
  request: Request,
  response: Response,
  isByItself = isUnattended(sessionRequestOf(request)),
): Promise<Call> {
  const sessionToken = tokenOf(request);
  if (sessionToken === undefined) throw notSignedIn();
  return contextOf(parts, request, response, { sessionToken, isUnattended: isByItself });
}

async function contextOf(
  { acceptCall }: SessionParts,
  request: Request,
  response: Response,
  by: { readonly apiKey: string } | { readonly sessionToken: string; readonly isUnattended: boolean },
): Promise<Call> {
  const context = await acceptCall({
    apiKey: undefined,
    ...by,
    requestId: response.locals.requestId,
    address: request.ip ?? '',
    entrance: 'dashboard',
    gone: whenClosed(response),
  });
  response.locals.principal = context.principal;
  return context;
}

/** Operators administer; they read no tenant's events. */
const OPERATOR: { readonly tenantIds: readonly number[]; readonly scopes: readonly string[] } = {
  tenantIds: [],
  scopes: [],
};

async function described({ tenants }: SessionParts, signedIn: SignedIn | null) {
  if (!signedIn) throw notSignedIn();
  const { session, principal } = signedIn;
  const { tenantIds, scopes } = principal.kind === 'public' ? principal : OPERATOR;
  const all = tenantIds.length > 0 ? await tenants.list() : [];
  return {
    kind: principal.kind,
    name: principal.name,
    signedInBy: 'keyId' in session.of ? 'key' : 'openId',
    tenants: all
      .filter(({ tenantId }) => tenantIds.includes(tenantId))
      .map(({ tenantId, name }) => ({ tenantId: String(tenantId), name })),
    scopes,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    expiresAt: session.expiresAt.toISOString(),
    idleExpiresAt: idleEndOf(session).toISOString(),
  };
}

/** Refuses requests from other sites, which could otherwise sign a person in or out, even under their own key. */
const ownCallsOnly: RequestHandler = (request, _response, next) => {
  refuseForeign(sessionRequestOf(request));
  next();
};

const parseJson = express.json({ limit: LIMITS.signInBodyBytesMax });
const NO_CONTENT = 204;
const KEY = z.object({ key: z.string() });

/**
 * Reads the body of a sign-in. The caller has shown no key yet, so each address may send only a few at once, and only
 * for a short time.
 */
function signInBody(): RequestHandler {
  const arriving = new Holdings({ each: LIMITS.signInBodiesPerAddressMax, all: LIMITS.connectionsMax });
  return (request, response, next) => {
    const address = addressGroup(plainAddress(request.ip ?? ''));
    if (!arriving.take(address, 1)) return refuseBody(response, next, tooManySignIns());
    const done = once((error?: unknown) => {
      clearTimeout(timer);
      arriving.give(address, 1);
      if (error) refuseBody(response, next, error);
      else next();
    });
    const timer = setTimeout(() => done(tooSlow()), LIMITS.signInBodyMs);
    response.once('close', () => done(tooSlow()));
    parseJson(request, response, (cause?: unknown) => {
      const isKey = !cause && KEY.safeParse(request.body).success;
      done(isKey ? undefined : noKey(cause));
    });
  };
}

/** Closes the connection with the answer, so that the rest of the body is not awaited. */
function refuseBody(response: Response, next: (error: unknown) => void, error: unknown): void {
  response.shouldKeepAlive = false;
  next(error);
}

function once(work: (error?: unknown) => void): (error?: unknown) => void {
  let isDone = false;
  return (error) => {
    if (isDone) return;
    isDone = true;
    work(error);
  };
}

const noKey = (cause: unknown) =>
  new DomainError('invalid_parameter', { public: 'The body must be JSON with the text key.', cause });

const tooSlow = () =>
  new DomainError('request_timeout', {
    public: `The body did not arrive within ${LIMITS.signInBodyMs / 1000} seconds.`,
  });

const tooManySignIns = () =>
  new DomainError('rate_limited', {
    public: `At most ${LIMITS.signInBodiesPerAddressMax} sign-ins of one address may arrive at once.`,
    retryAfterSeconds: Math.ceil(LIMITS.signInBodyMs / 1000),
  });

const notSignedIn = () => new DomainError('unauthorized', { public: 'Nobody is signed in.' });

function refuseAgent(context: Call): DomainError {
  const refused = new DomainError('forbidden', { public: "An agent's key does not open the dashboard." });
  context.note({ operation: 'signIn', parameters: {}, outcome: refused.code, rows: null });
  return refused;
}
