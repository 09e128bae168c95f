import { allOf, type Expression, equals } from '../../event/expression/expression';
import type { AuditEventFilter } from '../../event/query';
import { ColumnCounter } from '../../store/columns/counter';
import type { EventGroup } from '../../store/columns/groups';
import { bucketsOf, type ClosedRange, fittingWidth } from './buckets';
import { byWindow, eventGroups } from './explore-by-columns';
import type { EventSeries, GroupQuestion, SeriesQuestion } from './explorer';
import { bucketsOfDays, fittingDays } from './zone-days';

export const NO_SERIES: EventSeries = {
  totalCount: 0,
  groupCount: 0,
  groups: [],
  widthMs: 0,
  zone: null,
  buckets: [],
  series: [],
};

/** Counts the first groups and all events over time, in one snapshot. @param counter of the filter */
export async function seriesByColumns(
  counter: ColumnCounter,
  filter: AuditEventFilter & ClosedRange,
  { bucketsMax, zone, ...asked }: SeriesQuestion,
): Promise<EventSeries> {
  const found = await eventGroups(counter, filter, asked);
  const width = fittingWidth(filter, bucketsMax);
  const ofZone = fittingDays(filter, { width, bucketsMax, zone });
  const windowMs = ofZone ? ofZone.days.partMs : width;
  const counting = { windowMs, fields: [], hasOutcomes: true } as const;
  const filters = found.groups.map((group) => ofGroup(filter, asked.fields, group));
  const tallies = await ColumnCounter.together(
    [filter, ...filters].map((one) => ({ counter: counter.with(one), asked: counting })),
  );
  const [all = [], ...series] = tallies.map(({ windows }) => {
    const counted = byWindow(windows);
    return ofZone ? bucketsOfDays(filter, ofZone.days, counted) : bucketsOf(filter, width, counted);
  });
  return {
    ...found,
    widthMs: ofZone?.widthMs ?? width,
    zone: ofZone && zone ? zone.name : null,
    buckets: all,
    series: series.map((buckets) => buckets.map(({ succeeded, failed }) => succeeded + failed)),
  };
}

/** The events of one group. */
function ofGroup(
  filter: AuditEventFilter,
  fields: GroupQuestion['fields'],
  { values }: EventGroup,
): AuditEventFilter {
  const terms = fields.flatMap((field, i): Expression[] => {
    if (field === undefined) return [];
    const value = values[i] ?? '';
    if (value !== '') return [equals(field, value)];
    return [{ kind: 'not', of: { kind: 'field', field, how: 'present', text: '', isFolded: false } }];
  });
  const { expression } = filter;
  return { ...filter, expression: allOf([...(expression ? [expression] : []), ...terms]) };
}
