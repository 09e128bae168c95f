import { type NoTenants, type TenantSet, tenantsOrNone } from '../tenant-set';
import type { Prisma, ServiceDoor } from './clients';
import { setTenants } from './each-tenant';

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
