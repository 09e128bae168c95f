import type { Answer, Shape } from '../../event/shape';
import { objectType } from '../../graphql/object-type';
import { AUDIT_FILTER, AUDIT_PLAN } from './answers';

const BUCKET = {
  name: 'AuditHistogramBucket',
  doc: 'Events of a stretch of time.',
  fields: {
    start: { kind: 'time', doc: 'Inclusive.' },
    end: { kind: 'time', doc: 'Exclusive.' },
    succeeded: { kind: 'count' },
    failed: { kind: 'count' },
  },
} as const satisfies Shape;

const HISTOGRAM = {
  name: 'AuditHistogram',
  doc: 'Events over time.',
  fields: {
    startTime: { kind: 'time', nullable: true, doc: 'Start of the first bucket. Null: the range is empty.' },
    endTime: { kind: 'time', nullable: true, doc: 'End of the last bucket. Null: the range is empty.' },
    bucketSeconds: {
      // Where a clock was wrong, a range may have thousands of years.
      kind: 'count',
      doc: 'Width of a whole bucket. Borders are multiples of it since 1970 in UTC or `timeZone`.',
    },
    timeZone: {
      kind: 'text',
      nullable: true,
      doc: 'Time zone with whose days the buckets begin. Null: UTC, also where it would cost too much to count others.',
    },
    buckets: {
      kind: 'object',
      isList: true,
      of: BUCKET,
      doc: 'In time order, empty ones too; the first and the last are cut to the range.',
    },
  },
} as const satisfies Shape;

const FACET_VALUE = {
  name: 'AuditFacetValue',
  doc: 'A value of a field and the events that have it.',
  fields: {
    value: { kind: 'text', nullable: true, doc: "Null: absent. For `succeeded`: 'true' or 'false'." },
    name: { kind: 'text', nullable: true, doc: 'Full name of an action, where it is known.' },
    succeeded: { kind: 'count' },
    failed: { kind: 'count' },
  },
} as const satisfies Shape;

const FACET = {
  name: 'AuditFacet',
  doc: 'The values of a field.',
  fields: {
    field: { kind: 'text', doc: 'Name of a field of AuditEvent.' },
    distinct: {
      kind: 'count',
      nullable: true,
      doc: 'Number of different values; absent counts as one. Null: too many events would have to be read.',
    },
    values: {
      kind: 'object',
      isList: true,
      of: FACET_VALUE,
      nullable: true,
      doc: 'The most frequent first. Null if `distinct` is null.',
    },
  },
} as const satisfies Shape;

const FACETS = {
  name: 'AuditFacets',
  doc: 'Events by the values of some fields, all of the same moment.',
  fields: {
    totalCount: { kind: 'count' },
    facets: { kind: 'object', isList: true, of: FACET },
  },
} as const satisfies Shape;

const GROUPS = {
  name: 'AuditGroups',
  doc: 'Events by the values of one to three fields. The lists have an entry for each group, in the same order.',
  fields: {
    totalCount: { kind: 'count' },
    groupCount: { kind: 'count', doc: 'All groups, also those not listed.' },
    first: {
      kind: 'text',
      isList: true,
      doc: "Values of the first field. Empty: absent. Of succeeded 'true' or 'false'.",
    },
    second: {
      kind: 'text',
      isList: true,
      nullable: true,
      doc: 'Values of the second field. Null: there is none.',
    },
    third: {
      kind: 'text',
      isList: true,
      nullable: true,
      doc: 'Values of the third field. Null: there is none.',
    },
    succeeded: { kind: 'count', isList: true },
    failed: { kind: 'count', isList: true },
    before: {
      kind: 'count',
      isList: true,
      nullable: true,
      doc: 'Events in the period before. Null: not asked for.',
    },
    recordedBefore: {
      kind: 'boolean',
      isList: true,
      nullable: true,
      doc: 'Whether the servers recorded anything in the period before: the one that a group names, or else any. If not, `before` is 0 and means nothing. Null: not asked for.',
    },
    sum: {
      kind: 'text',
      isList: true,
      nullable: true,
      doc: 'Sums of the numbers of `sumOf`, as decimal texts. Empty: the events of the group state none. Null: not asked for.',
    },
    firstTime: {
      kind: 'time',
      isList: true,
      doc: 'Time of the first event, to the millisecond. Of a group without an event in the range: in the period before.',
    },
    lastTime: { kind: 'time', isList: true, doc: 'Time of the last event, to the millisecond.' },
  },
} as const satisfies Shape;

