import { type ExpressionField, fieldNamed } from '../../../src/event/expression/expression';
import { type ExploreState, formatState, parseState } from '../explore/explore-state';
import { only } from '../explore/filter/edit';
import { fixedRange, type TimeRange } from '../explore/time-range';
import { HOUR_MS, MINUTE_MS } from '../lib/time';

/** The time before and after an alert for which its entities are shown. */
const ENTITY_MS = HOUR_MS;
/** The time before and after a finding for which other events are shown. */
const AROUND_MS = 5 * MINUTE_MS;

export interface Span {
  readonly firstEventTime: string;
  readonly lastEventTime: string;
}

/** The address of a view of Explore, below the base of the pages. */
export function exploreHref(view: {
  readonly filter?: string;
  readonly range?: TimeRange;
  readonly event?: string;
  readonly groupBy?: ExploreState['groupBy'];
  readonly sumOf?: ExploreState['sumOf'];
}): string {
  const query = formatState({ ...parseState(''), ...view });
  return query ? `/explore?${query}` : '/explore';
}

/** A link to the other events of a login, address, host, instance or object at that time. Null: not a field of Explore. */
export function entityHref(field: string, value: string | null, span: Span): string | null {
  const named = fieldNamed(field);
  return named && exploreHref({ filter: only('', named, value), range: rangeAround(span, ENTITY_MS) });
}

/** A link to the other events around these ones. @param instance null: on every server instance */
export function aroundHref(span: Span, instance: string | null): string {
  const filter = instance === null ? '' : only('', 'serverInstanceName', instance);
  return exploreHref({ filter, range: rangeAround(span, AROUND_MS) });
}

/** A link to exactly these events. */
export const eventsHref = (recordIds: readonly string[], span: Span): string =>
  exploreHref({ filter: recordFilter(recordIds), range: rangeAround(span, 1000) });

export const recordFilter = (recordIds: readonly string[]): string =>
  `${'recordId' satisfies ExpressionField}:(${recordIds.join(' OR ')})`;

const rangeAround = ({ firstEventTime, lastEventTime }: Span, ms: number): TimeRange =>
  fixedRange(Date.parse(firstEventTime) - ms, Date.parse(lastEventTime) + ms);
