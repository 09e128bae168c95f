import type { TenantSet } from '../../caller/tenant-set';
import type { AskRows, Planning, Prisma, RunSteps } from '../../database/clients';
import { guarded } from '../../database/failure';
import { DAY_MS, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { filterOf } from '../../event/filters';
import { type AuditEventFilter, isCountable, isForColumns } from '../../event/query';
import { fold } from '../../event/search';
import { LIMITS } from '../../limits';
import { planningOf } from '../../trail/counts/dimensions';
import { eachTenant, type TenantForm } from '../../trail/counts/scope';
import { fromStored } from '../../trail/stored-text';
import { bucketsOf, type ClosedRange, closedRange, fittingWidth } from './buckets';
import { eventGroups, facetsByColumns, windowsByColumns } from './explore-by-columns';
import {
  type AuditEventExplorer,
  type EventGroups,
  type Facet,
  type FacetField,
  type FacetQuestion,
  type Facets,
  type GroupQuestion,
  type Histogram,
} from './explorer';
import { facetsStatement, isCountedField, TOTAL } from './facets.statement';
import { extentStatement, histogramStatement, isCountedBy, readableEvents } from './histogram.statement';

/** Counts events over time and by value, from the counts if they suffice, else from the events. */
export class PostgresAuditEventExplorer implements AuditEventExplorer {
  constructor(
    private readonly ask: AskRows,
    private readonly form: TenantForm,
    private readonly readMax: number = LIMITS.exploreReadEventsMax,
    private readonly snapshot: RunSteps | null = null,
  ) {}

  async histogram(tenants: TenantSet, filter: AuditEventFilter, bucketsMax: number): Promise<Histogram> {
    const each = eachTenant(tenants, this.form);
    const range = closedRange(await this.#closed(tenants, filter));
    if (!range) return { widthMs: HOUR_MS, buckets: [] };
    const within = { ...filter, ...range };
    const { snapshot, form } = this;
    if (snapshot && isForColumns(filter)) {
      const widthMs = fittingWidth(range, bucketsMax);
      const counted = await guarded(() => windowsByColumns(snapshot, form, tenants, within, widthMs));
      return { widthMs, buckets: bucketsOf(range, widthMs, counted) };
    }
    const widthMs = await this.#width(tenants, within, bucketsMax);
    const statement = histogramStatement(each, within, widthMs);
    const rows = await this.#rows(tenants, statement, planningOf(filter));
    const counted = new Map(rows.map((row) => [Number(row.bucket), outcomes(row)]));
    return { widthMs, buckets: bucketsOf(range, widthMs, counted) };
  }

  async facets(tenants: TenantSet, filter: AuditEventFilter, asked: FacetQuestion): Promise<Facets> {
    const { fields, limit, contains } = asked;
    const { snapshot, form } = this;
    if (snapshot && (isForColumns(filter) || !fields.every(isCountedField)))
      return guarded(() => facetsByColumns(snapshot, form, tenants, filter, asked));
    const each = eachTenant(tenants, this.form);
    // Values that contain a text are chosen here, with the service's own rules for letter case.
    const read = { ...asked, limit: contains === null ? limit : LIMITS.facetValuesSearchedMax };
    const statement = facetsStatement(each, filter, read, this.readMax);
    const rows = await this.#rows(tenants, statement, planningOf(filter));
    const total = outcomes(rows.find((row) => row.facet === TOTAL) ?? {});
    const facets = fields.map((field) => {
      const facet = field === 'succeeded' ? outcomeFacet(total, read.limit) : facetOf(field, rows, filter);
      return contains === null ? facet : holding(facet, contains, limit);
    });
    return { totalCount: total.succeeded + total.failed, facets };
  }

  groups(tenants: TenantSet, filter: AuditEventFilter, asked: GroupQuestion): Promise<EventGroups> {
    const { snapshot, form } = this;
    if (!snapshot) throw new Error('groups are counted in a snapshot');
    return guarded(() => eventGroups(snapshot, form, tenants, filter, asked));
  }

  /** Replaces an open end by the border of the hours that have events. */
  async #closed(tenants: TenantSet, { from, to }: AuditEventFilter) {
    if (from !== null && to !== null) return { from, to };
    const [row] = await this.#rows(tenants, extentStatement(eachTenant(tenants, this.form)));
    const ticks = (hour: unknown) =>
      hour === null || hour === undefined ? null : BigInt(Number(hour)) * TICKS_PER_HOUR;
    const [first, last] = [ticks(row?.first), ticks(row?.last)];
    return { from: from ?? first, to: to ?? (last === null ? null : last + TICKS_PER_HOUR) };
  }

  /** The finest width that fits. If the range has too many events to read, the finest width of the counts. */
  async #width(
    tenants: TenantSet,
    filter: AuditEventFilter & ClosedRange,
    bucketsMax: number,
  ): Promise<number> {
    const widths = [0, HOUR_MS, DAY_MS].map((atLeast) => fittingWidth(filter, bucketsMax, atLeast));
    const [finest = HOUR_MS] = widths;
    if (isCountedBy(filter, finest) || finest >= DAY_MS) return finest;
    const [row] = await this.#rows(tenants, readableEvents(eachTenant(tenants, this.form), filter));
    if (Number(row?.n) <= this.readMax) return finest;
    if (!isCountable(filter)) return widths.find((widthMs) => widthMs >= HOUR_MS) ?? finest;
    return widths.find((widthMs) => isCountedBy(filter, widthMs)) ?? finest;
  }

  #rows(tenants: TenantSet, statement: Prisma.Sql, planning: Planning = 'once') {
    return guarded(() => this.ask(statement, tenants, planning));
  }
}

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
