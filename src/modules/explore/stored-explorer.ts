import type { Planning, Prisma, ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { TooManyValues } from '../../errors';
import { DAY_MS, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import type { AuditEventFilter } from '../../event/query';
import type { Zone } from '../../event/zone';
import { LIMITS } from '../../limits';
import { fromRowsAlone } from '../../store/archive/in-parts';
import { type ColumnCounter, inSnapshot } from '../../store/columns/counter';
import { byTier, type Plan, planOf } from '../../store/plan';
import type { Row } from '../../store/rows/event-rows';
import type { TenantSet } from '../../tenant-set';
import { bucketsOf, type ClosedRange, closedRange, fittingWidth } from './buckets';
import { eventGroups, facetsByColumns, windowsByColumns, windowsInParts } from './explore-by-columns';
import {
  type AuditEventExplorer,
  type EventGrid,
  type EventGroups,
  type EventSeries,
  type FacetQuestion,
  type Facets,
  type FilteredGroups,
  type GridQuestion,
  type GroupQuestion,
  type Histogram,
  type SeriesQuestion,
  type WeekHours,
} from './explorer';
import { facetOf, holding, outcomeFacet, outcomes } from './facet-rows';
import { facetsStatement, TOTAL } from './facets.statement';
import { gridByColumns } from './group-grid';
import { NO_SERIES, seriesByColumns } from './group-series';
import { extentStatement, histogramStatement, readableEvents } from './histogram.statement';
import { NO_WEEK_HOURS, tooManyHours, weekHoursOf } from './week-hours';
import { bucketsOfDays, fittingDays, zoneDays } from './zone-days';

const nullIfMany = (error: unknown): null => {
  if (!(error instanceof TooManyValues)) throw error;
  return null;
};

/** Counts events over time and by value, from the counts if they suffice, else from the events. */
export class PostgresAuditEventExplorer implements AuditEventExplorer {
  constructor(
    private readonly service: ServiceDoor,
    private readonly readMax: number = LIMITS.exploreReadEventsMax,
  ) {}

  histogram(
    tenants: TenantSet,
    filter: AuditEventFilter,
    bucketsMax: number,
    zone: Zone | null = null,
  ): Promise<Histogram> {
    const asked = { bucketsMax, zone };
    return byTier(
      this.service,
      { tenants, range: filter },
      () => this.#histogram(tenants, filter, { ...asked, reachesFiles: false }),
      () => this.#histogram(tenants, filter, { ...asked, reachesFiles: true }),
    );
  }

  async #histogram(
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: HistogramQuestion & { readonly zone: Zone | null },
  ): Promise<Histogram> {
    const range = closedRange(await this.#closed(tenants, filter));
    if (!range) return { widthMs: HOUR_MS, zone: null, buckets: [] };
    const within = { ...filter, ...range };
    const planned = await this.#planned(tenants, within, asked);
    const ofZone = await this.#ofZone(tenants, within, planned.widthMs, asked);
    if (ofZone) return ofZone;
    const { widthMs } = planned;
    const counted = await this.#counted(tenants, within, planned);
    return { widthMs, zone: null, buckets: bucketsOf(range, widthMs, counted) };
  }

  /** Null: the buckets are shorter than days, or days of the zone cannot be counted, or not without reading too much. */
  async #ofZone(
    tenants: TenantSet,
    filter: AuditEventFilter & ClosedRange,
    width: number,
    { bucketsMax, zone, reachesFiles }: HistogramQuestion & { readonly zone: Zone | null },
  ): Promise<Histogram | null> {
    const fitting = fittingDays(filter, { width, bucketsMax, zone });
    if (!fitting || !zone) return null;
    const { widthMs, days } = fitting;
    const plan = planOf({ kind: 'histogram', filter, widthMs: days.partMs, reachesFiles });
    if (plan.by === 'events' && !(await this.#mayRead(tenants, filter))) return null;
    const counted = await this.#counted(tenants, filter, { widthMs: days.partMs, plan });
    return { widthMs, zone: zone.name, buckets: bucketsOfDays(filter, days, counted) };
  }

  /** Outcomes by the number of the bucket. */
  async #counted(tenants: TenantSet, filter: AuditEventFilter & ClosedRange, { widthMs, plan }: Planned) {
    const { service } = this;
    if (plan.by === 'columns') {
      const inParts = plan.reachesFiles
        ? await guarded(() => windowsInParts(service, tenants, filter, widthMs))
        : null;
      return inParts ?? guarded(() => windowsByColumns(service, tenants, filter, widthMs));
    }
    const statement = histogramStatement(service.each(tenants), filter, widthMs);
    const rows = await this.#rows(tenants, statement, plan.planning);
    return new Map(rows.map((row) => [Number(row.bucket), outcomes(row)]));
  }

  facets(tenants: TenantSet, filter: AuditEventFilter, asked: FacetQuestion): Promise<Facets> {
    return byTier(
      this.service,
      { tenants, range: filter },
      () => this.#facets(tenants, filter, asked, false),
      async () =>
        (await this.#facetsOfRows(tenants, filter, asked)) ?? this.#facets(tenants, filter, asked, true),
    );
  }

  async #facets(
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: FacetQuestion,
    reachesFiles: boolean,
  ): Promise<Facets> {
    const { service } = this;
    const plan = planOf({ kind: 'facets', filter, fields: asked.fields, reachesFiles });
    const byColumns = () => guarded(() => facetsByColumns(service, tenants, filter, asked));
    if (plan.by === 'columns') return byColumns();
    const found = await this.#facetsBy(tenants, filter, asked, (statement) =>
      this.#rows(tenants, statement, plan.planning),
    );
    return found ?? byColumns();
  }

  /** Null: files may have events of the range, or columns are to count them, or only they know all values. */
  async #facetsOfRows(
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: FacetQuestion,
  ): Promise<Facets | null> {
    const { service } = this;
    const { by } = planOf({ kind: 'facets', filter, fields: asked.fields });
    if (by === 'columns' || service.each(tenants).isScattered) return null;
    return guarded(() =>
      fromRowsAlone(service, tenants, filter, (ask) => this.#facetsBy(tenants, filter, asked, ask)),
    );
  }

  /** Null: a text was searched for, and there are more values than were looked at. */
  async #facetsBy(
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: FacetQuestion,
    ask: (statement: Prisma.Sql) => Promise<readonly Row[]>,
  ): Promise<Facets | null> {
    const { fields, limit, contains } = asked;
    const each = this.service.each(tenants);
    // Values that contain a text are chosen here, with the service's own rules for letter case.
    const read = { ...asked, limit: contains === null ? limit : LIMITS.facetValuesSearchedMax };
    const rows = await ask(facetsStatement(each, filter, read, this.readMax));
    const total = outcomes(rows.find((row) => row.facet === TOTAL) ?? {});
    const all = fields.map((field) =>
      field === 'succeeded' ? outcomeFacet(total, read.limit) : facetOf(field, rows, filter),
    );
    if (contains !== null && all.some(({ distinct }) => (distinct ?? 0) > read.limit)) return null;
    const facets = contains === null ? all : all.map((facet) => holding(facet, contains, limit));
    return { totalCount: total.succeeded + total.failed, facets };
  }

  async groups(tenants: TenantSet, filter: AuditEventFilter, asked: GroupQuestion): Promise<EventGroups> {
    const [groups] = await this.groupsOfEach(tenants, [{ ...asked, filter }]);
    return groups as EventGroups;
  }

  async groupsOfEach(
    tenants: TenantSet,
    questions: readonly FilteredGroups[],
  ): Promise<readonly (EventGroups | null)[]> {
    const { service } = this;
    const [first] = questions;
    if (!first) return [];
    return guarded(() =>
      inSnapshot(service, tenants, first.filter, async (counter) => {
        const all: (EventGroups | null)[] = [];
        counter.once.hasSeveral = questions.length > 1;
        const counters = questions.map(({ filter }) => counter.with(filter));
        for (const tenantId of tenants) for (const one of counters) await one.tenantHours(tenantId);
        for (const [i, { filter, mayBeMany, ...asked }] of questions.entries()) {
          const counted = eventGroups(counters[i] as ColumnCounter, filter, asked);
          all.push(await (mayBeMany ? counted.catch(nullIfMany) : counted));
        }
        return all;
      }),
    );
  }

  async groupGrid(tenants: TenantSet, filter: AuditEventFilter, asked: GridQuestion): Promise<EventGrid> {
    return guarded(() =>
      inSnapshot(this.service, tenants, filter, (counter) => gridByColumns(counter, asked)),
    );
  }

  async groupsOverTime(
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: SeriesQuestion,
  ): Promise<EventSeries> {
    const range = closedRange(await this.#closed(tenants, filter));
    if (!range) return NO_SERIES;
    const within = { ...filter, ...range };
    return guarded(() =>
      inSnapshot(this.service, tenants, within, (counter) => seriesByColumns(counter, within, asked)),
    );
  }

  weekHours(tenants: TenantSet, filter: AuditEventFilter, zone: Zone): Promise<WeekHours> {
    const count = async (reachesFiles: boolean) => {
      const range = closedRange(await this.#closed(tenants, filter));
      if (!range) return NO_WEEK_HOURS;
      const within = { ...filter, ...range };
      const days = zoneDays(range, DAY_MS, zone);
      if (!days) throw tooManyHours();
      const plan = planOf({ kind: 'histogram', filter: within, widthMs: days.partMs, reachesFiles });
      const by = plan.by === 'events' ? 'columns' : plan.by;
      const counted = await this.#counted(tenants, within, { widthMs: days.partMs, plan: { ...plan, by } });
      return { ...range, ...weekHoursOf(counted, days.partMs, zone) };
    };
    return byTier(
      this.service,
      { tenants, range: filter },
      () => count(false),
      () => count(true),
    );
  }

  /** Replaces an open end by the border of the hours that have events. */
  async #closed(tenants: TenantSet, { from, to }: AuditEventFilter) {
    if (from !== null && to !== null) return { from, to };
    const [row] = await this.#rows(tenants, extentStatement(this.service.each(tenants)));
    const ticks = (hour: unknown) =>
      hour === null || hour === undefined ? null : BigInt(Number(hour)) * TICKS_PER_HOUR;
    const [first, last] = [ticks(row?.first), ticks(row?.last)];
    return { from: from ?? first, to: to ?? (last === null ? null : last + TICKS_PER_HOUR) };
  }

  /** The finest width that fits. If the range has too many events to read, the finest without reading each. */
  async #planned(
    tenants: TenantSet,
    filter: AuditEventFilter & ClosedRange,
    { bucketsMax, reachesFiles }: HistogramQuestion,
  ): Promise<Planned> {
    const [finest, ...wider] = WIDTHS_MS.map((atLeast) => {
      const widthMs = fittingWidth(filter, bucketsMax, atLeast);
      return { widthMs, plan: planOf({ kind: 'histogram', filter, widthMs, reachesFiles }) };
    }) as [Planned, ...Planned[]];
    if (finest.plan.by !== 'events') return finest;
    if (await this.#mayRead(tenants, filter)) return finest;
    return wider.find(({ plan }) => plan.by !== 'events') ?? finest;
  }

  /** Whether few enough events must be read. */
  async #mayRead(tenants: TenantSet, filter: AuditEventFilter): Promise<boolean> {
    const [row] = await this.#rows(tenants, readableEvents(this.service.each(tenants), filter));
    return Number(row?.n) <= this.readMax;
  }

  #rows(tenants: TenantSet, statement: Prisma.Sql, planning: Planning = 'once') {
    return guarded(() => this.service.ask(statement, tenants, planning));
  }
}

interface HistogramQuestion {
  readonly bucketsMax: number;
  readonly reachesFiles: boolean;
}
interface Planned {
  readonly widthMs: number;
  readonly plan: Plan;
}
/** The least widths that are tried, finest first. */
const WIDTHS_MS = [0, HOUR_MS, DAY_MS];
const TICKS_PER_HOUR = BigInt(HOUR_MS) * TICKS_PER_MS;
