import type { Prisma } from '../../../database/clients';
import type { Deed } from '../../../rules/deed';
import type { Finding } from '../../../rules/finding';
import type { GroupValues } from '../../../rules/hit';
import { SEVERITIES, type Severity } from '../../../rules/rule';
import { toStored } from '../../../store/rows/stored-text';
import { deedsJson, joinedDeeds } from './deeds';
import type { About } from './incident-about';
import { type Suppression, suppresses } from './suppression';

/** The most logins and server instances by which an alert is found: more than a password spray tries in an hour. */
const ENTITIES_MAX = 1_000;

/** A finding with the alert it belongs to. */
export interface Placed {
  readonly finding: Finding;
  readonly groupKey: string;
  readonly first: bigint;
  readonly last: bigint;
  /** What its events did to principals. */
  deeds: readonly Deed[];
}

export interface OpenAlert {
  readonly alertId: string;
  readonly anchor: bigint;
  readonly isNew: boolean;
  /** Whether it is suppressed since it began, so that it has no incident. */
  readonly isQuiet: boolean;
  /** Its incident, and whether a person placed it there; null: it has none yet. */
  readonly incidentId: string | null;
  readonly isPlaced: boolean;
  /** What it adds to its incident. */
  about: About | null;
  /** Its first and last event as stored; null: it is new. */
  readonly first: bigint | null;
  readonly last: bigint | null;
  /** The deeds of findings that are stored already. */
  readonly deeds: readonly Deed[];
  readonly placed: Placed[];
}

/** An alert that was written. */
export interface WrittenAlert {
  readonly alertId: string;
  readonly ruleId: string;
  readonly severity: Severity;
  readonly status: string;
  readonly isNew: boolean;
  /** Null: it was suppressed from the beginning. */
  readonly incidentId: string | null;
}

export const severityNumber = (severity: Severity): number => SEVERITIES.indexOf(severity) + 1;

export const groupJson = (group: GroupValues) => JSON.stringify(group);
export const stored = (texts: readonly string[]) => texts.map(toStored);

export const byTime = (a: bigint, b: bigint) => (a < b ? -1 : 1);

/** One statement makes all new alerts and one updates the others, however many findings a step has. */
export async function putAlerts(
  tx: Prisma.TransactionClient,
  tenantId: number,
  alerts: readonly OpenAlert[],
  { suppressions, nowMs }: { readonly suppressions: readonly Suppression[]; readonly nowMs: number },
): Promise<readonly WrittenAlert[]> {
  const now = new Date(nowMs);
  const written = alerts.map(({ alertId, anchor, isNew, deeds, placed }) => {
    const [begun] = placed as [Placed, ...Placed[]];
    const { finding, groupKey } = begun;
    const suppression = isNew ? suppressions.find((one) => suppresses(one, finding)) : undefined;
    const status = suppression ? 'suppressed' : 'new';
    return {
      told: { alertId, ruleId: finding.ruleId, severity: finding.severity, status, isNew, incidentId: null },
      row: {
        alert_id: alertId,
        rule_id: finding.ruleId,
        title: toStored(finding.title),
        status,
        severity: severityNumber(finding.severity),
        group_key: groupKey,
        group_values: groupJson(finding.group),
        anchor: String(anchor),
        first_event: String(placed.map((one) => one.first).sort(byTime)[0]),
        last_event: String(
          placed
            .map((one) => one.last)
            .sort(byTime)
            .at(-1),
        ),
        finding_count: placed.length,
        event_count: String(placed.reduce((sum, one) => sum + BigInt(one.finding.eventCount), 0n)),
        principals: namesOf(placed, ({ principals: of }) => of),
        instances: namesOf(placed, ({ instances: of }) => of),
        suppressed_until: suppression?.until.toISOString() ?? null,
        deeds: deedsJson(joinedDeeds([...deeds, ...placed.flatMap((one) => one.deeds)])),
      },
    };
  });
  const rowsOf = (isNew: boolean) => written.flatMap(({ told, row }) => (told.isNew === isNew ? [row] : []));
  await insertAlerts(tx, tenantId, rowsOf(true), now);
  await updateAlerts(tx, tenantId, rowsOf(false), now);
  return written.map(({ told }) => told);
}

async function insertAlerts(
  tx: Prisma.TransactionClient,
  tenantId: number,
  rows: readonly object[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRawUnsafe(
    `INSERT INTO alert (tenant_id, alert_id, rule_id, title, severity, status, group_key, group_values, anchor,
       first_event, last_event, finding_count, event_count, principals, instances, suppressed_until, deeds, created_at,
       updated_at)
     SELECT t.tenant_id, x.alert_id, x.rule_id, x.title, x.severity, x.status, x.group_key, x.group_values, x.anchor,
       x.first_event, x.last_event, x.finding_count, x.event_count, x.principals, x.instances, x.suppressed_until,
       x.deeds, $3::timestamptz, $3::timestamptz
     FROM tenant t CROSS JOIN json_to_recordset($2::json) AS x(alert_id uuid, rule_id uuid, title text,
       severity smallint, status text, group_key text, group_values text, anchor bigint, first_event bigint,
       last_event bigint, finding_count int, event_count bigint, principals text[], instances text[],
       suppressed_until timestamptz, deeds text)
     WHERE t.tenant_id = $1::int`,
    ...[tenantId, JSON.stringify(rows), now],
  );
}

const UPDATED_COLUMNS =
  'alert_id uuid, first_event bigint, last_event bigint, finding_count int, event_count bigint, principals text[], ' +
  'instances text[], deeds text';

async function updateAlerts(
  tx: Prisma.TransactionClient,
  tenantId: number,
  rows: readonly object[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRawUnsafe(
    `UPDATE alert a SET first_event = least(a.first_event, x.first_event),
       last_event = greatest(a.last_event, x.last_event), finding_count = a.finding_count + x.finding_count,
       event_count = a.event_count + x.event_count, updated_at = $3::timestamptz, deeds = x.deeds,
       principals = ARRAY(SELECT DISTINCT n FROM unnest(a.principals || x.principals) n LIMIT ${ENTITIES_MAX}),
       instances = ARRAY(SELECT DISTINCT n FROM unnest(a.instances || x.instances) n LIMIT ${ENTITIES_MAX})
     FROM json_to_recordset($2::json) AS x(${UPDATED_COLUMNS})
     WHERE a.tenant_id = $1::int AND a.alert_id = x.alert_id`,
    ...[tenantId, JSON.stringify(rows), now],
  );
}

function namesOf(placed: readonly Placed[], read: (finding: Finding) => readonly string[]): string[] {
  return [...new Set(placed.flatMap(({ finding }) => stored(read(finding))))].slice(0, ENTITIES_MAX);
}
