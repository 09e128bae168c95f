import { FILTER_PARAMETERS, type ParameterSpecs } from '../../event/parameters';
import { LIMITS } from '../../limits';

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
  limit: {
    kind: 'integer',
    min: 1,
    max: LIMITS.facetValuesMax,
    default: LIMITS.facetValuesDefault,
    doc: 'Values of each facet at most, largest first.',
  },
} as const satisfies ParameterSpecs;
