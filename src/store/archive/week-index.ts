import type { Prisma } from '../../database/clients';
import { COUNTED_BY_INSTANCE } from '../counts/by-instance';
import { COUNTED_COLUMNS, HOURS_PER_DAY } from '../counts/dimensions';
import { foldTenant } from '../counts/fold';
import { hourOf } from '../rows/event-rows';
import { floorOfWeek, hoursOfWeek } from '../rows/partitions';

type Tx = Prisma.TransactionClient;

const INDEX = ['audit_segment', 'audit_word', 'audit_unindexed'].map(
  (table) => `DELETE FROM ${table} WHERE tenant_id = $1::int AND hour >= $2::int AND hour < $3::int`,
);
const COUNTS = `
DELETE FROM audit_count c WHERE c.tenant_id = $1::int
  AND ((c.grain = 1 AND c.bucket >= $2::int AND c.bucket < $3::int)
    OR (c.grain = 2 AND c.bucket >= $2::int / ${HOURS_PER_DAY} AND c.bucket < $3::int / ${HOURS_PER_DAY}))`;
/** The numbers of events by hour and day stay, and that of the events of a day that were counted by instance. */
const COUNTS_BY_VALUE = `${COUNTS} AND NOT (c.a IN (0, ${COUNTED_BY_INSTANCE}) AND c.d = 0 AND c.p = 0)`;
const COUNT_ROWS = `
INSERT INTO audit_delta (tenant_id, hour, ${COUNTED_COLUMNS}, n, ok)
SELECT t.tenant_id, ${hourOf('e.record_id')}, ${COUNTED_COLUMNS}, count(*), count(*) FILTER (WHERE e.succeeded)
FROM tenant t JOIN audit_event e ON e.tenant_id = t.tenant_id
WHERE t.tenant_id = $1::int AND e.tenant_id = $1::int AND e.record_id >= $2::uuid AND e.record_id < $3::uuid
GROUP BY 1, 2, ${COUNTED_COLUMNS}`;

/** Removes what a file answers: words, columns, and counts by value. The caller has the tenant's turn. */
export async function dropWeekIndex(tx: Tx, tenantId: number, week: number): Promise<void> {
  for (const statement of [...INDEX, COUNTS_BY_VALUE])
    await tx.$executeRawUnsafe(statement, tenantId, ...hoursOfWeek(week));
}

/** Counts the rows of a week anew, after a restore. Their hours are indexed later. The caller has the tenant's turn. */
export async function countWeek(tx: Tx, tenantId: number, week: number): Promise<void> {
  // What came late is counted with the rows.
  await foldTenant(tx, tenantId);
  for (const statement of [...INDEX, COUNTS])
    await tx.$executeRawUnsafe(statement, tenantId, ...hoursOfWeek(week));
  await tx.$executeRawUnsafe(COUNT_ROWS, tenantId, floorOfWeek(week), floorOfWeek(week + 1));
  await foldTenant(tx, tenantId);
}
