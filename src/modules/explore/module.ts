import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { AskRows } from '../../database/clients';
import type { Module } from '../../module';
import type { TenantForm } from '../../trail/counts/scope';
import { ExploreResolver } from './explore.resolver';
import { PostgresAuditEventExplorer } from './stored-explorer';

/** Counts over time and by value, for the dashboard. */
export const exploreModule = (ask: AskRows, form: TenantForm, fairShare: FairShare): Module => ({
  resolvers: [new ExploreResolver(new PostgresAuditEventExplorer(ask, form), fairShare)],
});
