import { Prisma, type Row, type ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { formatTicks, parseTicks } from '../../../event/event-time';
import type { ParameterValues } from '../../../event/parameter-specs';
import type { Page } from '../../../event/query';
import { eventTimeOf } from '../../../event/record-id';
import type { Answer } from '../../../event/shape';
import { SEVERITIES, type Severity } from '../../../rules/rule';
import { fromStored } from '../../../store/rows/stored-text';
import type { TenantSet } from '../../../tenant-set';
import {
  type INCIDENT,
  INCIDENT_ENTITIES_MAX,
  type INCIDENT_LIST_ITEM,
  INCIDENT_SORTS,
  type INCIDENTS_PARAMETERS,
} from '../base/incident-answers';
import { deedAnswers } from './deeds';
import { type Entity, linkOf, readAbout } from './incident-about';
import { type FindEvents, nextEventOf } from './next-event';
import { toldTimesOf } from './told-times';

type ListItem = Answer<typeof INCIDENT_LIST_ITEM>;
type Incident = Answer<typeof INCIDENT>;
type Line = Incident['timeline'][number];

const COLUMNS = Prisma.raw(
  'tenant_id, incident_id::text AS incident_id, title, severity, status, verdict, assignee, first_event, last_event, ' +
    'alert_count, event_count, rows_read, rows_changed, created_at, updated_at, acknowledged_at',
);
const ALERTS_MAX = 1_000;
const FINDINGS_MAX = 1_000;
const STOPS_MAX = 10;
/** A shorter silence after a stop is an audit that is enabled again, or another audit that goes on. */
const UNRECORDED_TICKS_MIN = 600_000_000n;
const WEEK_TICKS = 7n * 86_400n * 10_000_000n;

/** Reads incidents of tenants. */
export class IncidentReader {
  constructor(
    private readonly service: ServiceDoor,
    private readonly find: FindEvents,
  ) {}

  async incidents(
    tenants: TenantSet,
    filters: ParameterValues<typeof INCIDENTS_PARAMETERS>,
  ): Promise<Page<ListItem>> {
    const { page, pageSize, sortBy, sortDirection, status, severity, startTime, endTime } = filters;
    const where = Prisma.join(
      [
        // One whose last alert was moved away keeps its history, but is no story.
        Prisma.sql`tenant_id = ANY(${[...tenants]}::int[]) AND alert_count > 0`,
        ...(status === undefined ? [] : [Prisma.sql`status = ${status}`]),
        ...(severity === undefined
          ? []
          : [Prisma.sql`severity = ${SEVERITIES.indexOf(severity as Severity) + 1}::int`]),
        ...(startTime === undefined
          ? []
          : [Prisma.sql`last_event >= ${parseTicks(startTime) ?? 0n}::bigint`]),
        ...(endTime === undefined ? [] : [Prisma.sql`first_event < ${parseTicks(endTime) ?? 0n}::bigint`]),
      ],
      ' AND ',
    );
    const direction = sortDirection === 'asc' ? 'ASC' : 'DESC';
    const sort = INCIDENT_SORTS[sortBy as keyof typeof INCIDENT_SORTS];
    const order = Prisma.raw(`${sort} ${direction}, incident.incident_id ${direction}`);
    const offset = (page - 1) * pageSize;
    // One statement gives page and total of the same moment. An empty page has one row, without an id.
    const rows = await this.#rows(
      Prisma.sql`SELECT t.total, p.* FROM (SELECT count(*)::int AS total FROM incident WHERE ${where}) t LEFT JOIN (
        SELECT ${COLUMNS}, row_number() OVER (ORDER BY ${order}) AS n FROM incident WHERE ${where}
        ORDER BY ${order} LIMIT ${pageSize}::int OFFSET ${offset}::bigint) p ON true ORDER BY p.n`,
      tenants,
    );
    const items = rows.filter((row) => row.n !== null).map(toItem);
    return { items, totalCount: Number(rows[0]?.total ?? 0), page, pageSize };
  }

  /** The incidents that are not resolved, by severity, the most severe first. */
  async open(tenants: TenantSet): Promise<
    readonly {
      readonly severity: Severity;
      readonly incidents: number;
      readonly unacknowledged: number;
      readonly oldestTime: string;
    }[]
  > {
    const rows = await this.#rows(
      Prisma.sql`SELECT severity, count(*)::int AS n, (count(*) FILTER (WHERE status = 'new'))::int AS unread,
          min(created_at) AS oldest FROM incident
        WHERE tenant_id = ANY(${[...tenants]}::int[]) AND alert_count > 0 AND status <> 'resolved'
        GROUP BY severity ORDER BY severity DESC`,
      tenants,
    );
    return rows.map((row) => ({
      severity: severityOf(row.severity),
      incidents: Number(row.n),
      unacknowledged: Number(row.unread),
      oldestTime: timeOf(row.oldest),
    }));
  }

  async incident(tenants: TenantSet, incidentId: string): Promise<Incident | null> {
    const of = Prisma.sql`tenant_id = ANY(${[...tenants]}::int[]) AND incident_id = ${incidentId}::uuid`;
    const [row] = await this.#rows(Prisma.sql`SELECT ${COLUMNS} FROM incident WHERE ${of}`, tenants);
    if (!row) return null;
    const alerts = await this.#rows(
      Prisma.sql`SELECT alert_id::text AS alert_id, title, severity, status, deeds, about, instances, placed_by,
        first_event, last_event FROM alert WHERE ${of} ORDER BY first_event, alert_id LIMIT ${ALERTS_MAX}::int`,
      tenants,
    );
    const item = toItem(row);
    return {
      ...item,
      entities: entitiesOf(alerts),
      alerts: alerts.map(toAlert),
      timeline: await this.#timeline(tenants, Number(item.tenantId), alerts),
      unrecorded: await this.#unrecorded(Number(item.tenantId), alerts),
    };
  }

  async #timeline(tenants: TenantSet, tenantId: number, alerts: readonly Row[]): Promise<readonly Line[]> {
    const ids = alerts.map((alert) => String(alert.alert_id));
    const rows = await this.#rows(
      Prisma.sql`SELECT alert_id::text AS alert_id, title, severity, deeds, first_event, last_event FROM finding
        WHERE tenant_id = ${tenantId}::int AND alert_id = ANY(${ids}::uuid[])
        ORDER BY first_event, last_event, finding_id LIMIT ${FINDINGS_MAX}::int`,
      tenants,
    );
    const lines: Line[] = [];
    for (const row of rows) {
      const text = deedAnswers(row.deeds).summary ?? fromStored(String(row.title));
      const line: Line = {
        firstEventTime: ticksOf(row.first_event),
        lastEventTime: ticksOf(row.last_event),
        text,
        severity: severityOf(row.severity),
        findingCount: 1,
        alertId: String(row.alert_id),
      };
      const before = lines.at(-1);
      if (before?.text === text && before.severity === line.severity) {
        const lastEventTime = [before.lastEventTime, line.lastEventTime].sort().at(-1) ?? line.lastEventTime;
        lines[lines.length - 1] = { ...before, lastEventTime, findingCount: before.findingCount + 1 };
      } else lines.push(line);
    }
    return lines;
  }

  /** The times after the audit was stopped, each until the next event of its server instance. */
  async #unrecorded(tenantId: number, alerts: readonly Row[]): Promise<Incident['unrecorded']> {
    const stops = alerts.filter((alert) => aboutOf(alert).step === 'audit stopped').slice(0, STOPS_MAX);
    const found = new Map<string, Incident['unrecorded'][number]>();
    for (const stop of stops)
      for (const instance of (stop.instances as readonly string[]).slice(0, STOPS_MAX)) {
        const from = BigInt(stop.last_event as bigint | string);
        const range = { from: from + 1n, to: from + WEEK_TICKS };
        const next = await nextEventOf(this.find, { tenantId, instance: fromStored(instance) }, range);
        const to = next === null ? null : eventTimeOf(next);
        const isShort = to !== null && (parseTicks(to) ?? 0n) - from < UNRECORDED_TICKS_MIN;
        if (!isShort)
          found.set(`${instance} ${to}`, {
            serverInstanceName: fromStored(instance),
            from: formatTicks(from),
            to,
          });
      }
    return [...found.values()];
  }

  async #rows(statement: Prisma.Sql, tenants: TenantSet): Promise<readonly Row[]> {
    return guarded(() => this.service.ask(statement, tenants));
  }
}

