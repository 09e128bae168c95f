import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../../caller/access-log';
import { change, changeOfTenant } from '../../../caller/access-log.store';
import type { Prisma, ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { ofEveryTenant, ofTenants } from '../../../database/tenant-rows';
import type { WantedSettings } from '../../../event/agent-settings';
import { LIMITS } from '../../../limits';
import { oneTenant } from '../../../tenant-set';
import { remove } from '../packages/agent-package.store';
import { type AgentGroup, type GroupChange, NOTHING_WANTED, settingsAfter } from './agent-group';
import { databaseProblems } from './answers';

/** Stores groups of agents. Each change writes its entry of the access log in its own transaction. */
export class AgentGroupStore {
  constructor(private readonly service: ServiceDoor) {}

  /** By tenant, in the order in which they count. @param tenantId null: of every tenant */
  async list(tenantId: number | null): Promise<readonly AgentGroup[]> {
    const find = (tx: Prisma.TransactionClient) =>
      tx.agentGroup.findMany({
        where: tenantId === null ? {} : { tenantId },
        orderBy: [{ tenantId: 'asc' }, { position: 'asc' }, { groupId: 'asc' }],
      });
    const rows = await guarded(() =>
      tenantId === null
        ? ofEveryTenant(this.service, find)
        : ofTenants(this.service, oneTenant(tenantId), find),
    );
    return rows.map(toGroup);
  }

  /** @returns null: no such tenant; `too many`: the tenant has the most groups permitted */
  create(
    tenantId: number,
    asked: GroupChange & { readonly name: string; readonly hosts: readonly string[] },
    attempt: Attempt,
  ): Promise<AgentGroup | 'too many' | null> {
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      const version = await nextVersion(tx, tenantId);
      if (version === null) return null;
      const { _count, _max } = await tx.agentGroup.aggregate({
        where: { tenantId },
        _count: true,
        _max: { position: true },
      });
      if (_count >= LIMITS.agentGroupsMax) return 'too many';
      const row = await tx.agentGroup.create({
        data: {
          tenantId,
          version,
          groupId: randomUUID(),
          name: asked.name,
          position: asked.position ?? (_max.position ?? 0) + 1,
          hosts: JSON.stringify(asked.hosts),
          settings: JSON.stringify(settingsAfter(NOTHING_WANTED, asked)),
          changedAt: attempt.at,
        },
      });
      return { value: toGroup(row), subject: row.groupId };
    });
  }

  /** @returns null: there is no such group; `conflict`: a database would be both on and off */
  update(groupId: string, asked: GroupChange, attempt: Attempt): Promise<AgentGroup | 'conflict' | null> {
    return this.#change(groupId, attempt, async (tx, { tenantId }) => {
      const version = await nextVersion(tx, tenantId);
      // The tenant's row is locked now: this is what the change before has left.
      const before = await tx.agentGroup.findFirst({ where: { tenantId, groupId } });
      if (before === null || version === null) return null;
      const settings = settingsAfter(toGroup(before).settings, asked);
      if (databaseProblems(settings).length > 0) return 'conflict';
      const data = {
        version,
        name: asked.name ?? before.name,
        position: asked.position ?? before.position,
        hosts: asked.hosts ? JSON.stringify(asked.hosts) : before.hosts,
        settings: JSON.stringify(settings),
        changedAt: attempt.at,
      };
      const { count } = await tx.agentGroup.updateMany({ where: { tenantId, groupId }, data });
      return count === 0 ? null : { ...before, ...data };
    });
  }

  /** @returns null: there is no such group */
  delete(groupId: string, attempt: Attempt): Promise<AgentGroup | null> {
    return this.#change<never>(groupId, attempt, async (tx, found) => {
      await remove(tx, { tenantId: found.tenantId, groupId });
      const { count } = await tx.agentGroup.deleteMany({ where: { tenantId: found.tenantId, groupId } });
      return count === 0 ? null : found;
    });
  }

  #change<S extends string>(
    groupId: string,
    attempt: Attempt,
    work: (tx: Prisma.TransactionClient, found: Row) => Promise<Row | S | null>,
  ): Promise<AgentGroup | S | null> {
    return change(
      (run) => ofEveryTenant(this.service, run),
      attempt,
      async (tx) => {
        const found = await tx.agentGroup.findFirst({ where: { groupId } });
        const after = found && (await work(tx, found));
        if (after === null || typeof after === 'string') return after;
        return { value: toGroup(after), subject: groupId, tenantIds: [after.tenantId] };
      },
    ) as Promise<AgentGroup | S | null>;
  }
}

/** Changes of one tenant's groups take turns by this. @returns null: there is no such tenant */
async function nextVersion(tx: Prisma.TransactionClient, tenantId: number): Promise<number | null> {
  await tx.tenant.updateMany({ where: { tenantId }, data: { agentGroupsVersion: { increment: 1 } } });
  const row = await tx.tenant.findUnique({ where: { tenantId }, select: { agentGroupsVersion: true } });
  return row?.agentGroupsVersion ?? null;
}

type Row = Prisma.AgentGroupGetPayload<Record<string, never>>;

const toGroup = ({ hosts, settings, ...row }: Row): AgentGroup => ({
  ...row,
  hosts: JSON.parse(hosts) as string[],
  settings: { ...NOTHING_WANTED, ...(JSON.parse(settings) as Partial<WantedSettings>) },
});
