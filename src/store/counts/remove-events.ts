import type { OwnerDoor, Prisma } from '../../database/clients';
import { FORGET_COLUMN_VALUES } from '../columns/forget-values';
import { hourOf } from '../rows/event-rows';
import { fromStored } from '../rows/stored-text';
import { COUNTED_BY_INSTANCE, INSTANCE_MAX, keyOf } from './by-instance';
import { COUNTED, COUNTED_COLUMNS, DIMENSIONS, KEYS } from './dimensions';
import { foldTenant } from './fold';
import { takeTenant } from './turns';

/** Indexing the hours of a busy tenant may take a while, and nobody else waits behind this step. */
const TURN_WAIT = '60s';

/**
 * A statement that deletes events of tenant $1. It also takes them off the counts, with deltas like those of stored
 * events. @returns the hours of the deleted events, with deltas below 0
 */
export const removing = (which: string) => `
WITH gone AS (
  DELETE FROM audit_event e WHERE e.tenant_id = $1::int AND ${which}
  RETURNING e.record_id, ${COUNTED_COLUMNS}, e.succeeded),
less AS (
  INSERT INTO audit_delta (tenant_id, hour, ${COUNTED_COLUMNS}, n, ok)
  SELECT t.tenant_id, ${hourOf('g.record_id')}, ${COUNTED_COLUMNS}, -count(*), -count(*) FILTER (WHERE g.succeeded)
  FROM tenant t CROSS JOIN gone g WHERE t.tenant_id = $1::int GROUP BY 1, 2, ${COUNTED_COLUMNS}
  RETURNING hour, n)
SELECT hour, n FROM less`;
/** A segment counts as right while its count is right, but other events could make the count equal again. */
const UNINDEX = ['audit_segment', 'audit_word'].map(
  (table) => `DELETE FROM ${table} WHERE tenant_id = $1::int AND hour = ANY($2::int[])`,
);
/**
 * For a day with counts, the row that says how many are by instance stays. Without it, the day has no counts by
 * instance.
 */
const CLEAR_EMPTY = `
DELETE FROM audit_count c WHERE c.tenant_id = $1::int AND c.n = 0 AND NOT (c.a = ${COUNTED_BY_INSTANCE} AND EXISTS (
  SELECT FROM audit_count t WHERE t.tenant_id = $1::int AND t.grain = c.grain AND t.a = 0 AND t.d = 0 AND t.p = 0
    AND t.bucket = c.bucket AND t.n <> 0))`;

/** A part of what a removal took off the counts. */
export interface RemovedDelta {
  readonly hour: number;
  readonly n: number;
}

/** Brings counts and index to what is left, in the transaction of the removal: nobody sees a negative delta. */
export async function settleRemoval(
  tx: Prisma.TransactionClient,
  tenantId: number,
  deltas: readonly RemovedDelta[],
): Promise<void> {
  await foldTenant(tx, tenantId);
  await tx.$executeRawUnsafe(CLEAR_EMPTY, tenantId);
  const hours = [...new Set(deltas.map(({ hour }) => hour))];
  for (const statement of UNINDEX) await tx.$executeRawUnsafe(statement, tenantId, hours);
}

/** Works on a tenant's events while nobody folds or indexes them. */
export function inTurn<T>(
  owner: OwnerDoor,
  tenantId: number,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  return owner.models.$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '${TURN_WAIT}'`);
      await takeTenant(tx, tenantId);
      return work(tx);
    },
    { timeout: 180_000, maxWait: 60_000 },
  );
}

/** Removes values whose last count is gone, so that values without stored events are not kept. */
const FORGET_VALUES = COUNTED.map(({ kind, key, field }) => {
  const column = key === 'i' ? 'a' : key;
  const number =
    key === 'i' ? `(SELECT ${keyOf('m.dim_id', '0')} WHERE m.dim_id <= ${INSTANCE_MAX})` : 'm.dim_id';
  const others = KEYS.filter((d) => d.key !== column).map((d) => `c.${d.key} = 0`);
  const statement = `DELETE FROM audit_dim m WHERE m.tenant_id = $1::int AND m.kind = ${kind} AND NOT EXISTS (
    SELECT FROM audit_count c WHERE c.tenant_id = $1::int AND c.grain = 2 AND c.${column} = ${number}
      AND ${others.join(' AND ')}) RETURNING m.value`;
  return { field, statement };
});

/**
 * Removes counted values and values of columns that no event of the tenant has any more.
 * @param also gets the names of those databases, log-ins and instances, in the same transaction
 */
export const forgetValues = (
  owner: OwnerDoor,
  tenantId: number,
  also?: (tx: Prisma.TransactionClient, gone: ReadonlySet<string>) => Promise<void>,
): Promise<void> =>
  inTurn(owner, tenantId, async (tx) => {
    const gone = new Set<string>();
    for (const { field, statement } of FORGET_VALUES) {
      const rows = await tx.$queryRawUnsafe<{ value: string }[]>(statement, tenantId);
      if (field !== DIMENSIONS.action.field) for (const { value } of rows) gone.add(fromStored(value));
    }
    for (const statement of FORGET_COLUMN_VALUES) await tx.$executeRawUnsafe(statement, tenantId);
    gone.delete('');
    if (gone.size > 0) await also?.(tx, gone);
  });
