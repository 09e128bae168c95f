import type { MarkedTenants } from '../../../caller/principal';
import { askingBy, type OwnerDoor, Prisma, type Row, type ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { formatTicks, parseTicks } from '../../../event/event-time';
import type { ParameterValues } from '../../../event/parameter-specs';
import type { Page } from '../../../event/query';
import type { Answer } from '../../../event/shape';
import { SEVERITIES, type Severity } from '../../../rules/rule';
import { maskedGroup } from '../../../store/rows/masked';
import { fromStored, toStored } from '../../../store/rows/stored-text';
import type { TenantSet } from '../../../tenant-set';
import { API_BASE_PATH } from '../../../version';
import {
  type ALERT,
  ALERT_SORTS,
  type ALERTS_PARAMETERS,
  type FINDING,
  FINDING_SORTS,
  type FINDINGS_PARAMETERS,
} from '../base/answers';
import { deedAnswers } from './deeds';
import { toldTimesOf } from './told-times';

type AlertAnswer = Answer<typeof ALERT>;
type FindingAnswer = Answer<typeof FINDING>;
type AlertFilters = ParameterValues<typeof ALERTS_PARAMETERS>;
type FindingFilters = ParameterValues<typeof FINDINGS_PARAMETERS>;

const ALERT_COLUMNS = Prisma.raw(
  'tenant_id, alert_id::text AS alert_id, rule_id::text AS rule_id, title, severity, status, verdict, assignee, ' +
    'group_values, first_event, last_event, finding_count, event_count, created_at, updated_at, deeds, ' +
    'incident_id::text AS incident_id, acknowledged_at',
);
/** The most alerts of incidents that are read for a mail, and the most that it names. */
const OTHERS_MAX = 1_000;
const OTHERS_SHOWN_MAX = 20;
const FINDING_COLUMNS = Prisma.raw(
  'tenant_id, finding_id::text AS finding_id, alert_id::text AS alert_id, rule_id::text AS rule_id, rule_version, title, ' +
    'severity, group_values, first_event, last_event, record_ids::text[] AS record_ids, event_count, detected_at, deeds',
);

interface Grouped {
  readonly tenantId: string;
  readonly group: object;
}

/** Reads alerts and findings of tenants. */
export class AlertReader {
  readonly #ask: ServiceDoor['ask'];

  constructor(
    door: ServiceDoor | OwnerDoor,
    private readonly maskedTenants: Pick<MarkedTenants, 'among'>,
  ) {
    this.#ask = askingBy(door);
  }

  async alerts(tenants: TenantSet, filters: AlertFilters): Promise<Page<AlertAnswer>> {
    const where = [
      ...conditionsOf(tenants, filters),
      ...(filters.status === undefined ? [] : [Prisma.sql`status = ${filters.status}`]),
    ];
    const sort = ALERT_SORTS[filters.sortBy as keyof typeof ALERT_SORTS];
    return this.#page(tenants, where, filters, {
      table: 'alert',
      id: 'alert_id',
      sort,
      columns: ALERT_COLUMNS,
      to: toAlert,
    });
  }

  async findings(tenants: TenantSet, filters: FindingFilters): Promise<Page<FindingAnswer>> {
    const where = [
      ...conditionsOf(tenants, filters),
      ...(filters.alertId === undefined ? [] : [Prisma.sql`alert_id = ${filters.alertId}::uuid`]),
    ];
    const sort = FINDING_SORTS[filters.sortBy as keyof typeof FINDING_SORTS];
    return this.#page(tenants, where, filters, {
      table: 'finding',
      id: 'finding_id',
      sort,
      columns: FINDING_COLUMNS,
      to: toFinding,
    });
  }

  async alert(tenants: TenantSet, alertId: string): Promise<AlertAnswer | null> {
    const [row] = await this.#rows(
      Prisma.sql`SELECT ${ALERT_COLUMNS} FROM alert WHERE tenant_id = ANY(${[...tenants]}::int[]) AND alert_id = ${alertId}::uuid`,
      tenants,
    );
    return row ? ((await this.#shown([toAlert(row)]))[0] ?? null) : null;
  }

  /** @returns for an alert: the titles of others of its incident, the worst first, each once */
  async othersOf(
    tenants: TenantSet,
    alerts: readonly Pick<AlertAnswer, 'alertId' | 'incidentId'>[],
  ): Promise<(of: Pick<AlertAnswer, 'alertId' | 'incidentId'>) => readonly string[]> {
    const ids = [...new Set(alerts.flatMap(({ incidentId }) => incidentId ?? []))];
    if (ids.length === 0) return () => [];
    const rows = await this.#rows(
      Prisma.sql`SELECT alert_id::text AS id, incident_id::text AS incident, title FROM alert
        WHERE tenant_id = ANY(${[...tenants]}::int[]) AND incident_id = ANY(${ids}::uuid[])
        ORDER BY severity DESC, first_event, alert_id LIMIT ${OTHERS_MAX}::int`,
      tenants,
    );
    return ({ alertId, incidentId }) => {
      const others = rows.filter((row) => row.incident === incidentId && row.id !== alertId);
      return [...new Set(others.map((row) => fromStored(String(row.title))))].slice(0, OTHERS_SHOWN_MAX);
    };
  }

  async finding(tenants: TenantSet, findingId: string): Promise<FindingAnswer | null> {
    const [row] = await this.#rows(
      Prisma.sql`SELECT ${FINDING_COLUMNS} FROM finding WHERE tenant_id = ANY(${[...tenants]}::int[]) AND finding_id = ${findingId}::uuid`,
      tenants,
    );
    return row ? ((await this.#shown([toFinding(row)]))[0] ?? null) : null;
  }

  async #page<T extends Grouped>(
    tenants: TenantSet,
    where: readonly Prisma.Sql[],
    { page, pageSize, sortDirection }: { page: number; pageSize: number; sortDirection: string },
    of: { table: string; id: string; sort: string; columns: Prisma.Sql; to: (row: Row) => T },
  ): Promise<Page<T>> {
    const [from, conditions] = [Prisma.raw(of.table), Prisma.join([...where], ' AND ')];
    const direction = sortDirection === 'asc' ? 'ASC' : 'DESC';
    const order = Prisma.raw(`${of.sort} ${direction}, ${of.table}.${of.id} ${direction}`);
    const offset = (page - 1) * pageSize;
    // One statement gives page and total of the same moment. An empty page has one row, without an id.
    const rows = await this.#rows(
      Prisma.sql`SELECT t.total, p.* FROM (SELECT count(*)::int AS total FROM ${from} WHERE ${conditions}) t LEFT JOIN (
        SELECT ${of.columns}, row_number() OVER (ORDER BY ${order}) AS n FROM ${from} WHERE ${conditions}
        ORDER BY ${order} LIMIT ${pageSize}::int OFFSET ${offset}::bigint) p ON true ORDER BY p.n`,
      tenants,
    );
    const items = await this.#shown(rows.filter((row) => row.n !== null).map(of.to));
    return { items, totalCount: Number(rows[0]?.total ?? 0), page, pageSize };
  }

  /** Alerts and findings, without literals where the tenant masks them. It holds for every reader. */
  async #shown<T extends Grouped>(all: readonly T[]): Promise<readonly T[]> {
    const tenantIds = new Set(all.map(({ tenantId }) => Number(tenantId)));
    const masked = (await this.maskedTenants.among([...tenantIds])).map(String);
    if (masked.length === 0) return all;
    return all.map((one) =>
      masked.includes(one.tenantId) ? { ...one, group: maskedGroup(one.group) } : one,
    );
  }

  async #rows(statement: Prisma.Sql, tenants: TenantSet): Promise<readonly Row[]> {
    return guarded(() => this.#ask(statement, tenants));
  }
}

