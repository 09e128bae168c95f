import { type Request, type Response, Router } from 'express';
import type { Logger } from 'pino';
import type { AcceptCall } from '../../caller/call';
import { type ClaimsRefusal, identityOf } from '../../caller/session/claims';
import { sessionRequestOf, setSessionCookie } from '../../caller/session/session-cookie';
import { cookieOf } from '../../caller/session/session-token';
import type { Sessions } from '../../caller/session/sessions';
import type { TenantStore } from '../../caller/tenant.store';
import type { OpenIdConfig } from '../../config';
import { whenClosed } from '../../deadline';
import { DASHBOARD_PATH } from '../../http/dashboard-path';
import { LIMITS } from '../../limits';
import { OpenIdCookie, type PendingSignIn } from './openid-cookie';
import { OpenIdProvider } from './openid-provider';

const PATH = `${DASHBOARD_PATH}/api/openid`;
/** The reason of a failed sign-in, which the page gets. */
type Refusal = ClaimsRefusal | 'cancelled' | 'failed';

interface OpenIdParts {
  readonly config: OpenIdConfig;
  readonly sessions: Sessions;
  readonly tenants: Pick<TenantStore, 'existing'>;
  readonly acceptCall: AcceptCall;
  readonly log: Logger;
}

/** The routes of a sign-in by OpenID Connect: to the provider and back. */
export function openIdRoutes(parts: OpenIdParts): Router {
  const { config, log } = parts;
  const provider = new OpenIdProvider(config, new URL(`${PATH}/callback`, config.publicUrl).href);
  const cookie = new OpenIdCookie(config);
  const router = Router();
  router.get('/openid/start', async (request, response) => {
    try {
      const { url, checks } = await provider.begin();
      const pending = { ...checks, to: viewOf(request.query.to, config.publicUrl) };
      response.cookie(cookie.name, cookie.seal(pending), {
        ...cookie.options,
        maxAge: LIMITS.openIdSignInMs,
      });
      response.redirect(url);
    } catch (err) {
      log.warn({ err, requestId: response.locals.requestId }, 'the identity provider did not answer');
      refuse(response, 'failed');
    }
  });
  router.get('/openid/callback', async (request, response) => {
    response.clearCookie(cookie.name, cookie.options);
    const pending = cookie.open(cookieOf(sessionRequestOf(request), cookie.name) ?? '');
    if (!pending) return refuse(response, 'failed');
    const refusal = await signIn(parts, provider, request, response, pending);
    if (refusal) refuse(response, refusal);
    else response.redirect(viewOf(pending.to, config.publicUrl));
  });
  return router;
}

async function signIn(
  { config, sessions, tenants, acceptCall, log }: OpenIdParts,
  provider: OpenIdProvider,
  request: Request,
  response: Response,
  pending: PendingSignIn,
): Promise<Refusal | null> {
  const { requestId } = response.locals;
  const query = request.originalUrl.slice(request.originalUrl.indexOf('?'));
  if (request.query.error === 'access_denied') return 'cancelled';
  let claims: Readonly<Record<string, unknown>>;
  try {
    claims = await provider.finish(query, pending);
  } catch (err) {
    log.warn({ reason: err instanceof Error ? err.message : String(err), requestId }, 'sign-in failed');
    return 'failed';
  }
  const identity = await identityOf(claims, config, (ids) => tenants.existing(ids));
  if (typeof identity === 'string') {
    log.warn({ reason: identity, subject: claims.sub, requestId }, 'sign-in refused');
    return identity;
  }
  const sessionToken = await sessions.begin(identity);
  const context = await acceptCall({
    requestId,
    apiKey: undefined,
    sessionToken,
    address: request.ip ?? '',
    entrance: 'dashboard',
    gone: whenClosed(response),
  });
  context.note({ operation: 'signIn', parameters: {}, outcome: 'ok', rows: null });
  setSessionCookie(request, response, sessionToken);
  return null;
}

/** @returns a view of the dashboard, whatever is given, so that no redirect leads to another site */
function viewOf(to: unknown, publicUrl: string): string {
  if (typeof to !== 'string' || !URL.canParse(to, publicUrl)) return DASHBOARD_PATH;
  const { origin, pathname, search, hash } = new URL(to, publicUrl);
  const isView = pathname === DASHBOARD_PATH || pathname.startsWith(`${DASHBOARD_PATH}/`);
  const isOwn = origin === new URL(publicUrl).origin && !pathname.startsWith(`${DASHBOARD_PATH}/api`);
  return isView && isOwn ? pathname + search + hash : DASHBOARD_PATH;
}

const refuse = (response: Response, refusal: Refusal) =>
  response.redirect(`${DASHBOARD_PATH}/sign-in?refused=${refusal}`);
