import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../caller/access-log';
import { changeOfTenant } from '../../caller/access-log.store';
import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofTenants } from '../../database/tenant-rows';
import { LIMITS } from '../../limits';
import { fromStored, toStored } from '../../store/rows/stored-text';
import { oneTenant } from '../../tenant-set';
import type { Declaration, Declared } from './scope';

type NewDeclaration = Declared &
  Pick<Declaration, 'serverInstanceName' | 'reason' | 'validFrom' | 'createdBy' | 'createdAt'>;

/** Keeps declarations. Each change writes its entry of the access log in its own transaction. */
export class DeclarationStore {
  constructor(private readonly service: ServiceDoor) {}

  /** Of a tenant, the oldest first, also those that have ended. */
  async list(tenantId: number): Promise<readonly Declaration[]> {
    const rows = await guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), (tx) =>
        tx.complianceDeclaration.findMany({
          where: { tenantId },
          orderBy: [{ validFrom: 'asc' }, { createdAt: 'asc' }, { declarationId: 'asc' }],
        }),
      ),
    );
    return rows.map(toDeclaration);
  }

  /** @param subject of the entry; else it is the id @returns null if the tenant has the most declarations permitted */
  insert(
    tenantId: number,
    given: NewDeclaration,
    attempt: Attempt,
    subject?: string,
  ): Promise<Declaration | null> {
    const { serverInstanceName, reason, validFrom, createdBy, createdAt, ...declared } = given;
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      const count = await tx.complianceDeclaration.count({ where: { tenantId } });
      if (count >= LIMITS.declarationsMax) return null;
      const row = await tx.complianceDeclaration.create({
        data: {
          tenantId,
          declarationId: randomUUID(),
          kind: declared.kind,
          serverInstanceName: serverInstanceName === null ? null : toStored(serverInstanceName),
          value: toStored(JSON.stringify(declared)),
          reason: toStored(reason),
          validFrom,
          validUntil: null,
          createdBy: toStored(createdBy),
          createdAt,
        },
      });
      return { value: toDeclaration(row), subject: subject ?? row.declarationId };
    });
  }

  /**
   * Ends a declaration, or ends it earlier. Once it has an end, it does not hold after that.
   * @returns null: the tenant has no such declaration; `before`: it begins later; `after`: it has an earlier end
   */
  end(
    tenantId: number,
    { declarationId, validUntil }: { readonly declarationId: string; readonly validUntil: Date },
    attempt: Attempt,
  ): Promise<Declaration | 'before' | 'after' | null> {
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      const row = await tx.complianceDeclaration.findFirst({ where: { tenantId, declarationId } });
      if (!row) return null;
      if (validUntil < row.validFrom) return 'before';
      // Another call may end it meanwhile.
      const { count } = await tx.complianceDeclaration.updateMany({
        where: { tenantId, declarationId, OR: [{ validUntil: null }, { validUntil: { gte: validUntil } }] },
        data: { validUntil },
      });
      if (count === 0) return 'after';
      return { value: toDeclaration({ ...row, validUntil }), subject: declarationId };
    });
  }
}

function toDeclaration(row: {
  readonly declarationId: string;
  readonly serverInstanceName: string | null;
  readonly value: string;
  readonly reason: string;
  readonly validFrom: Date;
  readonly validUntil: Date | null;
  readonly createdBy: string;
  readonly createdAt: Date;
}): Declaration {
  const { declarationId, serverInstanceName, value, reason, createdBy } = row;
  const { validFrom, validUntil, createdAt } = row;
  return {
    ...(JSON.parse(fromStored(value)) as Declared),
    declarationId,
    serverInstanceName: serverInstanceName === null ? null : fromStored(serverInstanceName),
    reason: fromStored(reason),
    validFrom,
    validUntil,
    createdBy: fromStored(createdBy),
    createdAt,
  };
}
