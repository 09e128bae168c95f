import { ADVISORY_LOCKS } from '../../../database/advisory-locks';
import { Prisma } from '../../../database/clients';
import type { Expression } from '../../../event/expression/expression';
import { parseFilter } from '../../../event/expression/parse-filter';
import { expressionSql } from '../../../store/rows/expression-sql';
import { fromStored } from '../../../store/rows/stored-text';

/**
 * What the holds of a tenant keep. `everything`: also where the filter of a hold cannot be read, so that nothing is
 * removed by mistake.
 */
export type Held = 'nothing' | 'everything' | Expression;

type Tx = Pick<Prisma.TransactionClient, '$executeRawUnsafe' | '$queryRawUnsafe'>;

/** By the earlier of two clocks: an instance whose clock is ahead ends no hold early. */
const IN_FORCE = (at: string) =>
  `h.ended_at IS NULL AND (h.until_time IS NULL OR h.until_time > least(${at}::timestamptz, now()))`;
const OF_TENANT = `SELECT h.filter FROM legal_hold h WHERE h.tenant_id = $1::int AND ${IN_FORCE('$2')}`;
const HOLDING = `SELECT DISTINCT h.tenant_id AS "tenantId" FROM legal_hold h WHERE ${IN_FORCE('$1')}`;

const lock = (tenant: string) => `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.holds}, ${tenant})`;
const lockShared = (tenant: string) =>
  `SELECT pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.holds}, ${tenant})`;

/**
 * What the holds of a tenant keep from a removal in this transaction. A hold that is made later waits for its end.
 * @param at holds that are in force at this time
 */
export async function heldNow(tx: Tx, tenantId: number, at: Date): Promise<Held> {
  await tx.$executeRawUnsafe(lock('$1::int'), tenantId);
  const rows = await tx.$queryRawUnsafe<{ filter: string }[]>(OF_TENANT, tenantId, at);
  return heldBy(rows.map(({ filter }) => (filter === '' ? null : fromStored(filter))));
}

/** The number of some stored events that holds keep. A hold that is made later waits for the end of the transaction. */
export async function countHeld(
  tx: Tx & Pick<Prisma.TransactionClient, '$queryRaw'>,
  tenantId: number,
  recordIds: readonly string[],
  at: Date,
): Promise<number> {
  const held = await heldNow(tx, tenantId, at);
  if (held === 'nothing') return 0;
  const [row] = await tx.$queryRaw<{ n: number }[]>`
    SELECT count(*)::int AS n FROM audit_event e WHERE e.tenant_id = ${tenantId}::int
      AND e.record_id = ANY(string_to_array(${recordIds.join()}::text, ',')::uuid[]) AND NOT ${freeSql(held)}`;
  return row?.n ?? 0;
}

/** The tenants with a hold in force. */
export async function tenantsHolding(tx: Tx, at: Date): Promise<readonly number[]> {
  const rows = await tx.$queryRawUnsafe<{ tenantId: number }[]>(HOLDING, at);
  return rows.map(({ tenantId }) => tenantId);
}

/** A hold of any tenant that is being made comes before what follows; another one waits for the end of the transaction. */
export const awaitHolds = (tx: Tx): Promise<unknown> => tx.$executeRawUnsafe(lock('0'));

/** Waits until no transaction removes events of the tenant that asked what is held, and keeps others from asking. */
export async function beforeHolding(tx: Tx, tenantId: number, waitMs: number): Promise<void> {
  await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = ${waitMs}`);
  await tx.$executeRawUnsafe(lockShared('0'));
  await tx.$executeRawUnsafe(lock('$1::int'), tenantId);
}

/** @param filters of holds; null: every event */
export function heldBy(filters: readonly (string | null)[]): Held {
  const expressions: Expression[] = [];
  for (const filter of filters) {
    const parsed = filter === null ? null : parseFilter(filter);
    if (parsed === null || 'problem' in parsed) return 'everything';
    expressions.push(parsed.expression);
  }
  const [first, second] = expressions;
  if (first === undefined) return 'nothing';
  return second === undefined ? first : { kind: 'or', of: expressions };
}

/** SQL: whether no hold keeps `audit_event e`. */
export function freeSql(held: Held): Prisma.Sql {
  if (held === 'nothing') return Prisma.sql`true`;
  if (held === 'everything') return Prisma.sql`false`;
  return Prisma.sql`NOT coalesce(${expressionSql(held)}, true)`;
}
