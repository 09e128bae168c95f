import type { Prisma } from '../../../database/clients';
import { uuidOf } from '../base/uuid-of';
import { type About, linkOf } from './incident-about';
import type { Door } from './incident-rows';
import { WITHIN } from './incident-time';
import { byTime, type OpenAlert } from './put-alerts';
import { putIncidents } from './put-incidents';

/** The most alerts with which those of a step are compared, the newest. */
const CANDIDATES_MAX = 2_000;

/** An alert that may share something with others. */
interface Linked {
  readonly alertId: string;
  /** Empty: it has none yet. */
  readonly incidentId: string;
  /** Whether a person placed it. */
  readonly isPlaced: boolean;
  readonly links: readonly string[];
  readonly first: bigint;
  readonly last: bigint;
}

/** An incident to which alerts may still go. */
interface Open {
  /** Counts the incidents of the tenant in the order in which they began. */
  readonly number: number;
  /** Whether a person has worked on it: then it stays as it is. */
  readonly isTouched: boolean;
}

/**
 * Gives each alert of a step its incident, in the order of arrival, in the transaction that writes the findings. An alert
 * belongs to the incident of alerts that share a login, address, host, target login or session with it within the
 * tenant's time; of several incidents to the oldest, which takes over the others on which nobody has worked yet. An alert
 * that a person placed stays there, and so do the alerts of an incident on which somebody has worked.
 * @returns the incident of each alert; an alert that was suppressed from the beginning has none
 */
export async function formIncidents(
  tx: Prisma.TransactionClient,
  tenantId: number,
  alerts: readonly OpenAlert[],
  {
    suppressed,
    ...at
  }: { readonly suppressed: ReadonlySet<string>; readonly nowMs: number; readonly door?: Door | undefined },
): Promise<ReadonlyMap<string, string>> {
  const own = alerts.filter(({ alertId }) => !suppressed.has(alertId)).map(linkedOf);
  if (own.length === 0) return new Map();
  const { within, all, open } = await stateOf(tx, tenantId, own);
  const byLink = new Map<string, Set<string>>();
  const index = ({ alertId, links }: Linked) => {
    for (const link of links) byLink.set(link, (byLink.get(link) ?? new Set()).add(alertId));
  };
  for (const one of all.values()) index(one);
  /** Numbers of incidents that begin here, above all others. */
  let next = Number.MAX_SAFE_INTEGER - own.length;
  /** Incidents that others took over, and which. */
  const takenOver = new Map<string, string>();
  for (const step of own) {
    // An alert of the same step may have taken its incident over.
    const one = { ...step, incidentId: all.get(step.alertId)?.incidentId ?? '' };
    const sharing = new Set(one.links.flatMap((link) => [...(byLink.get(link) ?? [])]));
    const near = [...sharing].flatMap((id) => {
      const other = all.get(id);
      return other && isNear(one, other, within) && open.has(other.incidentId) ? [other.incidentId] : [];
    });
    const ids = [...new Set([one.incidentId, ...near])].filter(Boolean);
    ids.sort((a, b) => numberOf(open, a) - numberOf(open, b));
    const isBegun = one.incidentId !== '';
    // A resolved incident has ended.
    const isFixed = isBegun && (one.isPlaced || !open.has(one.incidentId));
    const isKept = isFixed || open.get(one.incidentId)?.isTouched === true;
    const oldest = ids[0] ?? uuidOf(`incident\n${tenantId}\n${one.alertId}`);
    const incidentId = isKept ? one.incidentId : oldest;
    all.set(one.alertId, { ...one, incidentId });
    index(one);
    if (isFixed) continue;
    if (!open.has(incidentId)) open.set(incidentId, { number: next++, isTouched: false });
    for (const other of ids) {
      if (other === incidentId || open.get(other)?.isTouched !== false) continue;
      for (const each of all.values())
        if (each.incidentId === other) all.set(each.alertId, { ...each, incidentId });
      takenOver.set(other, incidentId);
      open.delete(other);
    }
  }
  const placed = new Map(own.map(({ alertId }) => [alertId, all.get(alertId)?.incidentId ?? '']));
  await putLinks(tx, tenantId, alerts, placed);
  for (const [from, next] of takenOver) {
    let to = next;
    for (let n = 0; takenOver.has(to) && n < takenOver.size; n++) to = takenOver.get(to) as string;
    await tx.alert.updateMany({ where: { tenantId, incidentId: from }, data: { incidentId: to } });
    await tx.incident.deleteMany({ where: { tenantId, incidentId: from } });
  }
  await putIncidents(tx, tenantId, [...new Set(placed.values())], at);
  return placed;
}

