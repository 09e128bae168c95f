import type { TenantSet } from '../../caller/tenant-set';
import { EXPRESSION_FIELDS, type ExpressionField } from '../../event/expression/expression';
import { COUNTED_FIELDS } from '../../event/filters';
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

/** The fields events can be counted by the values of. */
export type FacetField = Exclude<ExpressionField, 'recordId' | 'statement'>;
export const FACET_FIELDS: readonly FacetField[] = EXPRESSION_FIELDS.filter(
  (field): field is FacetField => field !== 'recordId' && field !== 'statement',
);
/** Those that counts are kept of. */
export const DEFAULT_FACET_FIELDS: readonly FacetField[] = COUNTED_FIELDS;

export interface FacetValue {
  /** Null: absent. */
  readonly value: string | null;
  readonly succeeded: number;
  readonly failed: number;
  /** When its first and its last event were, in ticks; absent: not asked for. */
  readonly seen?: { readonly first: bigint; readonly last: bigint };
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

export interface FacetQuestion {
  readonly fields: readonly FacetField[];
  /** Values of each facet. */
  readonly limit: number;
  /** Only values that hold it, letter case aside; null: all. */
  readonly contains: string | null;
  /** Whether each value listed is told with its first and last event. */
  readonly hasTimes?: boolean;
}

/** Port: how stored events are counted over time and by value. Every number is exact. */
export interface AuditEventExplorer {
  /** @param bucketsMax an open end of the filter's range is the border of the hours events are stored of */
  histogram(tenants: TenantSet, filter: AuditEventFilter, bucketsMax: number): Promise<Histogram>;
  /** All of one snapshot. */
  facets(tenants: TenantSet, filter: AuditEventFilter, asked: FacetQuestion): Promise<Facets>;
}
