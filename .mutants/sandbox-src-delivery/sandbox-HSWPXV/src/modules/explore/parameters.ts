import { FILTER_PARAMETERS, type ParameterSpecs } from '../../event/parameters';
import { LIMITS } from '../../limits';
import { DEFAULT_FACET_FIELDS, FACET_FIELDS } from './explorer';

export const HISTOGRAM_PARAMETERS = {
  ...FILTER_PARAMETERS,
  buckets: {
    kind: 'integer',
    min: LIMITS.histogramBucketsMin,
    max: LIMITS.histogramBucketsMax,
    default: LIMITS.histogramBucketsDefault,
    doc: 'Buckets at most.',
  },
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
    doc: 'Leaves values that hold this text; letter case does not matter. Absent values are left out.',
  },
  hasTimes: {
    kind: 'boolean',
    doc: 'Whether each value listed says when its first and its last event were. Default: false.',
  },
  limit: {
    kind: 'integer',
    min: 1,
    max: LIMITS.facetValuesMax,
    default: LIMITS.facetValuesDefault,
    doc: 'Values of each facet at most, largest first.',
  },
} as const satisfies ParameterSpecs;
