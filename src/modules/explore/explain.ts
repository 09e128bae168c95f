import { Prisma, type ServiceDoor } from '../../database/clients';
import type { EachTenant } from '../../database/each-tenant';
import { guarded } from '../../database/limited';
import { ceilDiv, floorDiv, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { type AuditEventFilter, onlyFilters, type TimeRange } from '../../event/query';
import { countedOf, cutRange } from '../../store/counts/dimensions';
import { segmentsOf } from '../../store/counts/segments';
import { byTier, type Plan, planOf, type Question } from '../../store/plan';
import { eventsBesideWords } from '../../store/words/search-segments';
import type { TenantSet } from '../../tenant-set';
import { DEFAULT_FACET_FIELDS } from './explorer';

/** What one question would read. */
export interface Explained {
  readonly question: Question['kind'];
  readonly by: Plan['by'];
  /** About how many events, rows or values of them, are read. */
  readonly events: number;
  readonly isLong: boolean;
  readonly because: string;
}

/** What each kind of question reads for a filter. The numbers come from the counts: no event is read for them. */
export async function explain(
  service: ServiceDoor,
  tenants: TenantSet,
  filter: AuditEventFilter,
): Promise<readonly Explained[]> {
  const each = service.each(tenants);
  const reachesFiles = await byTier(
    service,
    { tenants, range: filter },
    async () => false,
    async () => true,
  );
  const of = { filter, reachesFiles };
  const questions: readonly Question[] = [
    { kind: 'page', ...of },
    { kind: 'summary', ...of },
    { kind: 'histogram', ...of, widthMs: HOUR_MS },
    { kind: 'facets', ...of, fields: DEFAULT_FACET_FIELDS },
    { kind: 'groups', ...of },
    { kind: 'export', ...of },
  ];
  const known = new Map<Plan['by'], number>();
  const explained: Explained[] = [];
  for (const question of questions) {
    const { by, isLong, because } = planOf(question);
    let events = known.get(by);
    if (events === undefined) {
      const statement = readBy(by, each, filter);
      const [row] = statement ? await guarded(() => service.ask(statement, tenants)) : [];
      events = Number(row?.n ?? 0);
      known.set(by, events);
    }
    explained.push({ question: question.kind, by, events, isLong, because });
  }
  return explained;
}

/** SQL: the number (`n`) of events that are read, in whole hours; null: none. */
function readBy(by: Plan['by'], each: EachTenant, filter: AuditEventFilter): Prisma.Sql | null {
  switch (by) {
    case 'counts':
      return storedIn(each, filter, cutRange(filter, true).direct);
    case 'words':
      return eventsBesideWords(each, filter);
    case 'columns':
    case 'events':
      return storedIn(each, filter, [filter]);
  }
}

function storedIn(
  each: EachTenant,
  filter: AuditEventFilter,
  ranges: readonly TimeRange[],
): Prisma.Sql | null {
  if (ranges.length === 0) return null;
  const every = { ...onlyFilters(filter, () => false), search: [], expression: null };
  const sums = ranges.map((range) => {
    const within = { ...every, ...inWholeHours(range) };
    return Prisma.sql`SELECT s.n FROM (${segmentsOf(each, within, countedOf(within, 'recordId'))}) s`;
  });
  return Prisma.sql`SELECT coalesce(sum(u.n), 0)::float8 AS n FROM (${Prisma.join(sums, ' UNION ALL ')}) u`;
}

const TICKS_PER_HOUR = BigInt(HOUR_MS) * TICKS_PER_MS;
const inWholeHours = ({ from, to }: TimeRange): TimeRange => ({
  from: from === null ? null : floorDiv(from, TICKS_PER_HOUR) * TICKS_PER_HOUR,
  to: to === null ? null : ceilDiv(to, TICKS_PER_HOUR) * TICKS_PER_HOUR,
});
