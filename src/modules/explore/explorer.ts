import type { TenantSet } from '../../caller/tenant-set';
import { COUNTED_FIELDS, type CountedField } from '../../event/filters';
import type { AuditEventFilter } from '../../event/query';

/** Half-open, in ticks. */
export interface HistogramBucket {
  readonly from: bigint;
  readonly to: bigint;
  readonly succeeded: number;
  readonly failed: number;
}

export interface Histogram {
  /** Of a whole bucket; the first and last are cut to the range asked for. */
  readonly widthMs: number;
  /** In order and without gaps; none where the range is empty. */
  readonly buckets: readonly HistogramBucket[];
}

/** The fields events are counted by the values of, in the order they are shown: those that counts are kept of. */
export const FACET_FIELDS: readonly CountedField[] = COUNTED_FIELDS;
export type FacetField = CountedField;

interface FacetValue {
  /** Null: absent. */
  readonly value: string | null;
  readonly succeeded: number;
  readonly failed: number;
}

export interface Facet {
  readonly field: FacetField;
  /** All values, those not listed too, absent counting as one. Null: too many events would have to be read. */
  readonly distinct: number | null;
  /** Largest first. */
  readonly values: readonly FacetValue[] | null;
}

export interface Facets {
  readonly totalCount: number;
  readonly facets: readonly Facet[];
}

/** Port: how stored events are counted over time and by value. Every number is exact. */
export interface AuditEventExplorer {
  /** @param bucketsMax an open end of the filter's range is the border of the hours events are stored of */
  histogram(tenants: TenantSet, filter: AuditEventFilter, bucketsMax: number): Promise<Histogram>;
  /** All of one snapshot. @param limit values of each facet */
  facets(tenants: TenantSet, filter: AuditEventFilter, limit: number): Promise<Facets>;
}
