import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../../caller/access-log';
import { change, changeOfTenant } from '../../../caller/access-log.store';
import { Prisma, type ServiceDoor } from '../../../database/clients';
import { isFailure } from '../../../database/failure';
import { guarded } from '../../../database/limited';
import { ofEveryTenant, ofTenants } from '../../../database/tenant-rows';
import { DomainError } from '../../../errors';
import { LIMITS } from '../../../limits';
import { fromStored, toStored } from '../../../store/rows/stored-text';
import { oneTenant, type TenantSet } from '../../../tenant-set';
import { beforeHolding } from './held';

interface HoldSpec {
  readonly tenantId: number;
  /** Null: every event. */
  readonly filter: string | null;
  readonly reason: string;
  /** Null: until somebody ends it. */
  readonly until: Date | null;
}

export interface Hold extends HoldSpec {
  readonly holdId: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly endedBy: string | null;
  readonly endedReason: string | null;
}

export const isInForce = ({ endedAt, until }: Pick<Hold, 'endedAt' | 'until'>, nowMs: number): boolean =>
  endedAt === null && (until === null || until.getTime() > nowMs);

const inForce = (at: Date) =>
  ({
    endedAt: null,
    OR: [{ untilTime: null }, { untilTime: { gt: at } }],
  }) satisfies Prisma.LegalHoldWhereInput;

/** Stores holds. Each change writes its entry of the access log in its own transaction. */
export class HoldStore {
  constructor(private readonly service: ServiceDoor) {}

  /** Those that nobody has ended first, then newest first. @param tenantId null: of every tenant */
  async list(tenantId: number | null, take: number): Promise<readonly Hold[]> {
    const find = (tx: Prisma.TransactionClient) =>
      tx.legalHold.findMany({
        where: tenantId === null ? {} : { tenantId },
        orderBy: [{ endedAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }, { holdId: 'asc' }],
        take,
      });
    const rows = await guarded(() =>
      tenantId === null
        ? ofEveryTenant(this.service, find)
        : ofTenants(this.service, oneTenant(tenantId), find),
    );
    return rows.map(toHold);
  }

  /** The holds in force of some tenants, newest first, as many as one answer has. */
  async inForce(tenants: TenantSet, at: Date): Promise<readonly Hold[]> {
    const rows = await guarded(() =>
      ofTenants(this.service, tenants, (tx) =>
        tx.legalHold.findMany({
          where: { tenantId: { in: [...tenants] }, ...inForce(at) },
          orderBy: [{ createdAt: 'desc' }, { holdId: 'asc' }],
          take: LIMITS.holdsShownMax,
        }),
      ),
    );
    return rows.map(toHold);
  }

  /** The number of all holds in force of some tenants. */
  countInForce(tenants: TenantSet, at: Date): Promise<number> {
    return guarded(() =>
      ofTenants(this.service, tenants, (tx) =>
        tx.legalHold.count({ where: { tenantId: { in: [...tenants] }, ...inForce(at) } }),
      ),
    );
  }

  /** The number of holds in force of each tenant that has any. */
  async counts(at: Date): Promise<ReadonlyMap<number, number>> {
    const rows = await guarded(() =>
      ofEveryTenant(this.service, (tx) =>
        tx.legalHold.groupBy({ by: ['tenantId'], where: inForce(at), _count: true }),
      ),
    );
    return new Map(rows.map(({ tenantId, _count }) => [tenantId, _count]));
  }

  /**
   * From the answer on, retention removes nothing that the hold keeps.
   * @returns null: no such tenant; `too many`: the tenant has the most holds permitted
   * @throws DomainError `service_unavailable` while retention removes events of the tenant
   */
  create(spec: HoldSpec, by: string, attempt: Attempt): Promise<Hold | 'too many' | null> {
    const { tenantId, until: untilTime } = spec;
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      if (!(await tx.tenant.findUnique({ where: { tenantId }, select: { tenantId: true } }))) return null;
      await beforeHolding(tx, tenantId, LIMITS.holdWaitMs).catch((cause: unknown) => {
        throw isFailure(cause, 'lock_not_available') ? removing(cause) : cause;
      });
      const count = await tx.legalHold.count({ where: { tenantId, ...inForce(attempt.at) } });
      if (count >= LIMITS.holdsInForceMax) return 'too many';
      const row = await tx.legalHold.create({
        data: {
          tenantId,
          untilTime,
          holdId: randomUUID(),
          filter: toStored(spec.filter ?? ''),
          reason: toStored(spec.reason),
          createdBy: toStored(by),
          createdAt: attempt.at,
        },
      });
      return { value: toHold(row), subject: row.holdId };
    });
  }

  /** @returns null: there is no such hold; `ended`: it has ended already */
  end(
    holdId: string,
    ended: { readonly reason: string; readonly by: string },
    attempt: Attempt,
  ): Promise<Hold | 'ended' | null> {
    return change(
      (run) => ofEveryTenant(this.service, run),
      attempt,
      async (tx) => {
        const found = await tx.legalHold.findFirst({ where: { holdId } });
        if (!found) return null;
        const { tenantId } = found;
        const data = {
          endedAt: attempt.at,
          endedBy: toStored(ended.by),
          endedReason: toStored(ended.reason),
        };
        const { count } = await tx.legalHold.updateMany({ where: { tenantId, holdId, endedAt: null }, data });
        if (count === 0) return 'ended';
        return { value: toHold({ ...found, ...data }), subject: holdId, tenantIds: [tenantId] };
      },
    );
  }
}

const removing = (cause: unknown) =>
  new DomainError('service_unavailable', {
    public: 'Retention removes events of the tenant at this moment. Nothing was held: try again.',
    retryAfterSeconds: 5,
    cause,
  });

type Row = Prisma.LegalHoldGetPayload<Record<string, never>>;

function toHold({ untilTime, filter, ...row }: Row): Hold {
  return {
    ...row,
    until: untilTime,
    filter: filter === '' ? null : fromStored(filter),
    reason: fromStored(row.reason),
    createdBy: fromStored(row.createdBy),
    endedBy: row.endedBy === null ? null : fromStored(row.endedBy),
    endedReason: row.endedReason === null ? null : fromStored(row.endedReason),
  };
}
