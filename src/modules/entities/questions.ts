import type { AuditEventFilter } from '../../event/query';
import type { Answer } from '../../event/shape';
import type { EventGroup } from '../../store/columns/groups';
import type { AuditEventReader, StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { TenantSet } from '../../tenant-set';
import type { ENTITY_ALERT, RelatedField } from './answers';

/** What is asked of other modules. */
export interface Questions {
  readonly facets: (
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: { readonly fields: readonly RelatedField[]; readonly limit: number; readonly contains: null },
  ) => Promise<{
    readonly facets: readonly {
      readonly field: string;
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
    readonly buckets: readonly {
      readonly from: bigint;
      readonly succeeded: number;
      readonly failed: number;
    }[];
  }>;
  readonly groups: (
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: {
      readonly fields: readonly [RelatedField];
      readonly before: null;
      readonly sumOf: null;
      readonly by: 'count';
      readonly descending: boolean;
      readonly limit: number;
    },
  ) => Promise<{ readonly groups: readonly EventGroup[] }>;
  readonly page: AuditEventReader['page'];
  /** Events as a whole, with a mark in place of a very large statement. */
  readonly events: (
    tenants: TenantSet,
    recordIds: readonly string[],
  ) => AsyncIterable<Pick<StoredAuditEvent, 'recordId' | 'objectName' | 'statement'>>;
  /** Alerts that are not resolved and name an entity, the most severe first. Null: alerts do not name this kind. */
  readonly alerts: (
    tenants: TenantSet,
    of: { readonly kind: string; readonly value: string; readonly limit: number },
  ) => Promise<{
    readonly count: number;
    readonly alerts: readonly Answer<typeof ENTITY_ALERT>[];
  } | null>;
}
