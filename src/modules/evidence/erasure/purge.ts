import { type OwnerDoor, type Prisma, stepIn } from '../../../database/clients';
import { ticksOfRecordId } from '../../../event/record-id';
import { fold } from '../../../event/search';

const IDS = `string_to_array($2::text, ',')::uuid[]`;
const UUID = `'[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}'`;
/** Times of findings are in ticks of 100 ns. */
const HOUR_TICKS = 36_000_000_000;
const WHOLE_HOURS = `first_event = first_event / ${HOUR_TICKS} * ${HOUR_TICKS},
  last_event = last_event / ${HOUR_TICKS} * ${HOUR_TICKS}`;
const TITLE = `'Events of this were erased'`;

/**
 * The alerts of findings that were made of some events. The findings stay, because their number is sealed. A finding of
 * many events has the ids of the first ones only: then its time tells. $3: ticks of the events.
 */
const FINDINGS = `
UPDATE finding SET title = ${TITLE}, group_values = '{}', record_ids = '{}', principals = '{}', instances = '{}',
  deeds = '[]', ${WHOLE_HOURS}
WHERE tenant_id = $1::int AND (record_ids && ${IDS} OR (cardinality(record_ids) < event_count AND EXISTS (
  SELECT FROM unnest(string_to_array($3::text, ',')::bigint[]) AS t(at) WHERE t.at BETWEEN first_event AND last_event)))
RETURNING alert_id::text AS id`;
const ALERTS = `
UPDATE alert SET title = ${TITLE}, group_key = alert_id::text, group_values = '{}', principals = '{}', instances = '{}',
  deeds = '[]', about = '{}', links = '{}', anchor = anchor / ${HOUR_TICKS} * ${HOUR_TICKS}, ${WHOLE_HOURS}
WHERE tenant_id = $1::int AND alert_id = ANY(${IDS}) RETURNING incident_id::text AS id`;
const INCIDENTS = `
UPDATE incident SET title = ${TITLE}, ${WHOLE_HOURS} WHERE tenant_id = $1::int AND incident_id = ANY(${IDS})`;

/** Alerts of rule 40 that name one of the events, because rules failed at it. */
const NAMED = `
SELECT a.alert_id::text AS id FROM alert a WHERE a.tenant_id = $1::int AND a.finding_count = 0 AND EXISTS (
  SELECT FROM regexp_matches(a.group_values, ${UUID}, 'g') m WHERE m[1]::uuid = ANY(${IDS}))`;

/**
 * Whoever works on the rules of the tenant writes nothing of what he has read, and reads everything anew. It comes first:
 * it waits for who is writing now.
 */
const RULES_ANEW = 'UPDATE detection_position SET revision = revision + 1 WHERE tenant_id = $1::int';
/** Windows of rules that hold one of the events. */
const WINDOWS = `
DELETE FROM detection_state s WHERE s.tenant_id = $1::int AND EXISTS (
  SELECT FROM regexp_matches(s.body, ${UUID}, 'g') m WHERE m[1]::uuid = ANY(${IDS}))`;
const STATE_ROWS = `
SELECT s.node, s.key, s.body FROM detection_state s
WHERE s.tenant_id = $1::int AND (s.node, s.key) > ($2, $3) ORDER BY s.node, s.key LIMIT 5000`;
const FORGET_STATE = `
DELETE FROM detection_state s USING json_to_recordset($2::json) AS x(node text, key text)
WHERE s.tenant_id = $1::int AND s.node = x.node AND s.key = x.key`;

const SET_ASIDE = `
DELETE FROM destination_set_aside WHERE tenant_id = $1::int AND record_id = ANY(${IDS})
RETURNING destination_id::text AS id`;
const COUNT_ASIDE = `
UPDATE destination d SET set_aside = (
  SELECT count(*)::int FROM destination_set_aside s
  WHERE s.tenant_id = $1::int AND s.destination_id = d.destination_id)
WHERE d.tenant_id = $1::int AND d.destination_id = ANY(${IDS})`;

/**
 * What receivers answered last: it may repeat an event, an alert of it, or the file of a report. An alert of rule 40 about a
 * schedule has the answer as `error`, behind other values: within a text of JSON, that name would have its marks escaped.
 */
const ANSWERED = [
  'UPDATE destination SET last_error = NULL, last_error_at = NULL WHERE tenant_id = $1::int AND last_error IS NOT NULL',
  'UPDATE alert_notice SET error = NULL WHERE tenant_id = $1::int AND error IS NOT NULL',
  'UPDATE report_schedule SET error = NULL WHERE tenant_id = $1::int AND error IS NOT NULL',
  String.raw`UPDATE alert SET group_values = regexp_replace(group_values, ',"error":"(?:[^"\\]|\\.)*"', '')
   WHERE tenant_id = $1::int AND finding_count = 0 AND group_values LIKE '%,"error":"%'`,
];

