import type { Attempt } from '../../../caller/access-log';
import { change } from '../../../caller/access-log.store';
import type { Tenant, TenantWithRetention } from '../../../caller/tenant.store';
import { type OwnerDoor, type Prisma, type ServiceDoor, stepIn } from '../../../database/clients';
import { TenantRounds } from '../../../database/distribute/tenant-rounds';
import { guarded } from '../../../database/limited';
import { ofEveryTenant, ofTenants } from '../../../database/tenant-rows';
import { TICKS_PER_MS } from '../../../event/event-time';
import { recordIdFloor } from '../../../event/record-id';
import { sealedIn } from '../../../store/archive/archive';
import { askBy } from '../../../store/columns/counter';
import { forgetValues } from '../../../store/counts/remove-events';
import { partitionNames, weeksOfPartition } from '../../../store/rows/partitions';
import { oneTenant } from '../../../tenant-set';
import { dropWeek } from './drop-week';
import { previewOf, type RetentionPreview } from './preview';
import { expiredWeeks, removeSealedWeek } from './remove-sealed';
import { removeMarkedStep, removeStep } from './remove-step';
import type { RetentionRun, RetentionStore, RunningRetention, StoredWeek } from './retention-store';

export class PostgresRetentionStore implements RetentionStore {
  private readonly rounds: TenantRounds;

  /** @param background a client without time limits */
  constructor(
    private readonly service: ServiceDoor,
    private readonly owner: OwnerDoor,
  ) {
    this.rounds = new TenantRounds(owner);
  }

  setDays(tenantId: number, retentionDays: number | null, attempt: Attempt): Promise<Tenant | null> {
    return change(
      (run) => this.service.models.$transaction(run),
      attempt,
      async (tx) => {
        const { count } = await tx.tenant.updateMany({ where: { tenantId }, data: { retentionDays } });
        if (count === 0) return null;
        const value = await tx.tenant.findUnique({ where: { tenantId } });
        return { value, subject: String(tenantId), tenantIds: [tenantId] };
      },
    );
  }

  preview(tenantId: number, beforeMs: number): Promise<RetentionPreview | null> {
    return guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), async (tx) => {
        const tenant = await tx.tenant.findUnique({ where: { tenantId }, select: { tenantId: true } });
        const sealed = sealedIn(this.service, askBy(stepIn(tx)));
        return tenant && previewOf(tx, tenantId, beforeMs, sealed);
      }),
    );
  }

  async tenantsWithRetention(): Promise<readonly TenantWithRetention[]> {
    return this.rounds.ask(
      (of) =>
        this.owner.models.$queryRawUnsafe<TenantWithRetention[]>(
          `SELECT tenant_id AS "tenantId", retention_days AS "retentionDays" FROM tenant
         WHERE retention_days IS NOT NULL AND ${of('tenant_id')} ORDER BY tenant_id`,
        ),
      'in use',
    );
  }

  async weeks(): Promise<readonly StoredWeek[]> {
    return [...(await partitionNames(this.owner.models))].flatMap((name) => weeksOfPartition(name) ?? []);
  }

  dropWeek(week: StoredWeek, daysMax: number, run: RunningRetention) {
    return dropWeek(this.owner, week, daysMax, run);
  }

  expiredWeeks(tenantId: number, beforeMs: number) {
    return expiredWeeks(this.owner, tenantId, recordIdFloor(BigInt(beforeMs) * TICKS_PER_MS));
  }

  removeSealedWeek(tenant: TenantWithRetention, week: number, beforeMs: number, run: RunningRetention) {
    return removeSealedWeek(this.owner, tenant, week, beforeMs, run);
  }

  removeStep(tenant: TenantWithRetention, range: { from: string; beforeMs: number }, run: RunningRetention) {
    return removeStep(this.owner, tenant, range, run);
  }

  removeMarkedStep(tenant: TenantWithRetention, beforeMs: number, run: RunningRetention) {
    return removeMarkedStep(this.owner, tenant, beforeMs, run);
  }

  async forgetValues(tenantId: number): Promise<void> {
    await forgetValues(this.owner, tenantId);
  }

  async runs(tenantId: number | null, limit: number): Promise<readonly RetentionRun[]> {
    const find = (tx: Prisma.TransactionClient) =>
      tx.retentionRun.findMany({
        where: tenantId === null ? {} : { tenantId },
        orderBy: [{ startedAt: 'desc' }, { tenantId: 'asc' }],
        take: limit,
        omit: { byArrival: true },
      });
    const found = await guarded(() =>
      tenantId === null
        ? ofEveryTenant(this.service, find)
        : ofTenants(this.service, oneTenant(tenantId), find),
    );
    return found.map((row) => ({ ...row, events: Number(row.events) }));
  }
}
