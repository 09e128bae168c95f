import { ADVISORY_LOCKS } from '../../../database/advisory-locks';
import { RESTORE_PREPARED } from '../../../database/prepare-restore';

/** Statements of the one row of the epoch. The owner runs them. */

/** Whoever changes the row takes turns by this lock. */
export const EPOCH_LOCK = `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.epoch})`;

export const MAY_READ_SYSTEM = `SELECT has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE') AS may`;

/**
 * Which server, which database, which table and which transaction wrote the row. A dump that is restored anywhere
 * changes at least the transaction. A fail-over to a replica changes nothing of it.
 */
const identity = (maySystem: boolean, table: string, transaction: string): string => {
  const system = maySystem ? '(SELECT system_identifier::text FROM pg_control_system())' : `''`;
  const database = '(SELECT oid::text FROM pg_database WHERE datname = current_database())';
  return `concat_ws('/', ${system}, ${database}, ${table}, ${transaction})`;
};

export const readRow = (maySystem: boolean): string => `
SELECT e.epoch, e.former, e.bridged AS "isBridged", e.began_at AS "beganAt", e.cause, e.reason, e.hold, e.place,
  e.cursor_key AS "cursorKey",
  e.identity <> ${identity(maySystem, 'e.tableoid::text', 'e.xmin::text')} AS "isCopy"
FROM audit_log_epoch e WHERE e.id = 1`;

/** $1 epoch, $2 former, $3 bridged, $4 began at, $5 cause, $6 reason, $7 hold, $8 place, $9 cursor key in hex. */
export const writeRow = (maySystem: boolean): string => `
INSERT INTO audit_log_epoch (id, epoch, former, bridged, began_at, cause, reason, hold, place, cursor_key, identity)
VALUES (1, $1, $2::text[], $3::bool, $4::timestamptz, $5, $6, $7, $8, decode($9, 'hex'),
  ${identity(
    maySystem,
    `'audit_log_epoch'::regclass::oid::text`,
    '(pg_current_xact_id()::text::numeric % 4294967296)::text',
  )})
ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, former = excluded.former, bridged = excluded.bridged,
  began_at = excluded.began_at, cause = excluded.cause, reason = excluded.reason, hold = excluded.hold,
  place = excluded.place, cursor_key = excluded.cursor_key, identity = excluded.identity`;

export const IS_PREPARED = `SELECT to_regclass('${RESTORE_PREPARED}') IS NOT NULL AS there`;
export const DROP_PREPARED = `DROP TABLE IF EXISTS ${RESTORE_PREPARED}`;

export const HAS_TENANTS = 'SELECT EXISTS (SELECT 1 FROM tenant) AS there';
