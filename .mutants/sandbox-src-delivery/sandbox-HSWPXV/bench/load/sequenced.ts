import type { Client } from 'pg';

const PATIENCE_MS = 600_000;

/** Waits until the evidence logs hold all loaded events. @returns the number of entries of a tenant's log */
export async function sequenced(client: Client, tenantId: number): Promise<number> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM audit_log_queue) AS waiting,
         coalesce((SELECT size::float8 FROM audit_log_head WHERE tenant_id = $1), 0) AS size`,
      [tenantId],
    );
    if (rows[0].waiting === 0 && rows[0].size > 0) return rows[0].size;
    if (performance.now() > end) throw new Error('the evidence log does not catch up');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
