import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, tenantSetOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import { formatTicks } from '../../event/event-time';
import type { GivenValues, ParameterValues } from '../../event/parameter-specs';
import { refuseHidden } from '../../event/parse-parameters';
import { toAuditEventFilter } from '../../event/query';
import { Zone } from '../../event/zone';
import { Access } from '../../graphql/access';
import { Takes, TakesUnchecked } from '../../graphql/arguments';
import { AuditGroupGrid, AuditGroupsOverTime, AuditWeekHours } from './explore.types';
import type { AuditEventExplorer, EventGrid, EventSeries, GridQuestion, WeekHours } from './explorer';
import { toGridQuestion, toSeriesQuestion } from './group-question';
import { GRID_PARAMETERS, SERIES_PARAMETERS, WEEK_HOUR_PARAMETERS } from './parameters';

/** Groups as the charts of the dashboard draw them. No route of the public API uses them. */
@Resolver()
export class GroupShapesResolver {
  constructor(
    private readonly explorer: Pick<AuditEventExplorer, 'groupGrid' | 'groupsOverTime' | 'weekHours'>,
    private readonly fairShare: Pick<FairShare, 'run'>,
  ) {}

  @Query(() => AuditGroupsOverTime, { description: 'The first groups of events over time.' })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  @TakesUnchecked(SERIES_PARAMETERS)
  async auditGroupsOverTime(
    given: GivenValues<typeof SERIES_PARAMETERS>,
    context: Call,
  ): Promise<AuditGroupsOverTime> {
    const { filter, asked } = toSeriesQuestion(given);
    refuseHidden(SERIES_PARAMETERS, given, context);
    const count = () => this.explorer.groupsOverTime(tenantSetOf(context), filter, asked);
    return toGroupsOverTime(await this.fairShare.run(askerOf(context), count));
  }

  @Query(() => AuditGroupGrid, { description: 'All events by few values of one to three fields.' })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  @TakesUnchecked(GRID_PARAMETERS)
  async auditGroupGrid(given: GivenValues<typeof GRID_PARAMETERS>, context: Call): Promise<AuditGroupGrid> {
    const { filter, asked } = toGridQuestion(given);
    refuseHidden(GRID_PARAMETERS, given, context);
    const count = () => this.explorer.groupGrid(tenantSetOf(context), filter, asked);
    return toGrid(await this.fairShare.run(askerOf(context), count), asked);
  }

  @Query(() => AuditWeekHours, { description: 'Events by the hours of the week.' })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  @Takes(WEEK_HOUR_PARAMETERS)
  async auditWeekHours(
    values: ParameterValues<typeof WEEK_HOUR_PARAMETERS>,
    context: Call,
  ): Promise<AuditWeekHours> {
    const zone = new Zone(values.timeZone ?? 'UTC');
    const count = () => this.explorer.weekHours(tenantSetOf(context), toAuditEventFilter(values), zone);
    return toWeekHours(await this.fairShare.run(askerOf(context), count));
  }
}

const MS_PER_SECOND = 1_000;

const toGroupsOverTime = (found: EventSeries): AuditGroupsOverTime => {
  const last = found.buckets.at(-1);
  return {
    totalCount: found.totalCount,
    groupCount: found.groupCount,
    bucketSeconds: found.widthMs / MS_PER_SECOND,
    timeZone: found.zone,
    starts: found.buckets.map(({ from }) => formatTicks(from)),
    endTime: last ? formatTicks(last.to) : null,
    events: found.buckets.map(({ succeeded, failed }) => succeeded + failed),
    groups: found.groups.map(({ values }, i) => ({ values, events: found.series[i] ?? [] })),
  };
};

const toGrid = ({ cells, axes, ...counts }: EventGrid, { sumOf }: GridQuestion): AuditGroupGrid => {
  const placesOf = (field: number) => cells.map(({ places }) => places[field] ?? 0);
  return {
    ...counts,
    axes,
    first: placesOf(0),
    second: axes.length > 1 ? placesOf(1) : null,
    third: axes.length > 2 ? placesOf(2) : null,
    succeeded: cells.map(({ n, failed }) => n - failed),
    failed: cells.map(({ failed }) => failed),
    sum: sumOf ? cells.map(({ sum }) => String(sum ?? '')) : null,
  };
};

const toWeekHours = ({ from, to, hours }: WeekHours): AuditWeekHours => ({
  startTime: from === null ? null : formatTicks(from),
  endTime: to === null ? null : formatTicks(to),
  succeeded: hours.map(({ succeeded }) => succeeded),
  failed: hours.map(({ failed }) => failed),
  busiest: hours.map(({ busiest }) => busiest),
  busiestTime: hours.map(({ busiestMs }) => (busiestMs === null ? '' : new Date(busiestMs).toISOString())),
});
