import type { OfTenant } from '../../database/distribute/tenant-rounds';
import { LIMITS } from '../../limits';
import { EVENT_BYTES } from '../../store/rows/event-rows';

/** Statements of the evidence log. Those before `HEAD` cover all tenants, and the others name their tenant as `$1`. */

/**
 * Tenants with events that wait, or with an empty log that an earlier key of this instance sealed: it is sealed anew.
 * Starts from a tenant id, so that a tenant that cannot be served now does not keep the others waiting.
 */
export const tenantsWithWork = (of: OfTenant): string => `
SELECT tenant_id FROM (
  SELECT DISTINCT q.tenant_id FROM audit_log_queue q
  WHERE NOT q.refused AND q.key_id = ANY($3::text[]) AND ${of('q.tenant_id')}
  UNION SELECT h.tenant_id FROM audit_log_head h
  WHERE (NOT h.backfilled OR (h.size = 0 AND h.key_id <> $4::text AND h.key_id = ANY($3::text[]))) AND ${of('h.tenant_id')}) w
WHERE tenant_id > $1::int ORDER BY tenant_id LIMIT $2::int`;

/**
 * Those with new entries that were last signed by $1, or after $2: a clock was ahead then. And those that an earlier key
 * sealed: the key $4 of this instance signs them at once, with new entries or without.
 */
export const tenantsToSign = (of: OfTenant): string => `
SELECT tenant_id FROM audit_log_head
WHERE ((size > signed_size AND (signed_at <= $1::timestamptz OR signed_at >= $2::timestamptz))
  OR (size > 0 AND key_id <> $4::text AND key_id = ANY($3::text[]))) AND ${of('tenant_id')}`;

export const heads = (of: OfTenant): string => `
SELECT * FROM audit_log_head WHERE tenant_id > $1::int AND ${of('tenant_id')} ORDER BY tenant_id LIMIT $2::int`;

/** The waiting batches under keys that this instance does not have. */
export const waitingOfOtherKeys = (of: OfTenant): string => `
SELECT q.tenant_id, q.key_id, sum(q.events)::float8 AS events FROM audit_log_queue q
WHERE NOT q.refused AND q.key_id <> ALL($1::text[]) AND ${of('q.tenant_id')}
GROUP BY q.tenant_id, q.key_id ORDER BY q.tenant_id LIMIT $2::int`;

/** Those of the keys that sealed the end of a log, or events that wait for one. */
export const keysInUse = (of: OfTenant): string => `
SELECT h.key_id FROM audit_log_head h WHERE h.key_id = ANY($1::text[]) AND ${of('h.tenant_id')}
UNION SELECT q.key_id FROM audit_log_queue q
WHERE NOT q.refused AND q.key_id = ANY($1::text[]) AND ${of('q.tenant_id')}`;

const NEWEST_OF_ALL = `
audit_log_head h JOIN audit_log_checkpoint c ON c.tenant_id = h.tenant_id AND c.number = h.checkpoints
WHERE h.checkpoints > 0`;

/** The tenants after $3 whose newest checkpoint has no signature line that begins with $1. */
export const uncosignedLogs = (of: OfTenant): string => `
SELECT h.tenant_id FROM ${NEWEST_OF_ALL} AND position($1 IN c.note) = 0 AND h.tenant_id > $3::int AND ${of('h.tenant_id')}
ORDER BY h.tenant_id LIMIT $2::int`;

/** A tenant whose newest checkpoint has one. */
export const cosignedLogs = (of: OfTenant): string => `
SELECT h.tenant_id FROM ${NEWEST_OF_ALL} AND position($1 IN c.note) > 0 AND ${of('h.tenant_id')} LIMIT 1`;

/**
 * The condition that a log was not stamped for long enough. A time ahead of the clock was noted while the clock was
 * ahead. @param column of when it was last stamped @param now SQL, as is `before`: the latest time that is long ago
 */
