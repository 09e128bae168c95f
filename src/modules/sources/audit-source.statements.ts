import type { GapReason } from '../../event/source-report';

/** Of gaps that are none when an agent of another host published the file. */
export const GONE_REASONS: readonly GapReason[] = ['FILE_DELETED', 'SPOOL_FULL'];

/**
 * Each statement about a source begins with $1 tenant, $2 host, $3 database. Both inserts start from the tenant's row,
 * so that they stay on one node of a distributed database. This one locks the source's row until the commit, so reports
 * of one source take turns, and the count of its gaps is exact. A source beyond $12 of the tenant is not inserted. Reports
 * that come at the same moment may exceed this number by a few.
 */
export const PUT_SOURCE = `
INSERT INTO audit_source AS s (tenant_id, host_name, database_name, agent_version, last_event_time, caught_up_at,
  waiting_bytes, published_count, problem, last_received, last_reported, problem_since, clock_ahead_ms,
  runs, standby_since, whole_files, running, package)
SELECT t.tenant_id, $2, $3, $4, $5, $6, $7::bigint, $8::bigint, $9,
  CASE WHEN $8::bigint > 0 THEN $10::timestamptz END, $10::timestamptz,
  CASE WHEN $9::text IS NOT NULL THEN $10::timestamptz END, $11::bigint, $13::jsonb,
  CASE WHEN $14::boolean THEN $10::timestamptz END, $15::text, $16::jsonb, $17::jsonb
FROM tenant t WHERE t.tenant_id = $1::int AND (
  EXISTS (SELECT FROM audit_source k WHERE k.tenant_id = $1::int AND k.host_name = $2 AND k.database_name = $3)
  OR (SELECT count(*) FROM audit_source c WHERE c.tenant_id = $1::int) < $12::int)
ON CONFLICT (tenant_id, host_name, database_name) DO UPDATE SET
  agent_version = excluded.agent_version, waiting_bytes = excluded.waiting_bytes, problem = excluded.problem,
  last_event_time = greatest(s.last_event_time, excluded.last_event_time),
  caught_up_at = greatest(s.caught_up_at, excluded.caught_up_at),
  published_count = s.published_count + excluded.published_count,
  last_received = greatest(s.last_received, excluded.last_received),
  last_reported = greatest(s.last_reported, excluded.last_reported),
  problem_since = CASE WHEN s.problem IS NOT NULL AND excluded.problem IS NOT NULL THEN s.problem_since
    ELSE excluded.problem_since END,
  clock_ahead_ms = coalesce(excluded.clock_ahead_ms, s.clock_ahead_ms), runs = coalesce(excluded.runs, s.runs),
  standby_since = CASE WHEN excluded.standby_since IS NOT NULL THEN coalesce(s.standby_since, excluded.standby_since) END,
  whole_files = excluded.whole_files, running = excluded.running, package = excluded.package, retired_at = NULL, retired_reason = NULL`;

/**
 * What a host says without its shared folder of a source that another one reports too, under the same name. The other one
 * had the folder last, so the state of the source is that one's: $6 is the number of its published events.
 */
export const PUT_BESIDE = `
UPDATE audit_source s SET last_event_time = greatest(s.last_event_time, $4), caught_up_at = greatest(s.caught_up_at, $5),
  published_count = s.published_count + $6::bigint,
  last_received = CASE WHEN $6::bigint > 0 THEN greatest(s.last_received, $7::timestamptz) ELSE s.last_received END,
  runs = $8::jsonb, whole_files = $9::text
WHERE s.tenant_id = $1::int AND s.host_name = $2 AND s.database_name = $3`;

const GAP_TEXTS = ['reason', 'file_name', 'file_guid', 'detail', 'after_time', 'before_time', 'detected_at']
  .map((column) => `${column} text COLLATE "C"`)
  .join(', ');

/**
 * A gap may be reported several times, in one report or in several. Each of its values becomes the smallest or largest
 * one reported, so the order does not matter. Any value replaces null. The id of a gap is derived from its other
 * values, so reports of one gap differ in its times at most.
 */
