import { type NoTenants, type TenantSet, tenantsOrNone } from '../tenant-set';
import type { Prisma, ServiceDoor } from './clients';

/** The role that requests run as. Row-level security shows it only rows of the tenants that a transaction names. */
export const SERVICE_ROLE = 'audit_activity_service';

/** The setting by which a transaction names its tenants. */
export const TENANTS_SETTING = 'app.tenants';

/** Tables that the service's role reads whole. They list the tenants, and hold no other data of a tenant. */
export const FREE_TABLES: readonly string[] = ['tenant'];

/**
 * The setting's value, such as `1,3`.
 * @throws RangeError for a value that is not a tenant id, because statements contain the text
 */
export function tenantsSetting(tenants: TenantSet | NoTenants): string {
  for (const tenant of tenants)
    if (!Number.isInteger(tenant) || tenant < 1 || tenant > 2_147_483_647)
      throw new RangeError(`${tenant} is no tenant id`);
  return tenants.join(',');
}

/** The statement that names the tenants until a transaction ends. Distributed databases pass on only this form. */
export const setTenants = (tenants: TenantSet | NoTenants): string =>
  `SET LOCAL ${TENANTS_SETTING} = '${tenantsSetting(tenants)}'`;

/** Runs Prisma's statements in one transaction. It sees and writes rows of these tenants only. */
export function ofTenants<T>(
  service: ServiceDoor,
  tenants: TenantSet | NoTenants,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  return service.models.$transaction(async (tx) => {
    await tx.$executeRawUnsafe(setTenants(tenants));
    return work(tx);
  });
}

/** Runs an operator's query over all tenants. */
export async function ofEveryTenant<T>(
  service: ServiceDoor,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  const tenants = await service.models.tenant.findMany({ select: { tenantId: true } });
  return ofTenants(service, tenantsOrNone(tenants.map(({ tenantId }) => tenantId)), work);
}
