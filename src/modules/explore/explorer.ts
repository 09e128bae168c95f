import { EXPRESSION_FIELDS, type ExpressionField } from '../../event/expression/expression';
import type { NumberField } from '../../event/fields';
import { COUNTED_FIELDS } from '../../event/filters';
import type { AuditEventFilter, TimeRange } from '../../event/query';
import type { Zone } from '../../event/zone';
import type { EventGroup } from '../../store/columns/groups';
import type { TenantSet } from '../../tenant-set';
import type { GroupOrder } from './sort-groups';

/** Half-open, in ticks. */
export interface HistogramBucket {
  readonly from: bigint;
  readonly to: bigint;
  readonly succeeded: number;
  readonly failed: number;
}

export interface Histogram {
  /** The width of a whole bucket. The first and last bucket are cut to the requested range. */
  readonly widthMs: number;
  /** The zone at whose days the buckets begin; null: UTC. */
  readonly zone: string | null;
  /** In order and without gaps; empty if the range is empty. */
  readonly buckets: readonly HistogramBucket[];
}

/** The fields whose values can be counted. */
export type FacetField = Exclude<ExpressionField, 'recordId' | 'statement'>;
export const FACET_FIELDS: readonly FacetField[] = EXPRESSION_FIELDS.filter(
  (field): field is FacetField => field !== 'recordId' && field !== 'statement',
);
/** The fields for which counts are kept. */
export const DEFAULT_FACET_FIELDS: readonly FacetField[] = COUNTED_FIELDS;

export interface FacetValue {
  /** Null: the value is absent. */
  readonly value: string | null;
  readonly succeeded: number;
  readonly failed: number;
}

export interface Facet {
  readonly field: FacetField;
  /** The number of all values, also those not listed; an absent value counts as one. Null: too many events to read. */
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
  /** The number of values of each facet. */
  readonly limit: number;
  /** Only values that contain this text, in any letter case; null: all values. */
  readonly contains: string | null;
}

export interface GroupQuestion extends GroupOrder {
  readonly fields: readonly [FacetField, FacetField?, FacetField?];
  /** The period whose counts stand beside those of the filter's range; null: none. */
  readonly before: TimeRange | null;
  /** The field whose numbers are added up; null: none. */
  readonly sumOf: NumberField | null;
  readonly limit: number;
}

/** Groups of the events that pass a filter. */
export interface FilteredGroups extends GroupQuestion {
  readonly filter: AuditEventFilter;
  /** Its answer is null where there are more groups than can be counted. Not given: all questions are refused then. */
  readonly mayBeMany?: boolean;
}

export interface EventGroups {
  readonly totalCount: number;
  /** The number of all groups, also those not listed. */
  readonly groupCount: number;
  /** The first groups in the order that is asked for. */
  readonly groups: readonly EventGroup[];
}

export interface GridQuestion {
  readonly fields: GroupQuestion['fields'];
  /** The field whose numbers are added up; null: none. */
  readonly sumOf: NumberField | null;
  /** The number of values of each field that stand by themselves. */
  readonly valuesMax: number;
}

/** The values of a field that stand by themselves. All others are one more. */
interface Axis {
  readonly field: FacetField;
  /** Those with the most events, or the largest sum, first; empty: absent. */
  readonly values: readonly string[];
  /** The number of all values. */
  readonly distinct: number;
}

/** Events that have the same values of all fields, the others being one value. */
export interface GridCell {
  /** Places among the values of each field; as many as there are values: the others. */
  readonly places: readonly number[];
  readonly n: number;
  readonly failed: number;
  /** Null: its events state no number, or no sum is asked for. */
  readonly sum: EventGroup['sum'];
}

/** All events by the values of some fields, in few cells. */
export interface EventGrid {
  readonly totalCount: number;
  /** The number of groups before values became others. */
  readonly groupCount: number;
  readonly axes: readonly Axis[];
  readonly cells: readonly GridCell[];
}

/** The first groups, as many as `limit`, over time. */
export interface SeriesQuestion extends GroupQuestion {
  readonly bucketsMax: number;
  /** Buckets of days begin with days of this zone where that can be counted; null: of UTC. */
  readonly zone: Zone | null;
}

export interface EventSeries extends EventGroups {
  readonly widthMs: number;
  /** The zone at whose days the buckets begin; null: UTC. */
  readonly zone: string | null;
  /** All events of the filter; in order and without gaps. */
  readonly buckets: readonly HistogramBucket[];
  /** For each group its events in each bucket. */
  readonly series: readonly (readonly number[])[];
}

/** The events of an hour of the week, on all weeks of a range. */
export interface WeekHour extends Pick<HistogramBucket, 'succeeded' | 'failed'> {
  /** The beginning of the hour with the most of these events, and their number. Null: there are no events. */
  readonly busiestMs: number | null;
  readonly busiest: number;
}

export interface WeekHours {
  /** Ticks; null: there are no events. */
  readonly from: bigint | null;
  readonly to: bigint | null;
  /** The hours of Monday, then those of Tuesday, and so on. */
  readonly hours: readonly WeekHour[];
}

/** Port: counts stored events over time and by value. Every number is exact. */
export interface AuditEventExplorer {
  /**
   * @param bucketsMax the most buckets; an open end of the range is the border of the hours that have events
   * @param zone buckets of days begin with days of this zone where that can be counted; not given: of UTC
   */
  histogram(
    tenants: TenantSet,
    filter: AuditEventFilter,
    bucketsMax: number,
    zone?: Zone | null,
  ): Promise<Histogram>;
  /** All facets come from one snapshot. */
  facets(tenants: TenantSet, filter: AuditEventFilter, asked: FacetQuestion): Promise<Facets>;
  /**
   * Everything comes from one snapshot.
   * @throws DomainError `invalid_parameter` where there are more groups than can be counted
   */
  groups(tenants: TenantSet, filter: AuditEventFilter, asked: GroupQuestion): Promise<EventGroups>;
  /** All events by few values of each field. @throws as `groups` */
  groupGrid(tenants: TenantSet, filter: AuditEventFilter, asked: GridQuestion): Promise<EventGrid>;
  /** The first groups over time. @throws as `groups` */
  groupsOverTime(tenants: TenantSet, filter: AuditEventFilter, asked: SeriesQuestion): Promise<EventSeries>;
  /** Events by the hours of the week. @throws DomainError `invalid_parameter` where the range has too many hours */
  weekHours(tenants: TenantSet, filter: AuditEventFilter, zone: Zone): Promise<WeekHours>;
  /** The groups of several filters, all from one snapshot: it is quicker than one after the other. @throws as `groups` */
  groupsOfEach(
    tenants: TenantSet,
    questions: readonly FilteredGroups[],
  ): Promise<readonly (EventGroups | null)[]>;
}
