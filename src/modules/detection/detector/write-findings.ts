import { createHash } from 'node:crypto';
import type { Prisma } from '../../../database/clients';
import { ticksOfRecordId } from '../../../event/record-id';
import type { Finding } from '../../../rules/finding';
import { toStored } from '../../../store/rows/stored-text';
import { deedsJson, deedsOf, parsedDeeds } from '../alerts/deeds';
import { eventsOfFindings } from '../alerts/finding-events';
import { formIncidents } from '../alerts/form-incidents';
import { aboutOf, joinedAbout, readAbout } from '../alerts/incident-about';
import type { Door } from '../alerts/incident-rows';
import {
  byTime,
  groupJson,
  type OpenAlert,
  type Placed,
  putAlerts,
  severityNumber,
  stored,
  type WrittenAlert,
} from '../alerts/put-alerts';
import { openSuppressions } from '../alerts/suppression';
import { uuidOf } from '../base/uuid-of';

const TICKS_PER_MINUTE = 600_000_000n;
const TICKS_PER_US = 10n;

export const alertKey = (groupKey: string): string =>
  createHash('sha256').update(groupKey).digest('hex').slice(0, 32);

/** Places a finding. Its times are exact if the ids of its events are known, else accurate to the microsecond. */
function placedOf(finding: Finding): Placed {
  const times = finding.recordIds.map(ticksOfRecordId).sort(byTime);
  const first = times[0] ?? BigInt(finding.firstAt) * TICKS_PER_US;
  const isWhole = times.length >= finding.eventCount;
  const last = (isWhole ? times.at(-1) : null) ?? BigInt(finding.lastAt) * TICKS_PER_US;
  return { finding, groupKey: alertKey(finding.groupKey), first, last, deeds: [] };
}

interface Written {
  /** The number of new findings. */
  readonly findings: number;
  readonly alerts: readonly WrittenAlert[];
}
const NOTHING: Written = { findings: 0, alerts: [] };

/**
 * Writes findings, and makes or updates the alerts that group them. An alert groups the findings of its rule and group
 * within the rule's period after the finding that began it. A finding that is already stored changes nothing.
 */
export async function writeFindings(
  tx: Prisma.TransactionClient,
  tenantId: number,
  findings: readonly Finding[],
  nowMs: number,
  door?: Door,
): Promise<Written> {
  if (findings.length === 0) return NOTHING;
  const ids = findings.map(({ findingId }) => findingId);
  const there = await tx.finding.findMany({
    where: { tenantId, findingId: { in: ids } },
    select: { findingId: true },
  });
  const known = new Set(there.map(({ findingId }) => findingId));
  const fresh: Placed[] = [];
  for (const finding of findings) {
    if (known.has(finding.findingId)) continue;
    known.add(finding.findingId);
    fresh.push(placedOf(finding));
  }
  if (fresh.length === 0) return NOTHING;
  const order = new Map(fresh.map((placed, i) => [placed, i]));
  const begun = ({ placed: [first] }: OpenAlert) => (first && order.get(first)) ?? 0;
  const alerts = (await alertsOf(tx, tenantId, fresh, nowMs)).sort((a, b) => begun(a) - begun(b));
  const eventsOf = await eventsOfFindings(tx, tenantId, alerts, door);
  for (const alert of alerts)
    for (const placed of alert.placed) {
      const events = eventsOf(placed);
      placed.deeds = deedsOf(events);
      alert.about = joinedAbout(alert.about, aboutOf(placed.finding, events, placed.deeds));
    }
  const count = await insertFindings(tx, tenantId, alerts, nowMs);
  const suppressions = await openSuppressions(tx, tenantId, nowMs);
  const written = await putAlerts(tx, tenantId, alerts, { suppressions, nowMs });
  const suppressed = new Set([
    ...written.flatMap(({ alertId, isNew, status }) => (isNew && status === 'suppressed' ? [alertId] : [])),
    ...alerts.flatMap(({ alertId, isQuiet }) => (isQuiet ? [alertId] : [])),
  ]);
  const incidents = await formIncidents(tx, tenantId, alerts, { suppressed, nowMs, door });
  return {
    findings: count,
    alerts: written.map((alert) => ({ ...alert, incidentId: incidents.get(alert.alertId) ?? null })),
  };
}

async function alertsOf(
  tx: Prisma.TransactionClient,
  tenantId: number,
  fresh: readonly Placed[],
  nowMs: number,
): Promise<OpenAlert[]> {
  const rows = await tx.$queryRawUnsafe<StoredAlert[]>(
    NEAR_ALERTS,
    ...[tenantId, JSON.stringify(fresh.map(nearForm)), new Date(nowMs)],
  );
  const byGroup = new Map<string, OpenAlert[]>();
  const listOf = (ruleId: string, groupKey: string) => {
    const name = `${ruleId}/${groupKey}`;
    const list = byGroup.get(name) ?? [];
    byGroup.set(name, list);
    return list;
  };
  for (const row of rows) listOf(row.ruleId, row.groupKey).push(storedAlert(row));
  for (const placed of fresh) {
    const { finding, groupKey, last } = placed;
    const list = listOf(finding.ruleId, groupKey);
    const period = periodOf(placed);
    const near = list
      .filter(({ anchor }) => distance(anchor, last) < period)
      .sort((a, b) => Number(distance(a.anchor, last) - distance(b.anchor, last)));
    const open = near[0] ?? {
      alertId: uuidOf(`alert\n${tenantId}\n${finding.findingId}`),
      anchor: last,
      isNew: true,
      isQuiet: false,
      incidentId: null,
      isPlaced: false,
      about: null,
      first: null,
      last: null,
      deeds: [],
      placed: [],
    };
    if (!near[0]) list.push(open);
    open.placed.push(placed);
  }
  return [...byGroup.values()].flat().filter(({ placed }) => placed.length > 0);
}