export const isStampDue = (
  column: string,
  now = 'now()',
  before = `now() - interval '${LIMITS.timeStampEveryMs} milliseconds'`,
): string => `(${column} IS NULL OR ${column} <= ${before} OR ${column} > ${now})`;

/** The tenants after $2 with a newest checkpoint that is to be stamped. */
export const unstampedLogs = (of: OfTenant): string => `
SELECT h.tenant_id FROM audit_log_head h JOIN audit_log_checkpoint c ON c.tenant_id = h.tenant_id AND c.number = h.checkpoints
LEFT JOIN audit_log_stamping s ON s.tenant_id = h.tenant_id
WHERE h.checkpoints > 0 AND c.token IS NULL AND ${isStampDue('s.stamped_at')} AND h.tenant_id > $2::int
  AND ${of('h.tenant_id')}
ORDER BY h.tenant_id LIMIT $1::int`;

/** Keeps the token $3 of a checkpoint, if its text is still $4. */
export const STAMP = `
UPDATE audit_log_checkpoint SET token = $3::bytea
WHERE tenant_id = $1::int AND number = $2::int AND starts_with(note, $4)`;

export const KEY_OF_DATABASE = 'SELECT key_id FROM audit_log_key WHERE id = 1';

export const KEY_OF_MOST_HEADS = `
SELECT key_id FROM audit_log_head GROUP BY key_id ORDER BY count(*) DESC, key_id LIMIT 1`;

export const PUT_KEY = 'INSERT INTO audit_log_key (id, key_id) VALUES (1, $1) ON CONFLICT DO NOTHING';

export const SUCCEED_KEY = 'UPDATE audit_log_key SET key_id = $2 WHERE id = 1 AND key_id = $1';

export const TENANTS_WITH_BACKLOG = 'SELECT DISTINCT tenant_id FROM audit_log_backlog ORDER BY tenant_id';

export const HEAD = 'SELECT * FROM audit_log_head WHERE tenant_id = $1::int';

export const PUT_HEAD = `
INSERT INTO audit_log_head (tenant_id, size, root, checkpoints, signed_size, signed_at, backfilled, key_id, mac)
VALUES ($1::int, $2::bigint, decode($3, 'hex'), $4::int, $5::bigint, $6::timestamptz, $7::bool, $8, decode($9, 'hex'))
ON CONFLICT (tenant_id) DO UPDATE SET size = excluded.size, root = excluded.root, checkpoints = excluded.checkpoints,
  signed_size = excluded.signed_size, signed_at = excluded.signed_at, backfilled = excluded.backfilled,
  key_id = excluded.key_id, mac = excluded.mac`;

export const TILES = `
SELECT t.level, t.tile, t.hashes, t.record_ids, t.arrivals FROM audit_log_tile t
WHERE t.tenant_id = $1::int AND (t.level, t.tile) IN (SELECT * FROM unnest($2::int[], $3::int[]))`;

export const PUT_TILES = `
INSERT INTO audit_log_tile (tenant_id, level, tile, hashes, record_ids, arrivals)
SELECT t.tenant_id, x.level, x.tile, decode(x.hashes, 'base64'), decode(x.ids, 'base64'), decode(x.arrivals, 'base64')
FROM tenant t CROSS JOIN unnest($2::int[], $3::int[], $4::text[], $5::text[], $6::text[])
  AS x(level, tile, hashes, ids, arrivals)
WHERE t.tenant_id = $1::int
ON CONFLICT (tenant_id, level, tile) DO UPDATE SET hashes = excluded.hashes, record_ids = excluded.record_ids,
  arrivals = excluded.arrivals`;

/** The last minute that has a row. Only a later minute gets the next row. */
export const LAST_MINUTE = 'SELECT max(minute) AS minute FROM audit_log_arrival WHERE tenant_id = $1::int';

export const PUT_MINUTES = `
INSERT INTO audit_log_arrival (tenant_id, minute, position)
SELECT t.tenant_id, x.minute, x.position FROM tenant t CROSS JOIN unnest($2::int[], $3::bigint[]) AS x(minute, position)
WHERE t.tenant_id = $1::int`;

