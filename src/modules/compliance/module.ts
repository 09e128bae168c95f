import { CallTenants } from '../../caller/call-tenants';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { TenantStore } from '../../caller/tenant.store';
import type { ServiceDoor } from '../../database/clients';
import type { DeclaredHours } from '../../event/working-hours';
import type { Module } from '../../module';
import type { TenantSet } from '../../tenant-set';
import { Assessments } from './assessment';
import { ComplianceResolver } from './compliance.resolver';
import { type Coverage, coverageOf } from './coverage';
import { DeclarationResolver } from './declaration.resolver';
import { DeclarationStore } from './declaration.store';
import type { Questions } from './questions';
import { type SensitiveOfTenant, sensitiveOf, workingHoursOf } from './scope';

/** Compliance health: what the events of a server instance, and what operators declare, say of controls. */
export function complianceModule(parts: {
  readonly service: ServiceDoor;
  readonly tenants: Pick<TenantStore, 'existing' | 'list'>;
  readonly ask: Questions;
  readonly fairShare: Pick<FairShare, 'run'>;
  readonly nowMs: () => number;
}): Module &
  Pick<Assessments, 'itemsOf'> & {
    readonly coverage: Coverage;
    readonly workingHours: (tenants: TenantSet, atMs: number) => Promise<readonly DeclaredHours[]>;
    readonly sensitive: (tenants: TenantSet, atMs: number) => Promise<readonly SensitiveOfTenant[]>;
  } {
  const { service, tenants, ask, fairShare, nowMs } = parts;
  const declarations = new DeclarationStore(service);
  const assessments = new Assessments(service, ask, declarations, nowMs);
  return {
    resolvers: [
      new ComplianceResolver(assessments, fairShare, nowMs),
      new DeclarationResolver(declarations, new CallTenants(tenants), nowMs),
    ],
    workingHours: async (of, atMs) => {
      const all: DeclaredHours[] = [];
      for (const tenantId of of) all.push(...workingHoursOf(await declarations.list(tenantId), atMs));
      return all;
    },
    sensitive: async (of, atMs) => {
      const all: SensitiveOfTenant[] = [];
      for (const tenantId of of) all.push(...sensitiveOf(tenantId, await declarations.list(tenantId), atMs));
      return all;
    },
    coverage: coverageOf({ assessments, fairShare, nowMs }),
    itemsOf: (framework, of, asOf) => assessments.itemsOf(framework, of, asOf),
  };
}
