import type { Tenant, TenantStore } from '../tenant/tenant-store';
import type { PrismaClient } from './database';
import { guarded } from './failure';

export class PostgresTenantStore implements TenantStore {
  constructor(private readonly prisma: PrismaClient) {}

  create(name: string, retentionDays: number | null = null): Promise<Tenant> {
    return guarded(() => this.prisma.tenant.create({ data: { name, retentionDays } }));
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