export const PUT_PLACES = `
INSERT INTO audit_log_place AS p (tenant_id, hour, tile, first_id, last_id)
SELECT t.tenant_id, x.hour, x.tile, x.first_id, x.last_id
FROM tenant t CROSS JOIN unnest($2::int[], $3::int[], $4::uuid[], $5::uuid[]) AS x(hour, tile, first_id, last_id)
WHERE t.tenant_id = $1::int
ON CONFLICT (tenant_id, hour, tile) DO UPDATE SET first_id = least(p.first_id, excluded.first_id),
  last_id = greatest(p.last_id, excluded.last_id)`;

export const WAITING_BATCHES = `
SELECT q.batch_id::text, q.received_at, q.leaves, q.accepted::text[], q.key_id, q.mac FROM audit_log_queue q
WHERE q.tenant_id = $1::int AND NOT q.refused AND q.key_id = ANY($2::text[])
ORDER BY q.received_at, q.batch_id LIMIT $3::int`;

export const TAKE_BATCHES = `
DELETE FROM audit_log_queue WHERE tenant_id = $1::int AND batch_id = ANY($2::uuid[])`;

export const REFUSE_BATCHES = `
UPDATE audit_log_queue SET refused = true WHERE tenant_id = $1::int AND batch_id = ANY($2::uuid[])`;

export const PUT_CHECKPOINT = `
INSERT INTO audit_log_checkpoint (tenant_id, number, size, note) VALUES ($1::int, $2::int, $3::bigint, $4)`;

/** The newest checkpoint of a log. */
export const NEWEST = `
SELECT c.number, c.size, c.note FROM audit_log_checkpoint c WHERE c.tenant_id = $1::int
ORDER BY c.number DESC LIMIT 1`;

/**
 * Adds a signature line $3 to a checkpoint, unless it has one that begins with $4, or its text is no longer $5: another
 * instance may have added the line.
 */
export const COSIGN = `
UPDATE audit_log_checkpoint SET note = note || $3
WHERE tenant_id = $1::int AND number = $2::int AND position($4 IN note) = 0 AND starts_with(note, $5)`;

export const NEXT_BACKLOG = `
SELECT b.hour, b.from_id::text FROM audit_log_backlog b WHERE b.tenant_id = $1::int ORDER BY b.hour LIMIT 1`;

export const BACKLOG_DONE = 'DELETE FROM audit_log_backlog WHERE tenant_id = $1::int AND hour = $2::int';

export const BACKLOG_ON = `
UPDATE audit_log_backlog SET from_id = $3::uuid WHERE tenant_id = $1::int AND hour = $2::int`;

/**
 * The first event after the next step through the events [from, end) of an hour; no row if the step reaches the end. A
 * step has at most $4 events. Their statements and additional values have at most $5 bytes, the last event's not
 * counted.
 */
export const FOLLOWING_STEP = `
SELECT s.record_id::text FROM (
  SELECT u.record_id, row_number() OVER read AS n, sum(u.size) OVER read - u.size AS before
  FROM (
    SELECT e.record_id, ${EVENT_BYTES} AS size FROM audit_event e
    WHERE e.tenant_id = $1::int AND e.record_id >= $2::uuid AND e.record_id < $3::uuid
    ORDER BY e.record_id LIMIT $4::int + 1) u
  WINDOW read AS (ORDER BY u.record_id)) s
WHERE s.n > $4::int OR s.before > $5::bigint ORDER BY s.record_id LIMIT 1`;

/** The tiles that may hold records between two record ids of an hour. */
export const TILES_OF_RANGE = `
SELECT t.tile, t.record_ids FROM audit_log_place p, audit_log_tile t
WHERE p.tenant_id = $1::int AND p.hour = $2::int AND p.last_id >= $3::uuid AND p.first_id <= $4::uuid
  AND t.tenant_id = $1::int AND t.level = 0 AND t.tile = p.tile ORDER BY t.tile`;
