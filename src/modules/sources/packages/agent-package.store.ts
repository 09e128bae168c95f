import { createHash, randomUUID } from 'node:crypto';
import type { Attempt } from '../../../caller/access-log';
import { change } from '../../../caller/access-log.store';
import type { Prisma, ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/failure';
import { ofEveryTenant, ofTenants } from '../../../database/tenant-rows';
import { partsOf } from '../../../event/agent-package';
import { LIMITS } from '../../../limits';
import { oneTenant } from '../../../tenant-set';
import type { AgentPackage, PackageOffer } from './agent-package';

/** Why a part is not taken. */
type Unfit = 'size' | 'hash';

/** Stores packages of agents, in parts. Each change writes its entry of the access log in its own transaction. */
export class AgentPackageStore {
  constructor(private readonly service: ServiceDoor) {}

  /** By tenant and group. @param tenantId null: of every tenant */
  async list(tenantId: number | null): Promise<readonly AgentPackage[]> {
    const find = (tx: Prisma.TransactionClient) =>
      tx.agentPackage.findMany({
        where: tenantId === null ? {} : { tenantId },
        orderBy: [{ tenantId: 'asc' }, { groupId: 'asc' }, { packageId: 'asc' }],
      });
    return guarded(() =>
      tenantId === null
        ? ofEveryTenant(this.service, find)
        : ofTenants(this.service, oneTenant(tenantId), find),
    );
  }

  /** Begins an offer: its file follows in parts. One that was begun before for the group goes. @returns null: no such group */
  begin(offer: PackageOffer, attempt: Attempt): Promise<AgentPackage | null> {
    return this.#change<never>(attempt, async (tx) => {
      const group = await tx.agentGroup.findFirst({ where: { groupId: offer.groupId } });
      if (group === null) return null;
      const { tenantId } = group;
      await remove(tx, { tenantId, groupId: offer.groupId, offeredAt: null });
      return tx.agentPackage.create({ data: { ...offer, tenantId, packageId: randomUUID() } });
    });
  }

  /**
   * Adds a part. With the last one the package is offered, and takes the place of the one that was offered to the group.
   * @returns null: there is no such package, or its file is whole
   */
  add(
    packageId: string,
    { part, bytes }: { readonly part: number; readonly bytes: Uint8Array<ArrayBuffer> },
    attempt: Attempt,
  ): Promise<AgentPackage | Unfit | null> {
    return this.#change<Unfit>(attempt, async (tx) => {
      const found = await tx.agentPackage.findFirst({ where: { packageId, offeredAt: null } });
      if (found === null) return null;
      const { tenantId, size } = found;
      const before = part * LIMITS.agentPackagePartBytes;
      if (bytes.length !== Math.min(LIMITS.agentPackagePartBytes, size - before)) return 'size';
      await tx.agentPackagePart.deleteMany({ where: { tenantId, packageId, part } });
      await tx.agentPackagePart.create({ data: { tenantId, packageId, part, bytes } });
      if ((await tx.agentPackagePart.count({ where: { tenantId, packageId } })) < partsOf(size)) return found;
      if ((await hashOf(tx, found)) !== found.sha256) return 'hash';
      await remove(tx, { tenantId, groupId: found.groupId, offeredAt: { not: null } });
      const whole = { offeredAt: attempt.at };
      const { count } = await tx.agentPackage.updateMany({ where: { tenantId, packageId }, data: whole });
      return count === 0 ? null : { ...found, ...whole };
    });
  }

  /** @returns null: there is no such package */
  withdraw(packageId: string, attempt: Attempt): Promise<AgentPackage | null> {
    return this.#change<never>(attempt, async (tx) => {
      const found = await tx.agentPackage.findFirst({ where: { packageId } });
      if (found === null) return null;
      await remove(tx, { tenantId: found.tenantId, packageId });
      return found;
    });
  }

  /** A part of a package that is offered to a group of the tenant; null: there is none. */
  async part(tenantId: number, packageId: string, part: number): Promise<Uint8Array | null> {
    return guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), async (tx) => {
        const where = { tenantId, packageId };
        const found = await tx.agentPackage.findFirst({ where: { ...where, offeredAt: { not: null } } });
        if (found === null) return null;
        const row = await tx.agentPackagePart.findFirst({ where: { ...where, part } });
        return row?.bytes ?? null;
      }),
    );
  }

  #change<S extends string>(
    attempt: Attempt,
    work: (tx: Prisma.TransactionClient) => Promise<AgentPackage | S | null>,
  ): Promise<AgentPackage | S | null> {
    return change(
      (run) => ofEveryTenant(this.service, run),
      attempt,
      async (tx) => {
        const after = await work(tx);
        if (after === null || typeof after === 'string') return after;
        return { value: after, subject: after.packageId, tenantIds: [after.tenantId] };
      },
    ) as Promise<AgentPackage | S | null>;
  }
}

/** Removes packages of a tenant with their parts. */
export async function remove(
  tx: Prisma.TransactionClient,
  where: Prisma.AgentPackageWhereInput & { readonly tenantId: number },
): Promise<void> {
  const found = await tx.agentPackage.findMany({ where, select: { packageId: true } });
  const these = { tenantId: where.tenantId, packageId: { in: found.map(({ packageId }) => packageId) } };
  await tx.agentPackagePart.deleteMany({ where: these });
  await tx.agentPackage.deleteMany({ where: these });
}

async function hashOf(tx: Prisma.TransactionClient, { tenantId, packageId, size }: AgentPackage) {
  const hash = createHash('sha256');
  for (let part = 0; part < partsOf(size); part++) {
    const row = await tx.agentPackagePart.findFirst({ where: { tenantId, packageId, part } });
    hash.update(row?.bytes ?? '');
  }
  return hash.digest('hex');
}