export const PUT_GAPS = `
INSERT INTO audit_gap AS g (tenant_id, host_name, database_name, gap_id, reason, file_name, file_guid, detail,
  after_time, before_time, detected_at, first_reported)
SELECT t.tenant_id, $2, $3, x.gap_id, min(x.reason), min(x.file_name), min(x.file_guid)::uuid, min(x.detail),
  min(x.after_time), max(x.before_time), min(x.detected_at), $5::timestamptz
FROM tenant t CROSS JOIN json_to_recordset($4::json) AS x(gap_id uuid, ${GAP_TEXTS})
WHERE t.tenant_id = $1::int
GROUP BY t.tenant_id, x.gap_id
ON CONFLICT (tenant_id, host_name, database_name, gap_id) DO UPDATE SET
  reason = least(g.reason, excluded.reason), file_name = least(g.file_name, excluded.file_name),
  file_guid = least(g.file_guid, excluded.file_guid), detail = least(g.detail, excluded.detail),
  after_time = least(g.after_time, excluded.after_time),
  before_time = greatest(g.before_time, excluded.before_time),
  detected_at = least(g.detected_at, excluded.detected_at),
  first_reported = least(g.first_reported, excluded.first_reported)`;

/** What was known of the source before a report. The lock makes the reports of one source take turns. */
export const SOURCE_BEFORE = `
SELECT s.caught_up_at AS "caughtUpAt", s.last_reported AS "lastReported", s.retired_at AS "retiredAt", s.runs,
  s.standby_since AS "standbySince", s.whole_files AS "wholeFiles"
FROM audit_source s WHERE s.tenant_id = $1::int AND s.host_name = $2 AND s.database_name = $3 FOR UPDATE`;

export const PUT_LAGS = `
INSERT INTO audit_source_lag AS l (tenant_id, host_name, database_name, hour, lag_class, minutes, worst_ms)
SELECT t.tenant_id, $2, $3, to_timestamp(x.hour_ms / 1000.0), x.lag_class, x.minutes, x.worst_ms
FROM tenant t CROSS JOIN json_to_recordset($4::json) AS x(hour_ms bigint, lag_class int, minutes int, worst_ms bigint)
WHERE t.tenant_id = $1::int
ON CONFLICT (tenant_id, host_name, database_name, hour, lag_class) DO UPDATE SET
  minutes = l.minutes + excluded.minutes, worst_ms = greatest(l.worst_ms, excluded.worst_ms)`;

/** How far the sources of some tenants were behind, from an hour on and before a time. */
export const NOTED_LAGS = `
SELECT l.tenant_id AS "tenantId", l.host_name AS "hostName", l.database_name AS "databaseName",
  l.lag_class AS "lagClass", sum(l.minutes)::float8 AS minutes, max(l.worst_ms)::float8 AS "worstMs"
FROM audit_source_lag l
WHERE l.tenant_id = ANY($1::int[]) AND l.hour >= $2::timestamptz AND l.hour < $3::timestamptz
GROUP BY l.tenant_id, l.host_name, l.database_name, l.lag_class`;

/**
 * The files of a shared folder that agents published whole. Hosts share a folder under the name of one database, and may
 * share the name of the host, too. `hasFolder`: another host has the folder.
 */
export const OF_FOLDER = `
SELECT s.whole_files AS files, s.host_name <> $2 AND s.standby_since IS NULL AND s.retired_at IS NULL AS "hasFolder"
FROM audit_source s WHERE s.tenant_id = $1::int AND s.database_name = $3 AND s.whole_files IS NOT NULL`;

/**
 * What agents missed of files that this one published whole is no gap. $4: the GUIDs, with commas. A host that has not
 * said before that it shares the folder fills nothing.
 */
export const FILL_GAPS = `
DELETE FROM audit_gap g WHERE g.tenant_id = $1::int AND g.database_name = $3
  AND g.reason IN (${GONE_REASONS.map((reason) => `'${reason}'`).join(', ')})
  AND g.file_guid = ANY(string_to_array($4::text, ',')::uuid[])
  AND g.host_name IN (SELECT s.host_name FROM audit_source s
    WHERE s.tenant_id = $1::int AND s.database_name = $3 AND s.whole_files IS NOT NULL)
  AND EXISTS (SELECT FROM audit_source o WHERE o.tenant_id = $1::int AND o.host_name = $2 AND o.database_name = $3
    AND o.whole_files IS NOT NULL)`;

