import type { Prisma, ServiceDb } from './clients';

/** The role that requests run as: row-level security shows it rows of the tenants a transaction names. */
export const SERVICE_ROLE = 'audit_activity_service';

/** The setting by which a transaction names them. */
export const TENANTS_SETTING = 'app.tenants';

/** Tables that name a tenant and are open to the service: they hold no data of it, and tell which tenants there are. */
export const FREE_TABLES: readonly string[] = ['tenant'];

/** Its value: `1,3`. @throws RangeError for what is no tenant id, as the text goes into statements */
export function tenantsSetting(tenants: readonly number[]): string {
  for (const tenant of tenants)
    if (!Number.isInteger(tenant) || tenant < 1 || tenant > 2_147_483_647)
      throw new RangeError(`${tenant} is no tenant id`);
  return tenants.join(',');
}

/** The statement that names them until the end of a transaction, in the one form that a distributed database hears. */
export const setTenants = (tenants: readonly number[]): string =>
  `SET LOCAL ${TENANTS_SETTING} = '${tenantsSetting(tenants)}'`;

/** Statements of Prisma in one transaction, which sees and writes rows of these tenants and of no others. */
export function ofTenants<T>(
  prisma: ServiceDb,
  tenants: readonly number[],
  work: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  return prisma.$transaction(async (tx) => {
    await tx.$executeRawUnsafe(setTenants(tenants));
    return work(tx);
  });
}

/** What operators ask of all tenants together. */
export async function ofEveryTenant<T>(
  prisma: ServiceDb,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  const tenants = await prisma.tenant.findMany({ select: { tenantId: true } });
  return ofTenants(
    prisma,
    tenants.map(({ tenantId }) => tenantId),
    work,
  );
}