const GROUP_SERIES = {
  name: 'AuditGroupSeries',
  doc: 'A group over time.',
  fields: {
    values: { kind: 'text', isList: true, doc: 'In the order of the fields. Empty: absent.' },
    events: { kind: 'count', isList: true, doc: 'Its events in each bucket.' },
  },
} as const satisfies Shape;

const GROUPS_OVER_TIME = {
  name: 'AuditGroupsOverTime',
  doc: 'The first groups over time, and all events, of the same moment.',
  fields: {
    totalCount: { kind: 'count' },
    groupCount: { kind: 'count', doc: 'All groups, also those not listed.' },
    bucketSeconds: HISTOGRAM.fields.bucketSeconds,
    timeZone: HISTOGRAM.fields.timeZone,
    starts: { kind: 'time', isList: true, doc: 'Start of each bucket, inclusive.' },
    endTime: HISTOGRAM.fields.endTime,
    events: { kind: 'count', isList: true, doc: 'Events of all groups in each bucket.' },
    groups: { kind: 'object', isList: true, of: GROUP_SERIES, doc: 'In the order that is asked for.' },
  },
} as const satisfies Shape;

const GRID_AXIS = {
  name: 'AuditGridAxis',
  doc: 'The values of a field that stand by themselves.',
  fields: {
    field: { kind: 'text', doc: 'Name of a field of AuditEvent.' },
    values: {
      kind: 'text',
      isList: true,
      doc: 'Those with the most events, or the largest sum, first. Empty: absent.',
    },
    distinct: { kind: 'count', doc: 'Number of all values; absent counts as one.' },
  },
} as const satisfies Shape;

const places = (doc: string) => ({ kind: 'integer', isList: true, doc }) as const;
const GRID = {
  name: 'AuditGroupGrid',
  doc: 'All events by few values of each field. The lists of places and numbers have an entry for each cell with events.',
  fields: {
    totalCount: { kind: 'count' },
    groupCount: { kind: 'count', doc: 'All groups by these fields.' },
    axes: { kind: 'object', isList: true, of: GRID_AXIS, doc: 'One for each field.' },
    first: places('Places among the values of the first field; as many as there are values: the others.'),
    second: { ...places('The same of the second field. Null: there is none.'), nullable: true },
    third: { ...places('The same of the third field. Null: there is none.'), nullable: true },
    succeeded: { kind: 'count', isList: true },
    failed: { kind: 'count', isList: true },
    sum: {
      kind: 'text',
      isList: true,
      nullable: true,
      doc: 'Sums of the numbers of `sumOf`, as decimal texts. Empty: the events of the cell state none. Null: not asked for.',
    },
  },
} as const satisfies Shape;

const WEEK_HOURS = {
  name: 'AuditWeekHours',
  doc: 'Events by the hours of the week: 168 of each, those of Monday first.',
  fields: {
    startTime: { kind: 'time', nullable: true, doc: 'Null: the range is empty.' },
    endTime: { kind: 'time', nullable: true, doc: 'Null: the range is empty.' },
    succeeded: { kind: 'count', isList: true },
    failed: { kind: 'count', isList: true },
    busiest: {
      kind: 'count',
      isList: true,
      doc: 'Of the hours of the range that are this hour of a week: the events of the one that has most.',
    },
    busiestTime: { kind: 'text', isList: true, doc: 'The start of that one. Empty: there are no events.' },
  },
} as const satisfies Shape;

export const AuditPlan = objectType(AUDIT_PLAN);
export type AuditPlan = Answer<typeof AUDIT_PLAN>;

export const AuditFilter = objectType(AUDIT_FILTER);
export type AuditFilter = Answer<typeof AUDIT_FILTER>;

export const AuditHistogram = objectType(HISTOGRAM);
export type AuditHistogram = Answer<typeof HISTOGRAM>;
export type AuditFacet = Answer<typeof FACET>;
export const AuditFacets = objectType(FACETS);
export type AuditFacets = Answer<typeof FACETS>;

export const AuditGroups = objectType(GROUPS);
export type AuditGroups = Answer<typeof GROUPS>;

export const AuditGroupsOverTime = objectType(GROUPS_OVER_TIME);
export type AuditGroupsOverTime = Answer<typeof GROUPS_OVER_TIME>;
export const AuditGroupGrid = objectType(GRID);
export type AuditGroupGrid = Answer<typeof GRID>;
export const AuditWeekHours = objectType(WEEK_HOURS);
export type AuditWeekHours = Answer<typeof WEEK_HOURS>;
