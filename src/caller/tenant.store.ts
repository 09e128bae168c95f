import type { Prisma, ServiceDoor } from '../database/clients';
import { guarded } from '../database/limited';
import type { Attempt } from './access-log';
import { change } from './access-log.store';
import { tellOthers } from './key.store';

export interface Tenant {
  readonly tenantId: number;
  readonly name: string;
  readonly createdAt: Date;
  /** Days its events are kept; null: for ever. */
  readonly retentionDays: number | null;
  /** When an operator disabled it; null: it is in use. */
  readonly disabledAt: Date | null;
  readonly disabledReason: string | null;
  /** Whether literals of statements are masked for those without the scope `unmask`. */
  readonly masksStatements: boolean;
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
  /** Also writes its entry of the access log. @returns null: no such tenant */
  rename(tenantId: number, name: string, attempt: Attempt): Promise<Tenant | null>;
  /**
   * Disables a tenant, or enables it again, and tells the other instances; also writes its entry of the access log. One
   * that is disabled already keeps its time. @param disabled null: enables it @returns null: no such tenant
   */
  setDisabled(
    tenantId: number,
    disabled: { readonly at: Date; readonly reason: string } | null,
    attempt: Attempt,
  ): Promise<Tenant | null>;
  /** The tenants that are disabled. @param only asks about one tenant, and only the node that has its rows */
  disabled(only?: number): Promise<readonly number[]>;
  /** The tenants whose statements are masked. @param only as of `disabled` */
  masked(only?: number): Promise<readonly number[]>;
  /** Also writes its entry of the access log. @returns null: there is no such tenant */
  setMasking(tenantId: number, masksStatements: boolean, attempt: Attempt): Promise<Tenant | null>;
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

  setMasking(tenantId: number, masksStatements: boolean, attempt: Attempt): Promise<Tenant | null> {
    return this.#change(tenantId, attempt, (tx) =>
      tx.tenant.updateMany({ where: { tenantId }, data: { masksStatements } }),
    );
  }

  masked(only?: number): Promise<readonly number[]> {
    return this.#idsOf({ masksStatements: true }, only);
  }

  rename(tenantId: number, name: string, attempt: Attempt): Promise<Tenant | null> {
    return this.#change(tenantId, attempt, (tx) =>
      tx.tenant.updateMany({ where: { tenantId }, data: { name } }),
    );
  }

  setDisabled(
    tenantId: number,
    disabled: { readonly at: Date; readonly reason: string } | null,
    attempt: Attempt,
  ): Promise<Tenant | null> {
    return this.#change(tenantId, attempt, async (tx) => {
      if (disabled !== null)
        await tx.tenant.updateMany({
          where: { tenantId, disabledAt: null },
          data: { disabledAt: disabled.at },
        });
      const data =
        disabled === null ? { disabledAt: null, disabledReason: null } : { disabledReason: disabled.reason };
      await tx.tenant.updateMany({ where: { tenantId }, data });
      await tellOthers(tx);
    });
  }

  disabled(only?: number): Promise<readonly number[]> {
    return this.#idsOf({ disabledAt: { not: null } }, only);
  }

  async #idsOf(where: Prisma.TenantWhereInput, only: number | undefined): Promise<readonly number[]> {
    const found = await guarded(() =>
      this.service.models.tenant.findMany({
        where: { ...where, ...(only !== undefined && { tenantId: only }) },
        select: { tenantId: true },
      }),
    );
    return found.map(({ tenantId }) => tenantId);
  }

  #change(
    tenantId: number,
    attempt: Attempt,
    work: (tx: Prisma.TransactionClient) => Promise<unknown>,
  ): Promise<Tenant | null> {
    return change(
      (run) => this.service.models.$transaction(run),
      attempt,
      async (tx) => {
        await work(tx);
        const value = await tx.tenant.findUnique({ where: { tenantId } });
        return value && { value, subject: String(tenantId), tenantIds: [tenantId] };
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
