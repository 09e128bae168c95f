import { type Attempt, changeOf } from './access-entry';
import type { Tenant, TenantStore } from './tenant-store';
import { insertEntries } from './access-log.store';
import type { PrismaClient } from '../database/database';
import { guarded } from '../database/failure';

export class PostgresTenantStore implements TenantStore {
  constructor(private readonly prisma: PrismaClient) {}

  create(name: string, retentionDays: number | null, attempt: Attempt): Promise<Tenant> {
    return guarded(() =>
      this.prisma.$transaction(async (tx) => {
        const tenant = await tx.tenant.create({ data: { name, retentionDays } });
        const { tenantId } = tenant;
        await insertEntries(tx, [changeOf(attempt, { subject: String(tenantId), tenantIds: [tenantId] })]);
        return tenant;
      }),
    );
  }

  list(): Promise<readonly Tenant[]> {
    return guarded(() => this.prisma.tenant.findMany({ orderBy: { tenantId: 'asc' } }));
  }

  async existing(tenantIds: readonly number[]): Promise<readonly number[]> {
    const found = await guarded(() =>
      this.prisma.tenant.findMany({
        where: { tenantId: { in: [...tenantIds] } },
        select: { tenantId: true },
      }),
    );
    return found.map((tenant) => tenant.tenantId);
  }
}
