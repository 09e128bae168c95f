import { createHash, randomUUID } from 'node:crypto';
import { type Attempt, changeOf, parametersText } from '../../../caller/access-log';
import { change, insertEntries } from '../../../caller/access-log.store';
import type { Prisma, ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { ofEveryTenant, ofTenants } from '../../../database/tenant-rows';
import { partsOf } from '../../../event/agent-package';
import { LIMITS } from '../../../limits';
import { oneTenant } from '../../../tenant-set';
import type { AgentPackage, PackageOffer } from './agent-package';

/** Why a part is not taken. */
type Unfit = 'size' | 'hash';

/**
 * Stores packages of agents, in parts. What changes what agents are offered writes its entry of the access log in its own
 * transaction. The parts of a file are not offered before the last one is there, so an offer is one entry, however many
 * parts it has.
 */
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
  begin(offer: PackageOffer): Promise<AgentPackage | null> {
    return guarded(() =>
      ofEveryTenant(this.service, async (tx) => {
        const group = await tx.agentGroup.findFirst({ where: { groupId: offer.groupId } });
        if (group === null) return null;
        const { tenantId } = group;
        await remove(tx, { tenantId, groupId: offer.groupId, offeredAt: null });
        return tx.agentPackage.create({ data: { ...offer, tenantId, packageId: randomUUID() } });
      }),
    );
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
    return guarded(() =>
      ofEveryTenant(this.service, async (tx) => {
        const found = await tx.agentPackage.findFirst({ where: { packageId, offeredAt: null } });
        if (found === null) return null;
        const { tenantId, size } = found;
        const before = part * LIMITS.agentPackagePartBytes;
        if (bytes.length !== Math.min(LIMITS.agentPackagePartBytes, size - before)) return 'size';
        await tx.agentPackagePart.deleteMany({ where: { tenantId, packageId, part } });
        await tx.agentPackagePart.create({ data: { tenantId, packageId, part, bytes } });
        if ((await tx.agentPackagePart.count({ where: { tenantId, packageId } })) < partsOf(size))
          return found;
        if ((await hashOf(tx, found)) !== found.sha256) return 'hash';
        await remove(tx, { tenantId, groupId: found.groupId, offeredAt: { not: null } });
        const whole = { offeredAt: attempt.at };
        const { count } = await tx.agentPackage.updateMany({ where: { tenantId, packageId }, data: whole });
        if (count === 0) return null;
        await insertEntries(tx, [offerOf(found, attempt)]);
        return { ...found, ...whole };
      }),
    );
  }

  /** @returns null: there is no such package */
  withdraw(packageId: string, attempt: Attempt): Promise<AgentPackage | null> {
    return change(
      (run) => ofEveryTenant(this.service, run),
      attempt,
      async (tx) => {
        const found = await tx.agentPackage.findFirst({ where: { packageId } });
        if (found === null) return null;
        await remove(tx, { tenantId: found.tenantId, packageId });
        return { value: found, subject: packageId, tenantIds: [found.tenantId] };
      },
    );
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
}

/** The entry of an offer, which the last part of its file has made. */
function offerOf({ packageId, tenantId, offeredAt: _, ...offer }: AgentPackage, attempt: Attempt) {
  const named = { ...attempt, operation: 'offerAgentPackage', parameters: parametersText(offer) };
  return changeOf(named, { subject: packageId, tenantIds: [tenantId] });
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
