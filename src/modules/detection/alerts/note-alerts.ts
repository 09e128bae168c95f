import { createHash } from 'node:crypto';
import type { Prisma } from '../../../database/clients';
import { databaseTime, type ReadTime } from '../../../database/lease';

/** The state of a notice about an alert that nobody has acknowledged in time. */
export const ESCALATED = 'escalated';

/** An alert in a state to tell. */
interface Told {
  readonly tenantId: number;
  readonly alertId: string;
  readonly ruleId: string;
  /** 1 to 4. */
  readonly severity: number;
  readonly status: string;
  /** Of a new alert: the incident that it belongs to. */
  readonly incidentId?: string | null;
  /** Routes that do not get the alert, because the alert is about them. */
  readonly exceptRouteIds?: readonly string[];
}

/**
 * Writes the notices of alerts in the transaction of their change: one for each alert, state and route. By mail, people are told
 * of the alerts of an incident once, unless they get worse. A destination gets each alert, and groups them itself.
 */
export async function noteAlerts(
  tx: Prisma.TransactionClient,
  alerts: readonly Told[],
  time: ReadTime = databaseTime,
): Promise<void> {
  const [first] = alerts;
  if (!first) return;
  const routes = await tx.alertRoute.findMany({ where: { tenantId: first.tenantId, enabled: true } });
  if (routes.length === 0) return;
  const told = await toldOf(tx, first.tenantId, alerts);
  // Notices are due by the database's clock, as they are taken.
  const at = await time(tx);
  const noticeOf = (alertId: string, state: string, routeId: string, minutes: number | null = null) => ({
    notice_id: noticeIdOf(alertId, state, routeId),
    route_id: routeId,
    alert_id: alertId,
    state,
    not_before: minutes === null ? null : new Date(at.getTime() + minutes * MINUTE_MS),
  });
  const escalations = alerts
    .filter(({ status }) => status === 'new')
    .flatMap(({ alertId, ruleId, severity, exceptRouteIds = [] }) =>
      routes
        .filter(
          (route) => route.escalateMinutes !== null && fits(route, { ruleId, severity, exceptRouteIds }),
        )
        .map(({ routeId, escalateMinutes }) => noticeOf(alertId, ESCALATED, routeId, escalateMinutes)),
    );
  const worstFirst = [...alerts].sort((a, b) => b.severity - a.severity);
  const notices = worstFirst.flatMap(
    ({ alertId, ruleId, severity, status, incidentId, exceptRouteIds = [] }) =>
      routes
        .filter(
          (route) =>
            route.escalateMinutes === null &&
            fits(route, { ruleId, severity, exceptRouteIds }) &&
            isNews(told, { incidentId, severity, route }),
        )
        .map(({ routeId }) => noticeOf(alertId, status, routeId)),
  );
  const all = [...notices, ...escalations];
  if (all.length > 0) await tx.$executeRawUnsafe(INSERT, first.tenantId, JSON.stringify(all), at);
}

/** One statement, because a step has up to thousands of alerts. */
const INSERT = `
INSERT INTO alert_notice (tenant_id, notice_id, route_id, alert_id, state, not_before, created_at, next_at, tries)
SELECT t.tenant_id, x.notice_id, x.route_id, x.alert_id, x.state, x.not_before, $3::timestamptz, $3::timestamptz, 0
FROM tenant t CROSS JOIN json_to_recordset($2::json)
  AS x(notice_id uuid, route_id uuid, alert_id uuid, state text, not_before timestamptz)
WHERE t.tenant_id = $1::int ON CONFLICT DO NOTHING`;

const MINUTE_MS = 60_000;

/** Whether a route is for an alert. */
const fits = (
  route: { readonly routeId: string; readonly severityMin: number; readonly ruleId: string | null },
  of: Pick<Told, 'ruleId' | 'severity'> & { readonly exceptRouteIds: readonly string[] },
): boolean =>
  !of.exceptRouteIds.includes(route.routeId) &&
  of.severity >= route.severityMin &&
  (route.ruleId === null || route.ruleId === of.ruleId);

/** The highest severity that a route was told of an incident, by `INCIDENT ROUTE`. */
type ToldSeverities = Map<string, number>;

/**
 * Whether a route is told of incidents: once, and again when an alert is worse than what it was told. Other routes are told
 * of each alert: those to destinations, and those for one rule.
 */
export const isOfIncidents = ({
  ruleId,
  target,
}: {
  readonly ruleId: string | null;
  readonly target: object;
}) => ruleId === null && 'to' in target;

function isNews(
  told: ToldSeverities,
  of: {
    readonly incidentId: string | null | undefined;
    readonly severity: number;
    readonly route: { readonly routeId: string; readonly ruleId: string | null; readonly target: string };
  },
): boolean {
  const { incidentId, severity, route } = of;
  if (!incidentId || !isOfIncidents({ ...route, target: JSON.parse(route.target) })) return true;
  const key = `${incidentId} ${route.routeId}`;
  if ((told.get(key) ?? 0) >= severity) return false;
  told.set(key, severity);
  return true;
}

interface ToldRow {
  readonly incident: string;
  readonly route: string;
  readonly severity: number;
}

/** @param which a condition on the notices */
export async function toldOf(
  client: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  tenantId: number,
  alerts: readonly Pick<Told, 'incidentId'>[],
  which = 'true',
): Promise<ToldSeverities> {
  const ids = [...new Set(alerts.flatMap(({ incidentId }) => incidentId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await client.$queryRawUnsafe<ToldRow[]>(
    `SELECT incident_id::text AS incident, route_id::text AS route, max(severity)::int AS severity
     FROM alert JOIN alert_notice USING (tenant_id, alert_id)
     WHERE tenant_id = $1::int AND incident_id = ANY($2::uuid[]) AND ${which} GROUP BY 1, 2`,
    ...[tenantId, ids],
  );
  return new Map(rows.map(({ incident, route, severity }) => [`${incident} ${route}`, severity]));
}

function noticeIdOf(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(parts.join('\n')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-b${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
