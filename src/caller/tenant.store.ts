import type { ServiceDb } from '../database/clients';
import { guarded } from '../database/failure';
import { type Attempt, changeOf } from './access-entry';
import { insertEntries } from './access-log.store';
import type { Tenant, TenantStore } from './tenant-store';

export class PostgresTenantStore implements TenantStore {
  constructor(private readonly prisma: ServiceDb) {}

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
