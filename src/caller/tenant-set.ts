import { DomainError } from '../errors';

declare const scoped: unique symbol;

/**
 * The tenants a caller may see: never empty. Every read takes one first, so a statement that forgets its
 * tenants does not compile.
 */
export type TenantSet = readonly [number, ...number[]] & { readonly [scoped]: true };

/** Of a key that names no tenant: every access rule refuses it. */
export type NoTenants = readonly [];

export const tenantsOrNone = (tenantIds: readonly number[]): TenantSet | NoTenants =>
  tenantIds.length === 0 ? [] : tenantSet(tenantIds);

export function tenantSet(tenantIds: readonly number[]): TenantSet {
  const distinct = [...new Set(tenantIds)].sort((a, b) => a - b);
  if (distinct.length === 0) {
    throw noTenant();
  }
  return distinct as unknown as TenantSet;
}

export const noTenant = () =>
  new DomainError('forbidden', { public: 'This API key is not authorized for any tenant.' });

/** The same for a tenant that there is not and for one of somebody else. */
export const noSuchTenant = () => new DomainError('not_found', { public: 'There is no such tenant.' });

const TENANT_ID = /^[1-9]\d{0,9}$/;
/** The number behind a tenant id as the API writes it, or null. */
export function parseTenantId(text: string): number | null {
  const id = TENANT_ID.test(text) ? Number(text) : 0;
  return id >= 1 && id <= 2_147_483_647 ? id : null;
}
