import type { Tenant } from '../caller/tenant.store';
import { TENANT } from '../caller/tenant-answer';
import type { Answer } from '../event/shape';
import { objectType } from './object-type';

export const TenantType = objectType(TENANT);
export type TenantType = Answer<typeof TENANT>;

/** @param holdsInForce the number of its legal holds */
export const toTenantType = (tenant: Tenant, holdsInForce: number): TenantType => ({
  ...tenant,
  holdsInForce,
  tenantId: String(tenant.tenantId),
  createdAt: tenant.createdAt.toISOString(),
  disabledAt: tenant.disabledAt?.toISOString() ?? null,
});
