import type { TenantStore } from '../../caller/tenant.store';
import { DomainError } from '../../errors';
import { LIMITS } from '../../limits';
import { noSuchTenant, parseTenantId } from '../../tenant-set';
import type { AuditSource, SourceId, StoredGap } from './audit-source';
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

/** Newest first. @throws DomainError `invalid_parameter` */
export async function listGaps(
  source: SourceId & { readonly tenantId: number },
  limit: number,
  store: AuditSourceStore,
): Promise<readonly StoredGap[]> {
  if (limit < 1 || limit > LIMITS.sourceGapsShownMax) {
    throw new DomainError('invalid_parameter', {
      public: `limit must be from 1 to ${LIMITS.sourceGapsShownMax}.`,
    });
  }
  return store.gaps(source.tenantId, source, limit);
}
