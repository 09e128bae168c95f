import { noSuchTenant, parseTenantId, type TenantSet, tenantSet } from '../tenant-set';
import type { Call } from './call';
import { tenantSetOf } from './principal';
import type { TenantStore } from './tenant.store';

/** The tenants of a caller. For an operator these are all tenants. */
export class CallTenants {
  constructor(private readonly tenants: Pick<TenantStore, 'existing' | 'list'>) {}

  /** @returns the named tenant, or all tenants of the call; null if there are none @throws DomainError `not_found` */
  async of(call: Call, tenantId?: string): Promise<TenantSet | null> {
    if (tenantId !== undefined) return tenantSet([await this.one(call, tenantId)]);
    if (call.principal.kind !== 'operator') return tenantSetOf(call);
    const all = await this.tenants.list();
    return all.length === 0 ? null : tenantSet(all.map((tenant) => tenant.tenantId));
  }

  /** @throws DomainError `not_found` */
  async one(call: Call, given: string): Promise<number> {
    const id = parseTenantId(given);
    const own = call.principal.kind === 'operator' ? null : tenantSetOf(call);
    const isThere = id !== null && (own ? own.includes(id) : (await this.tenants.existing([id])).length > 0);
    if (!isThere) throw noSuchTenant();
    return id;
  }
}