/** What people wrote about the events, and that they put them into incidents. Who did it stays in the history. */
const NOTES = `DELETE FROM event_note WHERE tenant_id = $1::int AND record_id = ANY(${IDS})`;
const PLACED = `DELETE FROM incident_event WHERE tenant_id = $1::int AND record_id = ANY(${IDS})`;
const HISTORY = `
UPDATE incident_change SET detail = '{}', comment = NULL
WHERE tenant_id = $1::int AND kind IN ('event_added', 'event_removed')
  AND detail::json->>'recordId' = ANY(string_to_array($2::text, ','))`;

/**
 * Nothing tells which events are in a run of a report or in a backtest, so all of the tenant go. The CASE has its
 * condition in WHEN: a distributed database reads another one wrongly.
 */
const WHOLE = [
  'DELETE FROM report_piece WHERE tenant_id = $1::int',
  `UPDATE report_run SET state = CASE WHEN state = 'making' THEN 'given-up' ELSE 'over' END, bytes = 0,
     expires_at = created_at
   WHERE tenant_id = $1::int AND state IN ('making', 'done')`,
  'DELETE FROM backtest WHERE tenant_id = $1::int',
];

export const PURGED_TABLES = [
  ...['finding', 'alert', 'incident', 'detection_state', 'destination_set_aside', 'report_piece', 'backtest'],
  ...['event_note', 'incident_event', 'incident_change', 'destination', 'alert_notice', 'report_schedule'],
];

/** Removes what was made of events: of findings and alerts everything but rule, severity, hours and numbers. */
export async function purgeCopies(
  owner: OwnerDoor,
  tenantId: number,
  recordIds: readonly string[],
): Promise<void> {
  await owner.models.$transaction(
    async (tx) => {
      const step = stepIn(tx);
      const idsOf = async (statement: string, ids: readonly string[]) => {
        if (ids.length === 0) return [];
        const rows = await step<{ id: string | null }>(statement, [tenantId, ids.join()]);
        return [...new Set(rows.flatMap(({ id }) => id ?? []))];
      };
      await step(RULES_ANEW, [tenantId]);
      const times = recordIds.map(ticksOfRecordId).join();
      const found = await step<{ id: string }>(FINDINGS, [tenantId, recordIds.join(), times]);
      const alerts = [...new Set([...found.map(({ id }) => id), ...(await idsOf(NAMED, recordIds))])];
      const incidents = await idsOf(ALERTS, alerts);
      await idsOf(INCIDENTS, incidents);
      await tx.$executeRawUnsafe(WINDOWS, tenantId, recordIds.join());
      await idsOf(COUNT_ASIDE, await idsOf(SET_ASIDE, recordIds));
      for (const statement of [NOTES, PLACED, HISTORY])
        await tx.$executeRawUnsafe(statement, tenantId, recordIds.join());
      for (const statement of [...ANSWERED, ...WHOLE]) await tx.$executeRawUnsafe(statement, tenantId);
    },
    { timeout: 180_000, maxWait: 60_000 },
  );
}

/** Removes what rules learned of values that no event has any more, and windows with them. */
export async function forgetLearned(
  tx: Prisma.TransactionClient,
  tenantId: number,
  gone: ReadonlySet<string>,
): Promise<void> {
  await tx.$executeRawUnsafe(RULES_ANEW, tenantId);
  const folded = new Set([...gone].map(fold));
  for (let last = { node: '', key: '' }; ; ) {
    const rows = await tx.$queryRawUnsafe<{ node: string; key: string; body: string }[]>(
      STATE_ROWS,
      ...[tenantId, last.node, last.key],
    );
    const own = rows.filter(({ body }) => hasText(JSON.parse(body), folded));
    const keys = own.map(({ node, key }) => ({ node, key }));
    if (keys.length > 0) await tx.$executeRawUnsafe(FORGET_STATE, tenantId, JSON.stringify(keys));
    const end = rows.at(-1);
    if (!end) return;
    last = end;
  }
}

/** Whether one of some folded texts is somewhere in a value of JSON. Values that are joined have a separator between them. */
function hasText(value: unknown, texts: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return value.split(JOINT).some((part) => texts.has(fold(part)));
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((one) => hasText(one, texts));
}
const JOINT = '\u001f';
