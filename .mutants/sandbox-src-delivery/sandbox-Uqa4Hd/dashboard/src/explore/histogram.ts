import type { HistogramQuery } from '../../generated/operations';

export type Histogram = HistogramQuery['auditHistogram'];
export type Bucket = Histogram['buckets'][number];
