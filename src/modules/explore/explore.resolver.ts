import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { formatTicks } from '../../event/event-time';
import { parseParameters } from '../../event/parameters';
import { toAuditEventFilter } from '../../event/query';
import { actionNameOf } from './action-names';
import type { Facet, Histogram } from './explorer';
import { FACET_PARAMETERS, HISTOGRAM_PARAMETERS } from './parameters';
import { Access, askerOf, scopeOf } from '../../graphql/access';
import type { GraphqlContext } from '../../graphql/context';
import {
  type AuditFacet,
  AuditFacets,
  AuditFacetsArgs,
  AuditHistogram,
  AuditHistogramArgs,
} from './explore.types';

const MS_PER_SECOND = 1_000;

/** What the dashboard asks beside the list: no route of the public API leads here. */
@Resolver()
export class ExploreResolver {
  @Query(() => AuditHistogram, {
    description:
      'Events over time. An open end of the range is the border of the hours events are stored of.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  async auditHistogram(
    @Args(() => AuditHistogramArgs) args: AuditHistogramArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<AuditHistogram> {
    const values = parseParameters(HISTOGRAM_PARAMETERS, args);
    const { explorer, fairShare } = context.services;
    const count = () => explorer.histogram(scopeOf(context), toAuditEventFilter(values), values.buckets);
    return toHistogram(await fairShare.run(askerOf(context), count));
  }

  @Query(() => AuditFacets, { description: 'The values of some fields and how many events have each.' })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  async auditFacets(
    @Args(() => AuditFacetsArgs) args: AuditFacetsArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<AuditFacets> {
    const values = parseParameters(FACET_PARAMETERS, args);
    const { explorer, fairShare } = context.services;
    const count = () => explorer.facets(scopeOf(context), toAuditEventFilter(values), values.limit);
    const found = await fairShare.run(askerOf(context), count);
    return { totalCount: found.totalCount, facets: found.facets.map(toFacet) };
  }
}

function toHistogram({ widthMs, buckets }: Histogram): AuditHistogram {
  const shown = buckets.map(({ from, to, succeeded, failed }) => ({
    start: formatTicks(from),
    end: formatTicks(to),
    succeeded,
    failed,
  }));
  return {
    startTime: shown[0]?.start ?? null,
    endTime: shown.at(-1)?.end ?? null,
    bucketSeconds: widthMs / MS_PER_SECOND,
    buckets: shown,
  };
}

function toFacet({ field, distinct, values }: Facet): AuditFacet {
  const named = values?.map((value) => ({
    ...value,
    name: field === 'actionId' && value.value !== null ? actionNameOf(value.value) : null,
  }));
  return { field, distinct, values: named ?? null };
}
