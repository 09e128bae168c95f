import type { ServiceDoor } from '../database/clients';
import { guarded } from '../database/failure';
import type { Attempt } from './access-log';
import { change } from './access-log.store';

export interface Tenant {
  readonly tenantId: number;
  readonly name: string;
  readonly createdAt: Date;
  /** Days its events are kept; null: for ever. */
  readonly retentionDays: number | null;
}

/** A tenant whose events are kept for a number of days. */
export interface TenantWithRetention {
  readonly tenantId: number;
  readonly retentionDays: number;
}

/** Port: stores tenants. */
export interface TenantStore {
  /** Also writes its entry of the access log. @param retentionDays null: events are kept for ever */
  create(name: string, retentionDays: number | null, attempt: Attempt): Promise<Tenant>;
  list(): Promise<readonly Tenant[]>;
  /** @returns those of the ids that exist */
  existing(tenantIds: readonly number[]): Promise<readonly number[]>;
}

export class PostgresTenantStore implements TenantStore {
  constructor(private readonly service: ServiceDoor) {}

  create(name: string, retentionDays: number | null, attempt: Attempt): Promise<Tenant> {
    return change(
      (run) => this.service.models.$transaction(run),
      attempt,
      async (tx) => {
        const value = await tx.tenant.create({ data: { name, retentionDays } });
        return { value, subject: String(value.tenantId), tenantIds: [value.tenantId] };
      },
    );
  }

  list(): Promise<readonly Tenant[]> {
    return guarded(() => this.service.models.tenant.findMany({ orderBy: { tenantId: 'asc' } }));
  }

  async existing(tenantIds: readonly number[]): Promise<readonly number[]> {
    const found = await guarded(() =>
      this.service.models.tenant.findMany({
        where: { tenantId: { in: [...tenantIds] } },
        select: { tenantId: true },
      }),
    );
    return found.map((tenant) => tenant.tenantId);
  }
}
