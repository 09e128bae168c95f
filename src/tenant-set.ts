import { DomainError } from './errors';

declare const scoped: unique symbol;

/**
 * The tenants that a caller may see, which are never empty. Every read takes them first, so a statement without its
 * tenants does not compile.
 */
export type TenantSet = readonly [number, ...number[]] & { readonly [scoped]: true };

/** The tenants of a key that names none. Every access rule refuses it. */
export type NoTenants = readonly [];

export const tenantsOrNone = (tenantIds: readonly number[]): TenantSet | NoTenants =>
  tenantIds.length === 0 ? [] : tenantSet(tenantIds);

export function tenantSet(tenantIds: readonly number[]): TenantSet {
  const distinct = [...new Set(tenantIds)].sort((a, b) => a - b);
  if (distinct.length === 0) {
    throw noTenant();
  }
  return distinct as readonly number[] as TenantSet;
}

export const oneTenant = (tenantId: number): TenantSet => [tenantId] as readonly number[] as TenantSet;

export const noTenant = () =>
  new DomainError('forbidden', { public: 'This API key is not authorized for any tenant.' });

/** The same answer for a missing tenant and for another caller's. */
export const noSuchTenant = () => new DomainError('not_found', { public: 'There is no such tenant.' });

const TENANT_ID = /^[1-9]\d{0,9}$/;
/** @returns the number of a tenant id as the API writes it, or null */
export function parseTenantId(text: string): number | null {
  const id = TENANT_ID.test(text) ? Number(text) : 0;
  return id >= 1 && id <= 2_147_483_647 ? id : null;
}

/** The tenant that a caller asks about. @throws DomainError `invalid_parameter`, `not_found` */
export function tenantMeant(tenants: TenantSet, given: string | undefined): number {
  if (given === undefined) {
    if (tenants.length === 1) return tenants[0];
    throw new DomainError('invalid_parameter', {
      public: 'tenantId must be given: the key reads several tenants.',
    });
  }
  const tenantId = parseTenantId(given);
  if (tenantId !== null && tenants.includes(tenantId)) return tenantId;
  throw noSuchTenant();
}
