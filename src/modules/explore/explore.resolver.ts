import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, tenantSetOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import { actionNameOf } from '../../event/action-names';
import { formatTicks } from '../../event/event-time';
import type { GivenValues, ParameterValues } from '../../event/parameter-specs';
import { refuseHidden } from '../../event/parse-parameters';
import { toAuditEventFilter } from '../../event/query';
import { Zone } from '../../event/zone';
import { Access } from '../../graphql/access';
import { Takes, TakesUnchecked } from '../../graphql/arguments';
import { type AuditFacet, AuditFacets, AuditGroups, AuditHistogram } from './explore.types';
import {
  type AuditEventExplorer,
  DEFAULT_FACET_FIELDS,
  type EventGroups,
  type Facet,
  type GroupQuestion,
  type Histogram,
} from './explorer';
import { toGroupQuestion } from './group-question';
import { FACET_PARAMETERS, GROUP_PARAMETERS, HISTOGRAM_PARAMETERS } from './parameters';

const MS_PER_SECOND = 1_000;

/** Queries of the dashboard beside the list. No route of the public API uses them. */
@Resolver()
export class ExploreResolver {
  constructor(
    private readonly explorer: Pick<AuditEventExplorer, 'histogram' | 'facets' | 'groups'>,
    private readonly fairShare: Pick<FairShare, 'run'>,
  ) {}

  @Query(() => AuditHistogram, {
    description:
      'Events over time. Without `startTime` or `endTime` the range begins or ends with the hours of the stored events.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session', assistants: true })
  @Takes(HISTOGRAM_PARAMETERS)
  async auditHistogram(
    values: ParameterValues<typeof HISTOGRAM_PARAMETERS>,
    context: Call,
  ): Promise<AuditHistogram> {
    const zone = values.timeZone === undefined ? null : new Zone(values.timeZone);
    const count = () =>
      this.explorer.histogram(tenantSetOf(context), toAuditEventFilter(values), values.buckets, zone);
    return toHistogram(await this.fairShare.run(askerOf(context), count));
  }

  @Query(() => AuditFacets, { description: 'The values of some fields and how many events have each.' })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  @Takes(FACET_PARAMETERS)
  async auditFacets(values: ParameterValues<typeof FACET_PARAMETERS>, context: Call): Promise<AuditFacets> {
    const asked = {
      fields: values.fields ?? DEFAULT_FACET_FIELDS,
      limit: values.limit,
      contains: values.contains ?? null,
    };
    const count = () => this.explorer.facets(tenantSetOf(context), toAuditEventFilter(values), asked);
    const found = await this.fairShare.run(askerOf(context), count);
    return { totalCount: found.totalCount, facets: found.facets.map(toFacet) };
  }

  @Query(() => AuditGroups, {
    description: 'Numbers of events, grouped by the values of one to three fields.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session', assistants: true })
  @TakesUnchecked(GROUP_PARAMETERS)
  async auditGroups(given: GivenValues<typeof GROUP_PARAMETERS>, context: Call): Promise<AuditGroups> {
    const { filter, asked } = toGroupQuestion(given);
    refuseHidden(GROUP_PARAMETERS, given, context);
    const count = () => this.explorer.groups(tenantSetOf(context), filter, asked);
    return toGroups(await this.fairShare.run(askerOf(context), count), asked);
  }
}

function toGroups({ groups, ...counts }: EventGroups, { fields, before, sumOf }: GroupQuestion): AuditGroups {
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    ...counts,
    first: groups.map(({ values }) => values[0] ?? ''),
    second: fields.length > 1 ? groups.map(({ values }) => values[1] ?? '') : null,
    third: fields.length > 2 ? groups.map(({ values }) => values[2] ?? '') : null,
    succeeded: groups.map(({ n, failed }) => n - failed),
    failed: groups.map(({ failed }) => failed),
    before: before ? groups.map((group) => group.before ?? 0) : null,
    recordedBefore: before ? groups.map((group) => group.before !== null) : null,
    sum: sumOf ? groups.map(({ sum }) => String(sum ?? '')) : null,
    firstTime: groups.map(({ firstMs }) => time(firstMs)),
    lastTime: groups.map(({ lastMs }) => time(lastMs)),
  };
}

function toHistogram({ widthMs, zone, buckets }: Histogram): AuditHistogram {
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
    timeZone: zone,
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
