import { useQuery } from 'urql';
import { CoverageDocument, type CoverageQuery } from '../../../generated/operations';
import type { ExploreFilter } from '../explore-filter';

export type Coverage = CoverageQuery['auditCoverage'];

/** The completeness of a range; undefined: not asked, or not answered yet. */
export function useCoverage({ startTime, endTime }: ExploreFilter): Coverage | undefined {
  const [{ data, fetching }] = useQuery({
    query: CoverageDocument,
    variables: { startTime, endTime },
    requestPolicy: 'network-only',
  });
  return fetching ? undefined : data?.auditCoverage;
}
