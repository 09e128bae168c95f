import type { TenantStore } from '../../caller/tenant.store';
import type { AuditSource } from './audit-source';
import type { AuditSourceStore } from './audit-source.store';
import { type AgentGroup, groupOf, runsSettings } from './groups/agent-group';
import type { AgentGroupStore } from './groups/agent-group.store';
import { type AgentPackage, packageOf, packageStateOf } from './packages/agent-package';
import type { AgentPackageStore } from './packages/agent-package.store';

/** Hosts whose agent does not run what the service wants. */
export interface NotFollowing {
  readonly settings: number;
  readonly package: number;
}

/** @param groups in the order in which they count @param inUse the tenants that are not disabled */
export function notFollowing(
  sources: readonly AuditSource[],
  groups: readonly AgentGroup[],
  packages: readonly AgentPackage[],
  inUse: ReadonlySet<number>,
): NotFollowing {
  const hosts = new Map<string, AuditSource>();
  for (const source of sources) {
    if (source.retiredAt !== null || !inUse.has(source.tenantId)) continue;
    const host = `${source.tenantId} ${source.hostName}`;
    const before = hosts.get(host);
    // The sources of a host are of one agent: that which reported last knows most.
    if (before === undefined || before.lastReported < source.lastReported) hosts.set(host, source);
  }
  let [settings, offered] = [0, 0];
  for (const source of hosts.values()) {
    const own = groups.filter(({ tenantId }) => tenantId === source.tenantId);
    const group = groupOf(own, source.hostName);
    if (group === null) continue;
    if (!runsSettings(source, group)) settings += 1;
    const { wantedPackage, packageState } = packageStateOf(source, packageOf(packages, group));
    if (wantedPackage !== null && packageState !== 'INSTALLED') offered += 1;
  }
  return { settings, package: offered };
}

export const readNotFollowing = async (stores: {
  readonly sources: Pick<AuditSourceStore, 'sources'>;
  readonly groups: Pick<AgentGroupStore, 'list'>;
  readonly packages: Pick<AgentPackageStore, 'list'>;
  readonly tenants: Pick<TenantStore, 'list'>;
}): Promise<NotFollowing> => {
  const groups = await stores.groups.list(null);
  if (groups.length === 0) return { settings: 0, package: 0 };
  const [packages, tenants] = [await stores.packages.list(null), await stores.tenants.list()];
  const inUse = new Set(
    tenants.filter(({ disabledAt }) => disabledAt === null).map(({ tenantId }) => tenantId),
  );
  return notFollowing(await stores.sources.sources(null), groups, packages, inUse);
};
