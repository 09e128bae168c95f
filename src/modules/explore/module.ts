import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { Database } from '../../database/clients';
import type { Module } from '../../module';
import type { TenantForm } from '../../trail/counts/scope';
import { ExploreResolver } from './explore.resolver';
import { PostgresAuditEventExplorer } from './stored-explorer';

/** Counts over time and by value, for the dashboard. */
export const exploreModule = (
  { ask, snapshot }: Pick<Database, 'ask' | 'snapshot'>,
  form: TenantForm,
  fairShare: FairShare,
): Module => ({
  resolvers: [new ExploreResolver(new PostgresAuditEventExplorer({ ask, snapshot }, form), fairShare)],
});