const numberOf = (open: ReadonlyMap<string, Open>, id: string): number => open.get(id)?.number ?? 0;

function linkedOf({ alertId, incidentId, isPlaced, about, first, last, placed }: OpenAlert): Linked {
  const firsts = [...(first === null ? [] : [first]), ...placed.map((one) => one.first)].sort(byTime);
  const lasts = [...(last === null ? [] : [last]), ...placed.map((one) => one.last)].sort(byTime);
  return {
    alertId,
    incidentId: incidentId ?? '',
    isPlaced,
    links: linksOf(about),
    first: firsts[0] ?? 0n,
    last: lasts.at(-1) ?? 0n,
  };
}

const linksOf = (about: About | null): string[] => [...new Set(about?.entities.map(linkOf))];

const isNear = (a: Linked, b: Linked, within: bigint): boolean =>
  a.alertId !== b.alertId && a.first <= b.last + within && b.first <= a.last + within;

interface StateRow {
  readonly within: bigint;
  /** Null: there is no such alert. */
  readonly id: string | null;
  readonly incident: string;
  readonly links: readonly string[];
  readonly first: bigint;
  readonly last: bigint;
  readonly placed: boolean;
  readonly status: string | null;
  readonly number: number;
  readonly touched: boolean;
}

/**
 * Reads the tenant's time, the alerts with which those of a step are compared, and of their incidents those that are not
 * resolved: a resolved one has ended.
 */
async function stateOf(tx: Prisma.TransactionClient, tenantId: number, own: readonly Linked[]) {
  const links = [...new Set(own.flatMap((one) => one.links))];
  const [from = 0n] = own.map((one) => one.first).sort(byTime);
  const [to = 0n] = own.map((one) => -one.last).sort(byTime);
  const ids = own.map(({ alertId }) => alertId);
  const rows = await tx.$queryRawUnsafe<StateRow[]>(
    `SELECT p.within, a.*, i.status, i.number, i.touched FROM (
       ${WITHIN}) p
     LEFT JOIN LATERAL (
       SELECT alert_id::text AS id, incident_id::text AS incident, links, first_event AS first, last_event AS last,
         placed_by IS NOT NULL AS placed
       FROM alert WHERE tenant_id = $1::int AND incident_id IS NOT NULL AND (alert_id = ANY($2::uuid[]) OR
         (links && $3::text[] AND last_event >= $4::bigint - p.within AND first_event <= $5::bigint + p.within))
       ORDER BY alert_id = ANY($2::uuid[]) DESC, last_event DESC, alert_id LIMIT ${CANDIDATES_MAX + ids.length}) a ON true
     LEFT JOIN incident i ON i.tenant_id = $1::int AND i.incident_id = a.incident::uuid`,
    ...[tenantId, ids, links, from, -to],
  );
  const all = new Map<string, Linked>();
  const open = new Map<string, Open>();
  for (const { id, incident, status, number, touched, ...row } of rows) {
    if (id === null) continue;
    const { links: of, first, last, placed: isPlaced } = row;
    all.set(id, { alertId: id, incidentId: incident, isPlaced, links: of, first, last });
    if (status !== null && status !== 'resolved') open.set(incident, { number, isTouched: touched });
  }
  return { within: rows[0]?.within ?? 0n, all, open };
}

const LINK_COLUMNS = 'alert_id uuid, incident_id uuid, links text[], about text';

async function putLinks(
  tx: Prisma.TransactionClient,
  tenantId: number,
  alerts: readonly OpenAlert[],
  placed: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = alerts.flatMap(({ alertId, about }) => {
    const incident = placed.get(alertId);
    return incident
      ? [{ alert_id: alertId, incident_id: incident, links: linksOf(about), about: JSON.stringify(about) }]
      : [];
  });
  if (rows.length === 0) return;
  await tx.$executeRawUnsafe(
    `UPDATE alert a SET incident_id = x.incident_id, links = x.links, about = x.about
     FROM json_to_recordset($2::json) AS x(${LINK_COLUMNS}) WHERE a.tenant_id = $1::int AND a.alert_id = x.alert_id`,
    ...[tenantId, JSON.stringify(rows)],
  );
}