/** Whether the tenant exists. */
export const FIND_TENANT = 'SELECT 1 FROM tenant t WHERE t.tenant_id = $1::int';

export const COUNT_GAPS = `
SELECT count(*)::int AS n FROM audit_gap g
WHERE g.tenant_id = $1::int AND g.host_name = $2 AND g.database_name = $3`;

/** @param ofTenant a condition on both tables, or nothing */
const listOf = (ofTenant: string) => `
SELECT s.tenant_id AS "tenantId", s.host_name AS "hostName", s.database_name AS "databaseName",
  s.agent_version AS "agentVersion", s.last_event_time AS "lastEventTime", s.caught_up_at AS "caughtUpAt",
  s.waiting_bytes AS "waitingBytes", s.published_count AS "publishedCount", s.problem,
  s.last_received AS "lastReceived", s.last_reported AS "lastReported",
  s.retired_at AS "retiredAt", s.retired_reason AS "retiredReason", s.standby_since AS "standbySince",
  s.whole_files IS NOT NULL AS "isShared", s.running, s.package, coalesce(c.n, 0) AS "gapCount"
FROM audit_source s LEFT JOIN (
  SELECT g.tenant_id, g.host_name, g.database_name, count(*)::int AS n
  FROM audit_gap g ${ofTenant && `WHERE g.${ofTenant}`} GROUP BY g.tenant_id, g.host_name, g.database_name) c
  ON c.tenant_id = s.tenant_id AND c.host_name = s.host_name AND c.database_name = s.database_name
${ofTenant && `WHERE s.${ofTenant}`}
ORDER BY s.tenant_id, s.host_name, s.database_name`;
export const LIST_ALL = listOf('');
export const LIST_OF_TENANTS = listOf('tenant_id = ANY($1::int[])');
export const LIST_OF_TENANT = listOf('tenant_id = $1::int');

/** Checks in the tenant's row that the retention is still the one on which this removal is based. */
export const REMOVE_GAPS = `
DELETE FROM audit_gap g WHERE g.tenant_id = $1::int AND g.first_reported < $2::timestamptz AND EXISTS (
  SELECT FROM tenant t WHERE t.tenant_id = $1::int AND t.retention_days = $3::int)`;

/** As `REMOVE_GAPS`. */
export const REMOVE_LAGS = `
DELETE FROM audit_source_lag l WHERE l.tenant_id = $1::int AND l.hour < $2::timestamptz AND EXISTS (
  SELECT FROM tenant t WHERE t.tenant_id = $1::int AND t.retention_days = $3::int)`;

/**
 * The newest gaps of each source of some tenants that may lie in a time range, $2 of each source. $3 and $4: the range, NULL
 * where it is open. A gap with unknown times may be anywhere. `found` is the number of all that may.
 */
export const NEWEST_GAPS = `
SELECT g.* FROM (
  SELECT n.*, row_number() OVER (PARTITION BY n.tenant_id, n.host_name, n.database_name
    ORDER BY n.detected_at DESC, n.gap_id)::int AS rank,
    count(*) OVER (PARTITION BY n.tenant_id, n.host_name, n.database_name)::int AS found
  FROM audit_gap n WHERE n.tenant_id = ANY($1::int[])
    AND ($3::text IS NULL OR n.before_time IS NULL OR n.before_time > $3::text)
    AND ($4::text IS NULL OR n.after_time IS NULL OR n.after_time < $4::text)) g
WHERE g.rank <= $2::int ORDER BY g.tenant_id, g.host_name, g.database_name, g.rank`;

/** For each tenant, the first record id in the batches that are not in the evidence log yet. */
export const FIRST_WAITING = `
SELECT q.tenant_id, min(encode(substring(q.leaves FROM 1 FOR 16), 'hex') COLLATE "C") AS first
FROM audit_log_queue q WHERE q.tenant_id = ANY($1::int[]) GROUP BY q.tenant_id`;

/** The tenants with events from before the log that are not in it yet. */
export const BACKFILLING = `
SELECT h.tenant_id FROM audit_log_head h WHERE h.tenant_id = ANY($1::int[]) AND NOT h.backfilled`;