const timeOf = (value: unknown): string => new Date(value as string | Date).toISOString();
const ticksOf = (value: unknown): string => formatTicks(BigInt(value as string | bigint));
const severityOf = (value: unknown): Severity => SEVERITIES[Number(value) - 1] ?? 'low';
const aboutOf = (alert: Row) => readAbout(String(alert.about));

function entitiesOf(alerts: readonly Row[]): readonly Entity[] {
  const all = alerts.flatMap((alert) => aboutOf(alert).entities);
  const each = new Map(all.map((one) => [`${one.part} ${linkOf(one)}`, one]));
  return [...each.values()].slice(0, INCIDENT_ENTITIES_MAX);
}

const toAlert = (row: Row): Incident['alerts'][number] => ({
  alertId: String(row.alert_id),
  title: fromStored(String(row.title)),
  severity: severityOf(row.severity),
  status: row.status as Incident['alerts'][number]['status'],
  summary: deedAnswers(row.deeds).summary,
  firstEventTime: ticksOf(row.first_event),
  lastEventTime: ticksOf(row.last_event),
  placedBy: row.placed_by === null ? null : fromStored(String(row.placed_by)),
});

const toItem = (row: Row): ListItem => ({
  incidentId: String(row.incident_id),
  tenantId: String(row.tenant_id),
  title: fromStored(String(row.title)),
  severity: severityOf(row.severity),
  status: row.status as ListItem['status'],
  verdict: row.verdict as ListItem['verdict'],
  assignee: row.assignee === null ? null : fromStored(String(row.assignee)),
  firstEventTime: ticksOf(row.first_event),
  lastEventTime: ticksOf(row.last_event),
  alertCount: Number(row.alert_count),
  eventCount: Number(row.event_count),
  rowsRead: Number(row.rows_read),
  rowsChanged: Number(row.rows_changed),
  createdAt: timeOf(row.created_at),
  ...toldTimesOf(row),
  updatedAt: timeOf(row.updated_at),
});
