import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { TenantStore } from '../../caller/tenant.store';
import type { Database } from '../../database/clients';
import type { Module } from '../../module';
import type { TenantForm } from '../../trail/counts/scope';
import { explain } from './explain';
import { ExplainResolver } from './explain.resolver';
import { ExploreResolver } from './explore.resolver';
import { PostgresAuditEventExplorer } from './stored-explorer';

/** Counts over time and by value, for the dashboard; what a question would read, for operators. */
export const exploreModule = (
  door: Pick<Database, 'ask' | 'snapshot'>,
  form: TenantForm,
  tenants: Pick<TenantStore, 'existing'>,
  fairShare: FairShare,
): Module => ({
  resolvers: [
    new ExploreResolver(new PostgresAuditEventExplorer(door, form), fairShare),
    new ExplainResolver((set, filter) => explain(door.ask, form, set, filter), tenants, fairShare),
  ],
});
