import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { TenantStore } from '../../caller/tenant.store';
import type { ServiceDoor } from '../../database/clients';
import type { AuditEvent } from '../../event/fields';
import type { Module } from '../../module';
import type { TenantSet } from '../../tenant-set';
import { explain } from './explain';
import { ExplainResolver } from './explain.resolver';
import { ExploreResolver } from './explore.resolver';
import { GroupShapesResolver } from './group-shapes.resolver';
import { rowsOf } from './rows';
import { RowsResolver } from './rows.resolver';
import { PostgresAuditEventExplorer } from './stored-explorer';
import { usualOf } from './usual';
import { UsualResolver } from './usual.resolver';

/** Counts over time and by value, for the dashboard; what a question would read, for operators. */
export const exploreModule = (
  service: ServiceDoor,
  tenants: Pick<TenantStore, 'existing'>,
  fairShare: FairShare,
  find: (tenants: TenantSet, recordId: string) => Promise<AuditEvent | null>,
): Module => ({
  resolvers: [
    new ExploreResolver(new PostgresAuditEventExplorer(service), fairShare),
    new RowsResolver((set, filter) => rowsOf(service, set, filter), fairShare),
    new GroupShapesResolver(new PostgresAuditEventExplorer(service), fairShare),
    new UsualResolver(find, (event, withTenant) => usualOf(service, event, withTenant), fairShare),
    new ExplainResolver((set, filter) => explain(service, set, filter), tenants, fairShare),
  ],
});
