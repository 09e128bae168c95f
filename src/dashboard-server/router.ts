import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import type { OpenIdConfig } from '../config';
import { DomainError, ERRORS, toDomainError } from '../errors';
import { restRefusal } from '../refusal';
import type { TenantStore } from '../tenant/tenant-store';
import { openIdRoutes } from './openid-routes';
import { dashboardPage } from './page';
import { type SessionParts, sessionRoutes } from './session-routes';

/** The dashboard: its page, and what the page calls beside `/graphql`. */
export function createDashboardRouter(
  parts: Omit<SessionParts, 'hasOpenId'> & {
    readonly tenants: TenantStore;
    readonly folder: string;
    /** Null: people sign in with a key alone. */
    readonly openId: OpenIdConfig | null;
    readonly log: Logger;
  },
): Router {
  const router = Router();
  const { openId, ...rest } = parts;
  const routes = [
    sessionRoutes({ ...rest, hasOpenId: openId !== null }),
    ...(openId ? [openIdRoutes({ ...rest, config: openId })] : []),
  ];
  router.use('/api', noStore, ...routes, () => {
    throw new DomainError('not_found', { public: 'There is no such path.' });
  });
  router.use(dashboardPage(parts.folder));
  router.use(refuse(parts.log));
  return router;
}

const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

const refuse =
  (log: Logger): ErrorRequestHandler =>
  (thrown, _request, response, next) => {
    if (response.headersSent) return next(thrown);
    const { requestId } = response.locals;
    const refused = toDomainError(thrown);
    if (refused.code === 'internal_error') log.error({ err: thrown, requestId }, 'failed');
    if (refused.retryAfterSeconds) response.set('Retry-After', String(refused.retryAfterSeconds));
    response.status(ERRORS[refused.code].status).json(restRefusal(refused, requestId));
  };
