import type { ServiceDoor } from '../../database/clients';
import { isFailure } from '../../database/failure';
import { guarded } from '../../database/limited';
import { HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import type { LiftedName } from '../../event/fields';
import { FILTER_SPECS } from '../../event/filters';
import { type AuditEventFilter, givenFilters } from '../../event/query';
import { idBefore, recordIdFloor, ticksOfRecordId } from '../../event/record-id';
import { LIMITS } from '../../limits';
import { inSnapshot } from '../../store/columns/counter';
import { byTier, planOf } from '../../store/plan';
import { toStoredEvent } from '../../store/rows/event-rows';
import type { TenantSet } from '../../tenant-set';
import { exportPageStatement, sliceEndStatement, spansStatement } from './export.statements';
import type { ExportPage, ExportPlan, ExportSource, IdSpan } from './export-source';
import { pageAcross } from './page-across';

const HOUR_TICKS = 3_600_000n * TICKS_PER_MS;
const ALL: IdSpan = {
  after: '00000000-0000-0000-0000-000000000000',
  upTo: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/** `read` is the number of events that one statement examines to find matching ones. */
const LIMITS_OF_PAGES = {
  events: LIMITS.exportPageEvents as number,
  bytes: LIMITS.exportPageBytes as number,
  read: LIMITS.exportReadEvents as number,
};

/** Reads events by the primary key. Each page is its own statement, so there is no long transaction. */
export class PostgresExportSource implements ExportSource {
  constructor(
    private readonly service: ServiceDoor,
    private readonly limits = LIMITS_OF_PAGES,
  ) {}

  async plan(tenants: TenantSet, filter: AuditEventFilter): Promise<ExportPlan> {
    try {
      const hours = (reachesFiles: boolean) => () =>
        guarded(() => this.#hours(tenants, filter, reachesFiles));
      const rows = await byTier(this.service, { tenants, range: filter }, hours(false), hours(true));
      const spans = rows.map(({ lo, hi }) => ({
        after: lastBefore(Number(lo)),
        upTo: lastBefore(Number(hi)),
      }));
      const totalCount = rows.reduce((sum, { n }) => sum + Number(n), 0);
      return { totalCount, spans: joined(spans) };
    } catch (error) {
      // The condition matches nearly every event, so they are examined during the export instead.
      if (isFailure(error, 'query_canceled')) return { totalCount: null, spans: [ALL] };
      throw error;
    }
  }

  /** The hours [lo, hi) with matching events, in order, and the number of these events. */
  async #hours(tenants: TenantSet, filter: AuditEventFilter, reachesFiles: boolean) {
    const { service } = this;
    const plan = planOf({ kind: 'export', filter, reachesFiles });
    if (plan.by !== 'columns')
      return service.ask(spansStatement(service.each(tenants), filter), tenants, plan.planning);
    const { windows } = await inSnapshot(service, tenants, filter, (counter) =>
      counter.count({ windowMs: HOUR_MS, fields: [], hasOutcomes: false }),
    );
    return [...windows].sort(([a], [b]) => a - b).map(([lo, { n }]) => ({ lo, hi: lo + 1, n }));
  }

  page(
    tenants: TenantSet,
    filter: AuditEventFilter,
    span: IdSpan,
    lifted?: readonly LiftedName[],
  ): Promise<ExportPage> {
    return byTier(
      this.service,
      { tenants, range: { from: ticksOfRecordId(span.after) } },
      () => this.#pageOfRows(tenants, filter, span, lifted),
      () => guarded(() => pageAcross(this.service, tenants, filter, span, this.limits, lifted)),
    );
  }

  async #pageOfRows(
    tenants: TenantSet,
    filter: AuditEventFilter,
    span: IdSpan,
    lifted?: readonly LiftedName[],
  ): Promise<ExportPage> {
    const each = this.service.each(tenants);
    const upTo = isRead(filter) ? await this.#sliceEnd(tenants, span) : null;
    const slice = { after: span.after, upTo: upTo ?? span.upTo };
    const statement = exportPageStatement(each, filter, slice, this.limits, lifted);
    const { planning } = planOf({ kind: 'export', filter });
    const rows = await guarded(() => this.service.ask(statement, tenants, planning));
    const events = rows.map(toStoredEvent);
    const matched = Number(rows[0]?.matched ?? 0);
    const isCut = rows.length < matched || matched >= this.limits.events;
    return { events, after: isCut ? (events.at(-1)?.recordId ?? null) : upTo };
  }

  async #sliceEnd(tenants: TenantSet, span: IdSpan): Promise<string | null> {
    const each = this.service.each(tenants);
    const statement = sliceEndStatement(each, span, this.limits.read);
    const [row] = await guarded(() => this.service.ask(statement, tenants));
    return row ? String(row.record_id) : null;
  }
}

/**
 * Whether events must be read to see if they match. An index finds those of a time range, and of some filters in it.
 */
const isRead = (filter: AuditEventFilter) =>
  filter.search.length > 0 || givenFilters(filter).some((name) => !FILTER_SPECS[name].isIndexed);

/** The last record id before an hour since 1970. */
const lastBefore = (hour: number) => idBefore(recordIdFloor(BigInt(hour) * HOUR_TICKS));

/** Joins adjacent spans. Days and hours next to them do not overlap. */
function joined(spans: readonly IdSpan[]): IdSpan[] {
  const all: IdSpan[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last?.upTo === span.after) all[all.length - 1] = { after: last.after, upTo: span.upTo };
    else all.push(span);
  }
  return all;
}
