import type { Prisma } from '../../database/clients';
import type { StoredState } from '../../detection/host';

/** Of each row the last. */
export function lastOfEach(rows: readonly StoredState[]): StoredState[] {
  return [...new Map(rows.map((row) => [`${row.node}\n${row.key}`, row])).values()];
}

/** Writes what windows and baselines hold now. */
export async function putState(
  tx: Prisma.TransactionClient,
  tenantId: number,
  rows: readonly StoredState[],
): Promise<void> {
  const kept = rows.filter(({ body }) => body !== null);
  const gone = rows.filter(({ body }) => body === null);
  if (kept.length > 0)
    await tx.$executeRawUnsafe(
      `INSERT INTO detection_state (tenant_id, node, key, touched, body)
       SELECT t.tenant_id, x.node, x.key, x.touched, x.body
       FROM tenant t CROSS JOIN json_to_recordset($2::json) AS x(node text, key text, touched bigint, body text)
       WHERE t.tenant_id = $1::int
       ON CONFLICT (tenant_id, node, key) DO UPDATE SET touched = excluded.touched, body = excluded.body`,
      tenantId,
      JSON.stringify(kept),
    );
  if (gone.length > 0)
    await tx.$executeRawUnsafe(
      `DELETE FROM detection_state s USING json_to_recordset($2::json) AS x(node text, key text)
       WHERE s.tenant_id = $1::int AND s.node = x.node AND s.key = x.key`,
      tenantId,
      JSON.stringify(gone),
    );
}
