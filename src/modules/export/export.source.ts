import type { Prisma, ServiceDoor } from '../../database/clients';
import { isFailure } from '../../database/failure';
import { guarded } from '../../database/limited';
import { HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { type AnyField, isLifted, type LiftedName } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import { idBefore, recordIdFloor, ticksOfRecordId } from '../../event/record-id';
import { LIMITS } from '../../limits';
import { inSnapshot } from '../../store/columns/counter';
import { byTier, planOf } from '../../store/plan';
import { type Row, toStoredEvent } from '../../store/rows/event-rows';
import { type EventValues, valuesOfRows } from '../../store/rows/event-values';
import type { TenantSet } from '../../tenant-set';
import {
  exportPageStatement,
  exportValuesStatement,
  isRead,
  sliceEndStatement,
  spansStatement,
} from './export.statements';
import type { ExportPage, ExportPlan, ExportSource, IdSpan, PageLimits } from './export-source';
import { pageAcross } from './page-across';

const HOUR_TICKS = 3_600_000n * TICKS_PER_MS;
const ALL: IdSpan = {
  after: '00000000-0000-0000-0000-000000000000',
  upTo: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

const LIMITS_OF_PAGES: PageLimits = {
  events: LIMITS.exportPageEvents,
  bytes: LIMITS.exportPageBytes,
  read: LIMITS.exportReadEvents,
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
    return this.#byTier(
      { tenants, span },
      () =>
        this.#pageOfRows(tenants, filter, span, async (slice, ask) => {
          const each = this.service.each(tenants);
          const rows = await ask(exportPageStatement(each, filter, slice, this.limits, lifted));
          const events = rows.map(toStoredEvent);
          return { events, last: events.at(-1)?.recordId ?? null, matched: Number(rows[0]?.matched ?? 0) };
        }),
      async () => {
        const { events, after } = await this.#pageAcross(tenants, filter, span, lifted);
        return { events: events.map(toStoredEvent), after };
      },
    );
  }

  values(
    tenants: TenantSet,
    filter: AuditEventFilter,
    span: IdSpan,
    fields: readonly AnyField[],
  ): Promise<ExportPage<EventValues>> {
    return this.#byTier(
      { tenants, span },
      () =>
        this.#pageOfRows(tenants, filter, span, async (slice, ask) => {
          const each = this.service.each(tenants);
          const statement = exportValuesStatement(each, filter, slice, this.limits, fields);
          const [{ json, length, last, matched } = NO_VALUES] = await ask<ValuesRow>(statement);
          return { events: { json, length }, last, matched: matched ?? 0 };
        }),
      async () => {
        const { events, after } = await this.#pageAcross(tenants, filter, span, fields.filter(isLifted));
        return { events: valuesOfRows(events, fields), after };
      },
    );
  }

  #byTier<T>(
    { tenants, span }: { readonly tenants: TenantSet; readonly span: IdSpan },
    ofRows: () => Promise<T>,
    across: () => Promise<T>,
  ): Promise<T> {
    return byTier(this.service, { tenants, range: { from: ticksOfRecordId(span.after) } }, ofRows, across);
  }

  /** @param read asks for the events of a slice, up to the limits */
  async #pageOfRows<Events extends { readonly length: number }>(
    tenants: TenantSet,
    filter: AuditEventFilter,
    span: IdSpan,
    read: (
      slice: IdSpan,
      ask: <R extends object = Row>(statement: Prisma.Sql) => Promise<readonly R[]>,
    ) => Promise<ReadSlice<Events>>,
  ): Promise<ExportPage<Events>> {
    const readTo = isRead(filter) ? (span.readTo ?? (await this.#sliceEnd(tenants, span))) : null;
    const slice = { after: span.after, upTo: readTo ?? span.upTo };
    const { planning } = planOf({ kind: 'export', filter });
    const { events, last, matched } = await read(slice, <R extends object = Row>(statement: Prisma.Sql) =>
      guarded(() => this.service.ask<R>(statement, tenants, planning)),
    );
    const isCut = events.length < matched || matched >= this.limits.events;
    return isCut ? { events, after: last, readTo } : { events, after: readTo };
  }

  #pageAcross(
    tenants: TenantSet,
    filter: AuditEventFilter,
    span: IdSpan,
    lifted?: readonly LiftedName[],
  ): Promise<ExportPage<readonly Row[]>> {
    return guarded(() => pageAcross(this.service, tenants, filter, span, this.limits, lifted));
  }

  async #sliceEnd(tenants: TenantSet, span: IdSpan): Promise<string | null> {
    const each = this.service.each(tenants);
    const statement = sliceEndStatement(each, span, this.limits.read);
    const [row] = await guarded(() => this.service.ask(statement, tenants));
    return row ? String(row.record_id) : null;
  }
}

/** The events of a slice, up to the limits of a page. */
interface ReadSlice<Events> {
  readonly events: Events;
  /** The last record id. */
  readonly last: string | null;
  /** Events before the cut by bytes. */
  readonly matched: number;
}

/** A row of `exportValuesStatement`. */
interface ValuesRow extends EventValues {
  readonly last: string | null;
  readonly matched: number | null;
}
const NO_VALUES: ValuesRow = { json: '[]', length: 0, last: null, matched: null };

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
