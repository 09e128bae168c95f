import type { Call } from '../../../caller/call';
import { tenantSetOf } from '../../../caller/principal';
import type { TenantStore } from '../../../caller/tenant.store';
import { noSuchTenant, parseTenantId, type TenantSet, tenantSet } from '../../../tenant-set';

/** The access rule for reading alerts and rules outside the public routes. */
export const READ_ALERTS = {
  principal: 'public',
  scope: 'read:alerts',
  via: 'session',
  operators: true,
} as const;
/** The access rule for working on alerts and rules. */
export const WORK_ALERTS = { principal: 'public', scope: 'work:alerts', operators: true } as const;

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
