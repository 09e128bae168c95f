import type { AuditEventFilter } from '../../event/query';
import type { Answer } from '../../event/shape';
import type { EventGroup } from '../../store/columns/groups';
import type { TenantSet } from '../../tenant-set';
import type { OPEN_INCIDENTS } from './answers';

/** A database, a schema or an object that operators declare sensitive. Null: all within the name before. */
export interface SensitiveObject {
  readonly tenantId: number;
  /** Null: of every server instance. */
  readonly serverInstanceName: string | null;
  readonly databaseName: string;
  readonly schemaName: string | null;
  readonly objectName: string | null;
}

type Grouped = 'serverPrincipalName' | 'hostName' | 'applicationName';
type Counted = 'actionId' | 'serverInstanceName' | Grouped;

/** What is asked of other modules. */
export interface Questions {
  readonly facets: (
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: { readonly fields: readonly Counted[]; readonly limit: number; readonly contains: null },
  ) => Promise<{
    readonly totalCount: number;
    readonly facets: readonly {
      readonly distinct: number | null;
      readonly values:
        | readonly { readonly value: string | null; readonly succeeded: number; readonly failed: number }[]
        | null;
    }[];
  }>;
  readonly histogram: (
    tenants: TenantSet,
    filter: AuditEventFilter,
    bucketsMax: number,
  ) => Promise<{
    readonly buckets: readonly { readonly to: bigint; readonly succeeded: number; readonly failed: number }[];
  }>;
  readonly groups: (
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: {
      readonly fields: readonly [Grouped];
      readonly before: null;
      readonly sumOf: null;
      readonly by: 'count';
      readonly descending: boolean;
      readonly limit: number;
    },
  ) => Promise<{ readonly groups: readonly EventGroup[] }>;
  readonly sources: (tenants: TenantSet) => Promise<readonly { readonly state: string }[]>;
  /** The number of gaps that touch a range. */
  readonly gaps: (
    tenants: TenantSet,
    range: { readonly from: string; readonly to: string },
  ) => Promise<number>;
  readonly sensitive: (tenants: TenantSet, atMs: number) => Promise<readonly SensitiveObject[]>;
  /** The most severe first. */
  readonly incidents: (tenants: TenantSet) => Promise<readonly Answer<typeof OPEN_INCIDENTS>[]>;
}
