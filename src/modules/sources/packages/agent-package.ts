import type { PackageFacts, PackageState } from '../../../event/agent-package';
import type { AuditSource } from '../audit-source';
import { type AgentGroup, groupOf } from '../groups/agent-group';

/** A package as an operator offers it. */
export interface PackageOffer extends PackageFacts {
  readonly groupId: string;
  readonly signature: string;
  /** Null: at any time. */
  readonly window: string | null;
}

export interface AgentPackage extends PackageOffer {
  readonly tenantId: number;
  readonly packageId: string;
  /** Null: its file is not here as a whole. */
  readonly offeredAt: Date | null;
}

/** The package that is offered to a group; null: none is. @param packages of the group's tenant */
export const packageOf = (packages: readonly AgentPackage[], group: AgentGroup | null): AgentPackage | null =>
  packages.find(({ groupId, offeredAt }) => offeredAt !== null && groupId === group?.groupId) ?? null;

/** What a source shows of the package that its agent is offered. */
export function packageStateOf(source: Pick<AuditSource, 'package'>, offered: AgentPackage | null) {
  if (offered === null) return { wantedPackage: null, packageState: null, packageReason: null };
  const told = source.package?.sha256 === offered.sha256 ? source.package : null;
  return {
    wantedPackage: offered.version,
    packageState: told?.state ?? ('OFFERED' as const),
    packageReason: told?.reason ?? null,
  };
}

/** How many hosts of a package's group have come to an end with it. @param groups of the package's tenant, in their order */
export function followingOf(
  offered: AgentPackage,
  sources: readonly AuditSource[],
  groups: readonly AgentGroup[],
) {
  const latest = new Map<string, { readonly at: Date; readonly state: PackageState }>();
  for (const source of sources) {
    const { hostName, retiredAt, tenantId } = source;
    if (tenantId !== offered.tenantId || retiredAt !== null) continue;
    if (groupOf(groups, hostName)?.groupId !== offered.groupId) continue;
    const { packageState: state } = packageStateOf(source, offered);
    // The sources of a host are of one agent: that which reported last knows most.
    const before = latest.get(hostName);
    if (before !== undefined && before.at >= source.lastReported) continue;
    latest.set(hostName, { at: source.lastReported, state: state ?? 'OFFERED' });
  }
  const count = (state: PackageState) => [...latest.values()].filter((one) => one.state === state).length;
  return {
    hosts: latest.size,
    installed: count('INSTALLED'),
    takenBack: count('TAKEN_BACK'),
    refused: count('REFUSED'),
  };
}
