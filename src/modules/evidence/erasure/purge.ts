import { type OwnerDoor, stepIn } from '../../../database/clients';

const IDS = `string_to_array($2::text, ',')::uuid[]`;
const UUID = `'[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}'`;
/** Times of findings are in ticks of 100 ns. */
const HOUR_TICKS = 36_000_000_000;
const WHOLE_HOURS = `first_event = first_event / ${HOUR_TICKS} * ${HOUR_TICKS},
  last_event = last_event / ${HOUR_TICKS} * ${HOUR_TICKS}`;
const TITLE = `'Events of this were erased'`;

/** The alerts of findings that were made of some events. The findings stay, because their number is sealed. */
const FINDINGS = `
UPDATE finding SET title = ${TITLE}, group_values = '{}', record_ids = '{}', principals = '{}', instances = '{}',
  deeds = '[]', ${WHOLE_HOURS}
WHERE tenant_id = $1::int AND record_ids && ${IDS} RETURNING alert_id::text AS id`;
const ALERTS = `
UPDATE alert SET title = ${TITLE}, group_key = alert_id::text, group_values = '{}', principals = '{}', instances = '{}',
  deeds = '[]', about = '{}', links = '{}', ${WHOLE_HOURS}
WHERE tenant_id = $1::int AND alert_id = ANY(${IDS}) RETURNING incident_id::text AS id`;
const INCIDENTS = `
UPDATE incident SET title = ${TITLE}, ${WHOLE_HOURS} WHERE tenant_id = $1::int AND incident_id = ANY(${IDS})`;

/** Windows of rules that hold one of the events; whoever has them in memory reads them anew. */
const WINDOWS = `
DELETE FROM detection_state s WHERE s.tenant_id = $1::int AND EXISTS (
  SELECT FROM regexp_matches(s.body, ${UUID}, 'g') m WHERE m[1]::uuid = ANY(${IDS}))`;
const RELEASE_RULES = `
UPDATE detection_position SET holder = NULL, held_until = NULL WHERE tenant_id = $1::int`;

const SET_ASIDE = `
DELETE FROM destination_set_aside WHERE tenant_id = $1::int AND record_id = ANY(${IDS})
RETURNING destination_id::text AS id`;
const COUNT_ASIDE = `
UPDATE destination d SET last_error = NULL, last_error_at = NULL, set_aside = (
  SELECT count(*)::int FROM destination_set_aside s
  WHERE s.tenant_id = $1::int AND s.destination_id = d.destination_id)
WHERE d.tenant_id = $1::int AND d.destination_id = ANY(${IDS})`;

/** Nothing tells which events are in a run of a report or in a backtest, so all of the tenant go. */
const WHOLE = [
  'DELETE FROM report_piece WHERE tenant_id = $1::int',
  `UPDATE report_run SET state = CASE state WHEN 'making' THEN 'given-up' ELSE 'over' END, bytes = 0
   WHERE tenant_id = $1::int AND state IN ('making', 'done')`,
  'DELETE FROM backtest WHERE tenant_id = $1::int',
];

export const PURGED_TABLES = [
  ...['finding', 'alert', 'incident', 'detection_state', 'destination_set_aside', 'report_piece', 'backtest'],
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
      const alerts = await idsOf(FINDINGS, recordIds);
      const incidents = await idsOf(ALERTS, alerts);
      await idsOf(INCIDENTS, incidents);
      await tx.$executeRawUnsafe(WINDOWS, tenantId, recordIds.join());
      await tx.$executeRawUnsafe(RELEASE_RULES, tenantId);
      await idsOf(COUNT_ASIDE, await idsOf(SET_ASIDE, recordIds));
      for (const statement of WHOLE) await tx.$executeRawUnsafe(statement, tenantId);
    },
    { timeout: 180_000, maxWait: 60_000 },
  );
}
