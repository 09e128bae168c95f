const TICKS_PER_MINUTE = 600_000_000n;
const INCIDENT_MINUTES = 120;

/** SQL for the time of the tenant `$1` within which alerts form one incident, in ticks. */
export const WITHIN = `SELECT coalesce(max(incident_minutes), ${INCIDENT_MINUTES})::bigint * ${TICKS_PER_MINUTE}
  AS within FROM detection_position WHERE tenant_id = $1::int`;