const periodOf = ({ finding }: Placed): bigint => BigInt(finding.dedupMinutes) * TICKS_PER_MINUTE;
const nearForm = (placed: Placed) => ({
  rule_id: placed.finding.ruleId,
  group_key: placed.groupKey,
  last: String(placed.last),
  period: String(periodOf(placed)),
});

/**
 * The alerts that may group findings. A resolved alert has ended, and so has one whose suppression is over: a later
 * finding makes a new one.
 */
const NEAR_ALERTS = `
WITH near AS (
  SELECT n.alert_id FROM (SELECT * FROM alert WHERE tenant_id = $1::int AND status <> 'resolved') n
  JOIN json_to_recordset($2::json) AS x(rule_id uuid, group_key text, last bigint, period bigint)
    ON n.rule_id = x.rule_id AND n.group_key = x.group_key
      AND n.anchor > x.last - x.period AND n.anchor < x.last + x.period
  WHERE NOT (n.status = 'suppressed' AND n.suppressed_until IS NOT NULL AND n.suppressed_until <= $3::timestamptz))
SELECT a.alert_id::text AS "alertId", a.rule_id::text AS "ruleId", a.group_key AS "groupKey", a.anchor, a.deeds,
  a.status, a.incident_id::text AS "incidentId", a.placed_by AS "placedBy", a.about, a.first_event AS "firstEvent", a.last_event AS "lastEvent"
FROM alert a WHERE a.tenant_id = $1::int AND a.alert_id IN (SELECT alert_id FROM near)
ORDER BY a.anchor DESC, a.alert_id`;
interface StoredAlert {
  readonly alertId: string;
  readonly ruleId: string;
  readonly groupKey: string;
  readonly anchor: bigint;
  readonly deeds: string;
  readonly status: string;
  readonly incidentId: string | null;
  readonly placedBy: string | null;
  readonly about: string;
  readonly firstEvent: bigint;
  readonly lastEvent: bigint;
}

const storedAlert = (row: StoredAlert): OpenAlert => ({
  alertId: row.alertId,
  anchor: row.anchor,
  isNew: false,
  isQuiet: row.status === 'suppressed' && row.incidentId === null,
  deeds: parsedDeeds(row.deeds),
  incidentId: row.incidentId,
  isPlaced: row.placedBy !== null,
  about: row.incidentId === null ? null : readAbout(row.about),
  first: row.firstEvent,
  last: row.lastEvent,
  placed: [],
});

const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a);

async function insertFindings(
  tx: Prisma.TransactionClient,
  tenantId: number,
  alerts: readonly OpenAlert[],
  nowMs: number,
): Promise<number> {
  const rows = alerts.flatMap(({ alertId, placed }) =>
    placed.map(({ finding, first, last, deeds }) => ({
      finding_id: finding.findingId,
      alert_id: alertId,
      rule_id: finding.ruleId,
      rule_version: finding.ruleVersion,
      title: toStored(finding.title),
      severity: severityNumber(finding.severity),
      group_values: groupJson(finding.group),
      first_event: String(first),
      last_event: String(last),
      record_ids: finding.recordIds,
      event_count: finding.eventCount,
      principals: stored(finding.principals),
      instances: stored(finding.instances),
      deeds: deedsJson(deeds),
    })),
  );
  return tx.$executeRawUnsafe(
    `INSERT INTO finding (tenant_id, finding_id, alert_id, rule_id, rule_version, title, severity, group_values, first_event,
       last_event, record_ids, event_count, principals, instances, deeds, detected_at)
     SELECT t.tenant_id, x.finding_id, x.alert_id, x.rule_id, x.rule_version, x.title, x.severity, x.group_values,
       x.first_event, x.last_event, x.record_ids, x.event_count, x.principals, x.instances, x.deeds, $3::timestamptz
     FROM tenant t CROSS JOIN json_to_recordset($2::json) AS x(finding_id uuid, alert_id uuid, rule_id uuid,
       rule_version int, title text, severity smallint, group_values text, first_event bigint, last_event bigint,
       record_ids uuid[], event_count int, principals text[], instances text[], deeds text)
     WHERE t.tenant_id = $1::int ON CONFLICT DO NOTHING`,
    tenantId,
    JSON.stringify(rows),
    new Date(nowMs),
  );
}
