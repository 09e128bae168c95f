import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { TenantStore } from '../../caller/tenant.store';
import type { ServiceDoor } from '../../database/clients';
import type { Module } from '../../module';
import { explain } from './explain';
import { ExplainResolver } from './explain.resolver';
import { ExploreResolver } from './explore.resolver';
import { PostgresAuditEventExplorer } from './stored-explorer';

/** Counts over time and by value, for the dashboard; what a question would read, for operators. */
export const exploreModule = (
  service: ServiceDoor,
  tenants: Pick<TenantStore, 'existing'>,
  fairShare: FairShare,
): Module => ({
  resolvers: [
    new ExploreResolver(new PostgresAuditEventExplorer(service), fairShare),
    new ExplainResolver((set, filter) => explain(service, set, filter), tenants, fairShare),
  ],
});
