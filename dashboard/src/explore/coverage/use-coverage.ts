import { useQuery } from 'urql';
import { CoverageDocument, type CoverageQuery } from '../../../generated/operations';
import type { ExploreFilter } from '../explore-filter';

export type Coverage = CoverageQuery['auditCoverage'];

/**
 * The completeness of a range for the events that the filter lets through; undefined: not asked, or not answered yet.
 * @param pause asks nothing, since the filter is not understood
 */
export function useCoverage(
  { filter, startTime, endTime }: ExploreFilter,
  pause: boolean,
): Coverage | undefined {
  const [{ data, fetching }] = useQuery({
    query: CoverageDocument,
    variables: { filter, startTime, endTime },
    pause,
  });
  return fetching ? undefined : data?.auditCoverage;
}