/** Whether a column of names has one, letter case aside. */
export const has = (column: 'principals' | 'instances', name: string): Prisma.Sql =>
  Prisma.sql`EXISTS (SELECT FROM unnest(${Prisma.raw(column)}) AS n WHERE lower(n) = lower(${toStored(name)}))`;

/** Conditions of the filters. An alert or finding is in a time range if any part of it is. */
export function conditionsOf(
  tenants: TenantSet,
  filters: Pick<
    AlertFilters,
    'severity' | 'ruleId' | 'principalName' | 'serverInstanceName' | 'startTime' | 'endTime'
  >,
): Prisma.Sql[] {
  const { severity, ruleId, principalName, serverInstanceName, startTime, endTime } = filters;
  return [
    Prisma.sql`tenant_id = ANY(${[...tenants]}::int[])`,
    ...(severity === undefined
      ? []
      : [Prisma.sql`severity = ${SEVERITIES.indexOf(severity as Severity) + 1}::int`]),
    ...(ruleId === undefined ? [] : [Prisma.sql`rule_id = ${ruleId}::uuid`]),
    ...(principalName === undefined ? [] : [has('principals', principalName)]),
    ...(serverInstanceName === undefined ? [] : [has('instances', serverInstanceName)]),
    ...(startTime === undefined ? [] : [Prisma.sql`last_event >= ${parseTicks(startTime) ?? 0n}::bigint`]),
    ...(endTime === undefined ? [] : [Prisma.sql`first_event < ${parseTicks(endTime) ?? 0n}::bigint`]),
  ];
}

const timeOf = (value: unknown): string => new Date(value as string | Date).toISOString();
const ticksOf = (value: unknown): string => formatTicks(BigInt(value as string | bigint));
const severityOf = (value: unknown): Severity => SEVERITIES[Number(value) - 1] ?? 'low';

const toAlert = (row: Row): AlertAnswer => ({
  alertId: String(row.alert_id),
  tenantId: String(row.tenant_id),
  ruleId: String(row.rule_id),
  title: fromStored(String(row.title)),
  severity: severityOf(row.severity),
  status: row.status as AlertAnswer['status'],
  verdict: row.verdict as AlertAnswer['verdict'],
  assignee: row.assignee === null ? null : fromStored(String(row.assignee)),
  group: JSON.parse(String(row.group_values)) as object,
  firstEventTime: ticksOf(row.first_event),
  lastEventTime: ticksOf(row.last_event),
  findingCount: Number(row.finding_count),
  eventCount: Number(row.event_count),
  createdAt: timeOf(row.created_at),
  updatedAt: timeOf(row.updated_at),
  incidentId: row.incident_id === null ? null : String(row.incident_id),
  ...toldTimesOf(row),
  ...deedAnswers(row.deeds),
});

function toFinding(row: Row): FindingAnswer {
  const recordIds = row.record_ids as readonly string[];
  return {
    findingId: String(row.finding_id),
    alertId: String(row.alert_id),
    tenantId: String(row.tenant_id),
    ruleId: String(row.rule_id),
    ruleVersion: Number(row.rule_version),
    title: fromStored(String(row.title)),
    severity: severityOf(row.severity),
    group: JSON.parse(String(row.group_values)) as object,
    firstEventTime: ticksOf(row.first_event),
    lastEventTime: ticksOf(row.last_event),
    recordIds,
    eventCount: Number(row.event_count),
    detectedAt: timeOf(row.detected_at),
    ...deedAnswers(row.deeds),
    proofs: recordIds.map((id) => `${API_BASE_PATH}/audit-activity/${id}/proof`),
  };
}
