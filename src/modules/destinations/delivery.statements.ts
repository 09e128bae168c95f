import { isFree, isOver, type Leased, renewedEnd } from '../../database/lease';
import { RETRY_AFTER_MAX_MS } from '../../delivery/retry';

export const DESTINATIONS: Leased = {
  table: 'destination',
  key: { tenant_id: 'int', destination_id: 'uuid' },
  holder: 'lease_id',
  until: 'lease_until',
  /** After this time without a renewal, another instance takes over a destination. */
  ms: 12_000,
};

const COLUMNS = `d.tenant_id AS "tenantId", d.destination_id AS "destinationId", d.name, d.type, d.settings, d.secrets,
  d.filter, d.format, d.state, d.created_at AS "createdAt", d.position, d.generation, d.batches,
  d.batch_limit AS "batchLimit", d.attempts, d.next_attempt_at AS "nextAttemptAt", d.last_error AS "lastError",
  d.last_error_at AS "lastErrorAt", d.last_success_at AS "lastSuccessAt", d.caught_up_at AS "caughtUpAt", d.delivered,
  d.failures, d.go_epoch AS "goEpoch", d.set_aside AS "setAside", d.behind_retention AS "behindRetention", d.overtaken_at AS "overtakenAt"`;

/** Nobody sets a next attempt further ahead than a receiver may ask for. */
const MAY_TRY = isOver(
  'd.next_attempt_at',
  'now()',
  `now() + interval '${2 * RETRY_AFTER_MAX_MS} milliseconds'`,
);

/** @param condition on columns of the alias d */
export const listStatement = (condition: string): string => `
SELECT ${COLUMNS}, coalesce(h.size, 0) AS "logSize",
  d.state = 'active' AND ${isFree(DESTINATIONS, 'd')} AND ${MAY_TRY}
    AND (d.position < coalesce(h.size, 0) OR d.batches <> '{}') AS "isDue"
FROM destination d LEFT JOIN audit_log_head h ON h.tenant_id = d.tenant_id
WHERE ${condition} ORDER BY d.tenant_id, d.created_at, d.destination_id`;

const ONE = 'd.tenant_id = $1::int AND d.destination_id = $2::uuid';

/** The columns that others may change during a delivery, so the sender must see them. */
export const NOTED = `state, set_aside AS "setAside", encode(sha256(secrets), 'hex') AS "secretsHash"`;

/**
 * What became of an attempt; only the holder of the lease writes it. $3 lease, $4 position, $5 batches, $6 batch limit,
 * $7 attempts, $8 milliseconds until the next one, $9 error, $10 whether something was taken, $11 events delivered,
 * $12 failures, $13 events not found, $14 whether nothing is left, $15 whether it pauses, $16 events set aside.
 *
 * Events that were gone before anybody set the position were not overtaken: retention has removed something since. Its
 * time is put together so because a distributed database refuses now() in a CASE that it can't decide beforehand.
 */
export const SAVE = `
UPDATE destination d SET position = $4::bigint, batches = $5::bigint[], batch_limit = $6::int, attempts = $7::int,
  next_attempt_at = now() + make_interval(secs => $8::float8 / 1000),
  last_error = coalesce($9::text, d.last_error), last_error_at = CASE WHEN $9::text IS NULL THEN d.last_error_at ELSE now() END,
  last_success_at = CASE WHEN $10::bool THEN now() ELSE d.last_success_at END,
  delivered = d.delivered + $11::bigint, failures = d.failures + $12::bigint,
  behind_retention = d.behind_retention + CASE WHEN o.overtaken IS NULL THEN 0 ELSE $13::bigint END,
  overtaken_at = greatest(d.overtaken_at, now() + o.overtaken),
  caught_up_at = CASE WHEN $14::bool THEN now() ELSE d.caught_up_at END,
  state = CASE WHEN $15::bool THEN 'paused' ELSE d.state END,
  set_aside = d.set_aside + $16::int, lease_until = ${renewedEnd(DESTINATIONS)}
FROM (SELECT CASE WHEN $13::bigint > 0 AND EXISTS (SELECT FROM retention_run r JOIN destination x ON x.tenant_id = r.tenant_id
    WHERE r.tenant_id = $1::int AND x.destination_id = $2::uuid AND r.ended_at > x.position_set_at)
    THEN interval '0' END AS overtaken) o
WHERE ${ONE} AND d.lease_id = $3::uuid RETURNING ${NOTED}`;

/** $3 positions, $4 record ids, $5 messages. */
export const SET_ASIDE = `
INSERT INTO destination_set_aside (tenant_id, destination_id, position, record_id, message, at)
SELECT d.tenant_id, d.destination_id, x.position, x.record_id, x.message, now()
FROM destination d CROSS JOIN unnest($3::bigint[], $4::uuid[], $5::text[]) AS x(position, record_id, message)
WHERE ${ONE} ON CONFLICT (tenant_id, destination_id, position) DO NOTHING`;
