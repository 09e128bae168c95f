import { LIST_PARAMETERS, type ParameterSpecs } from '../../event/parameters';
import { LIMITS } from '../../limits';

const { page, pageSize, sortBy, sortDirection, ...FILTERS } = LIST_PARAMETERS;

/** The filters of the list, without its order and pages. */
export const FILTER_PARAMETERS = FILTERS;

export const HISTOGRAM_PARAMETERS = {
  ...FILTERS,
  buckets: {
    kind: 'integer',
    min: LIMITS.histogramBucketsMin,
    max: LIMITS.histogramBucketsMax,
    default: LIMITS.histogramBucketsDefault,
    doc: 'Buckets at most.',
  },
} as const satisfies ParameterSpecs;

export const FACET_PARAMETERS = {
  ...FILTERS,
  limit: {
    kind: 'integer',
    min: 1,
    max: LIMITS.facetValuesMax,
    default: LIMITS.facetValuesDefault,
    doc: 'Values of each facet at most, largest first.',
  },
} as const satisfies ParameterSpecs;
