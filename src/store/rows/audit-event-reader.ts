import type { JsonScalar } from '../../event/audit-record';
import type { AuditEvent, AuditEventListItem } from '../../event/fields';
import type { AuditEventFilter, AuditEventQuery, AuditSummary, Page } from '../../event/query';
import type { TenantSet } from '../../tenant-set';
import type { Plan } from '../plan';

/** One whole event with what the audit record states beyond the public fields. */
export type StoredAuditEvent = AuditEvent & { readonly additional: { readonly [key: string]: JsonScalar } };

/** Port: how stored events are read. Every total is exact and of the same snapshot as the page beside it. */
export interface AuditEventReader {
  /** @param plan that of the query, from a caller that has made it */
  page(tenants: TenantSet, query: AuditEventQuery, plan?: Plan): Promise<Page<AuditEventListItem>>;
  /** Null when no tenant of the scope has such a record. @param recordId a UUID */
  find(tenants: TenantSet, recordId: string): Promise<StoredAuditEvent | null>;
  summary(tenants: TenantSet, filter: AuditEventFilter, plan?: Plan): Promise<AuditSummary>;
}
