import type { TenantStore } from '../../caller/tenant.store';
import { noSuchTenant, parseTenantId } from '../../tenant-set';
import type { AuditSource } from './audit-source';
import type { AuditSourceStore } from './audit-source.store';

/** By tenant, host and database. @param tenantId null: of every tenant @throws DomainError `not_found` */
export async function listSources(
  tenantId: string | null,
  store: AuditSourceStore,
  tenants: Pick<TenantStore, 'existing'>,
): Promise<readonly AuditSource[]> {
  if (tenantId === null) return store.sources(null);
  const id = parseTenantId(tenantId);
  const known = id === null ? [] : await tenants.existing([id]);
  if (known.length === 0) throw noSuchTenant();
  return store.sources(id);
}
