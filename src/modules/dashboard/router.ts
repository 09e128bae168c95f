import { type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import type { TenantStore } from '../../caller/tenant.store';
import type { OpenIdConfig } from '../../config';
import { DomainError } from '../../errors';
import { openIdRoutes } from './openid-routes';
import { builtPage, dashboardPage } from './page';
import type { PageAssets } from './page-assets';
import { type SessionParts, sessionRoutes } from './session-routes';

/** The dashboard: its page, and the page's routes beside `/graphql`. The application that mounts it answers errors. */
export function createDashboardRouter(
  parts: Omit<SessionParts, 'hasOpenId'> & {
    readonly tenants: TenantStore;
    readonly assets: PageAssets;
    /** Null: people sign in only with a key. */
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
  router.use(dashboardPage(builtPage(), parts.assets, parts.log));
  return router;
}

const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};
