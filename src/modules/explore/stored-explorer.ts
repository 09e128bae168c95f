import type { Planning, Prisma, ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/failure';
import { DAY_MS, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { filterOf } from '../../event/filters';
import type { AuditEventFilter } from '../../event/query';
import { fold } from '../../event/search';
import type { Zone } from '../../event/zone';
import { LIMITS } from '../../limits';
import { fromRowsAlone } from '../../store/archive/in-parts';
import { type ColumnCounter, inSnapshot } from '../../store/columns/counter';
import { byTier, type Plan, planOf } from '../../store/plan';
import type { Row } from '../../store/rows/event-rows';
import { fromStored } from '../../store/rows/stored-text';
import type { TenantSet } from '../../tenant-set';
import { bucketsOf, type ClosedRange, closedRange, fittingWidth } from './buckets';
import { eventGroups, facetsByColumns, windowsByColumns, windowsInParts } from './explore-by-columns';
import {
  type AuditEventExplorer,
  type EventGroups,
  type Facet,
  type FacetField,
  type FacetQuestion,
  type Facets,
  type FilteredGroups,
  type GroupQuestion,
  type Histogram,
} from './explorer';
import { facetsStatement, TOTAL } from './facets.statement';
import { extentStatement, histogramStatement, readableEvents } from './histogram.statement';
import { bucketsOfDays, zoneDays } from './zone-days';

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
    if (zone === null || width % DAY_MS !== 0) return null;
    let widthMs = width;
    let days = zoneDays(filter, widthMs, zone);
    // Days of the zone may be one more than those of UTC.
    while (days && days.starts.length > bucketsMax) {
      widthMs = fittingWidth(filter, bucketsMax, widthMs + 1);
      days = zoneDays(filter, widthMs, zone);
    }
    if (!days) return null;
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
    if (plan.by === 'columns') return guarded(() => facetsByColumns(service, tenants, filter, asked));
    return this.#facetsBy(tenants, filter, asked, (statement) =>
      this.#rows(tenants, statement, plan.planning),
    );
  }

  /** Null: files may have events of the range, or columns are to count them. */
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

  async #facetsBy(
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: FacetQuestion,
    ask: (statement: Prisma.Sql) => Promise<readonly Row[]>,
  ): Promise<Facets> {
    const { fields, limit, contains } = asked;
    const each = this.service.each(tenants);
    // Values that contain a text are chosen here, with the service's own rules for letter case.
    const read = { ...asked, limit: contains === null ? limit : LIMITS.facetValuesSearchedMax };
    const rows = await ask(facetsStatement(each, filter, read, this.readMax));
    const total = outcomes(rows.find((row) => row.facet === TOTAL) ?? {});
    const facets = fields.map((field) => {
      const facet = field === 'succeeded' ? outcomeFacet(total, read.limit) : facetOf(field, rows, filter);
      return contains === null ? facet : holding(facet, contains, limit);
    });
    return { totalCount: total.succeeded + total.failed, facets };
  }

  async groups(tenants: TenantSet, filter: AuditEventFilter, asked: GroupQuestion): Promise<EventGroups> {
    const [groups] = await this.groupsOfEach(tenants, [{ ...asked, filter }]);
    return groups as EventGroups;
  }

  async groupsOfEach(
    tenants: TenantSet,
    questions: readonly FilteredGroups[],
  ): Promise<readonly EventGroups[]> {
    const { service } = this;
    const [first] = questions;
    if (!first) return [];
    return guarded(() =>
      inSnapshot(service, tenants, first.filter, async (counter) => {
        const all: EventGroups[] = [];
        counter.once.hasSeveral = questions.length > 1;
        const counters = questions.map(({ filter }) => counter.with(filter));
        for (const tenantId of tenants) for (const one of counters) await one.tenantHours(tenantId);
        for (const [i, { filter, ...asked }] of questions.entries())
          all.push(await eventGroups(counters[i] as ColumnCounter, filter, asked));
        return all;
      }),
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

function outcomes(row: Readonly<Record<string, unknown>>) {
  const succeeded = Number(row.ok ?? 0);
  return { succeeded, failed: Number(row.n ?? 0) - succeeded };
}

function facetOf(
  field: FacetField,
  rows: readonly Readonly<Record<string, unknown>>[],
  filter: AuditEventFilter,
): Facet {
  const own = rows.filter((row) => row.facet === field);
  if (own.length === 0 && rows.length > 0) return { field, distinct: null, values: null };
  const fixed = fixedValue(field, filter);
  const values = own.map((row) => ({ value: fixed ?? textOrNull(String(row.v)), ...outcomes(row) }));
  return { field, distinct: Number(own[0]?.distinct_n ?? 0), values };
}

/** The values of a facet that contain a text. */
function holding(facet: Facet, text: string, limit: number): Facet {
  const wanted = fold(text);
  if (facet.values === null) return facet;
  const values = facet.values.filter(({ value }) => value !== null && fold(value).includes(wanted));
  return { ...facet, distinct: values.length, values: values.slice(0, limit) };
}

function fixedValue(field: FacetField, filter: AuditEventFilter): string | null {
  const name = filterOf(field);
  const value = name ? filter[name] : null;
  return typeof value === 'string' ? value : null;
}

const textOrNull = (stored: string) => (stored === '' ? null : fromStored(stored));

function outcomeFacet({ succeeded, failed }: ReturnType<typeof outcomes>, limit: number): Facet {
  const values = [
    { value: 'true', succeeded, failed: 0 },
    { value: 'false', succeeded: 0, failed },
  ].filter((value) => value.succeeded + value.failed > 0);
  values.sort((a, b) => b.succeeded + b.failed - (a.succeeded + a.failed));
  return { field: 'succeeded', distinct: values.length, values: values.slice(0, limit) };
}
