import { NUMBER_FIELDS } from '../../event/fields';
import type { ParameterSpecs } from '../../event/parameter-specs';
import { FILTER_PARAMETERS } from '../../event/parameters';
import { zoneProblems } from '../../event/zone';
import { LIMITS } from '../../limits';
import { DEFAULT_FACET_FIELDS, FACET_FIELDS } from './explorer';
import { GROUP_SORTS } from './sort-groups';

/** What `explain` is asked for. */
export const PLAN_PARAMETERS = {
  tenantId: { kind: 'reference', isRequired: true },
  ...FILTER_PARAMETERS,
} as const satisfies ParameterSpecs;

const TIME_ZONE = {
  kind: 'text',
  charsMax: 64,
  check: zoneProblems,
  doc: 'IANA name of the time zone with whose days buckets of days begin, such as Europe/Berlin. Default: UTC.',
} as const;

const BUCKETS = {
  kind: 'integer',
  min: LIMITS.histogramBucketsMin,
  max: LIMITS.histogramBucketsMax,
  default: LIMITS.histogramBucketsDefault,
  doc: 'The most buckets in the answer.',
} as const;

export const HISTOGRAM_PARAMETERS = {
  ...FILTER_PARAMETERS,
  buckets: BUCKETS,
  timeZone: TIME_ZONE,
} as const satisfies ParameterSpecs;

export const FACET_PARAMETERS = {
  ...FILTER_PARAMETERS,
  fields: {
    kind: 'choices',
    values: FACET_FIELDS,
    doc: `Fields to count by, in this order. Default: ${DEFAULT_FACET_FIELDS.join(', ')}.`,
  },
  contains: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    doc: 'Keeps values that contain this text; letter case does not matter. Absent values are left out.',
  },
  limit: {
    kind: 'integer',
    min: 1,
    max: LIMITS.facetValuesMax,
    default: LIMITS.facetValuesDefault,
    doc: 'The most values of each facet; the most frequent come first.',
  },
} as const satisfies ParameterSpecs;

export const DEFAULT_GROUP_FIELD = 'serverPrincipalName';
export const GROUP_FIELDS_MAX = 3;

export const GROUP_PARAMETERS = {
  ...FILTER_PARAMETERS,
  fields: {
    kind: 'choices',
    values: FACET_FIELDS,
    doc: `One to three fields to group by. Default: ${DEFAULT_GROUP_FIELD}.`,
  },
  beforeStartTime: {
    kind: 'time',
    doc: 'Start of a period before the range, inclusive. `before` has its counts.',
  },
  beforeEndTime: { kind: 'time', doc: 'End of that period, exclusive.' },
  sumOf: {
    kind: 'choice',
    values: NUMBER_FIELDS,
    doc: 'The field whose numbers are added up in each group.',
  },
  sortBy: {
    kind: 'choice',
    values: [...GROUP_SORTS, ...FACET_FIELDS],
    default: 'count',
    doc: 'The number, time, sum or field to sort groups by; `change` is the events minus those in the period before. By `change` and `before`, groups with events only in the period before are listed, too. A group without such a number is behind those with one. Ties are in the order of their values.',
  },
  sortDirection: { kind: 'choice', values: ['asc', 'desc'], default: 'desc', doc: 'Sort direction.' },
  limit: {
    kind: 'integer',
    min: 1,
    max: LIMITS.groupsListedMax,
    default: LIMITS.facetValuesDefault,
    doc: 'The most groups in the answer. Fewer are listed where their values are very long.',
  },
} as const satisfies ParameterSpecs;

const { limit: _, ...ABOUT_GROUPS } = GROUP_PARAMETERS;
export const SERIES_PARAMETERS = {
  ...ABOUT_GROUPS,
  buckets: BUCKETS,
  timeZone: TIME_ZONE,
  groups: {
    kind: 'integer',
    min: 1,
    max: LIMITS.groupSeriesMax,
    default: LIMITS.groupSeriesMax,
    doc: 'The most groups in the answer.',
  },
} as const satisfies ParameterSpecs;

export const GRID_PARAMETERS = {
  ...FILTER_PARAMETERS,
  fields: GROUP_PARAMETERS.fields,
  sumOf: { ...GROUP_PARAMETERS.sumOf, doc: 'The field whose numbers are added up in each cell.' },
  values: {
    kind: 'integer',
    min: 1,
    max: LIMITS.gridValuesMax,
    default: LIMITS.gridValuesMax,
    doc: 'The most values of each field, those with the most events, or the largest sum of `sumOf`; all others are one.',
  },
} as const satisfies ParameterSpecs;

export const WEEK_HOUR_PARAMETERS = {
  ...FILTER_PARAMETERS,
  timeZone: { ...TIME_ZONE, doc: 'IANA name of the time zone of the hours. Default: UTC.' },
} as const satisfies ParameterSpecs;
