import type { Client } from 'pg';
import type { Dataset } from '../load/dataset';
import { withClient } from '../processes/databases';

/** A batch: deltas are of the newest events, over and over. */
const EVENTS = 5_000;

/** Deltas that add nothing: read like any others, and removed without a trace. */
const ADD = `
  INSERT INTO audit_delta (tenant_id, hour, action_id, database_name, server_principal_name, n, ok)
  SELECT $1::int, (('x' || translate(left(e.record_id::text, 13), '-', ''))::bit(48)::bigint / 3600000)::int,
    e.action_id, e.database_name, e.server_principal_name, 0, 0
  FROM (SELECT * FROM audit_event WHERE tenant_id = $1::int ORDER BY record_id DESC LIMIT ${EVENTS}) e
  CROSS JOIN generate_series(1, $2::int / ${EVENTS})`;

/** Runs work while the busiest tenant of each database has this many deltas that no service folds. */
export async function withUnfoldedDeltas(
  datasets: readonly Dataset[],
  count: number,
  work: () => Promise<void>,
): Promise<void> {
  try {
    for (const dataset of datasets) {
      await onDeltas(dataset, (client) => client.query(ADD, [dataset.tenantIds[0], count]));
    }
    await work();
  } finally {
    for (const dataset of datasets) {
      await onDeltas(dataset, (client) => client.query('DELETE FROM audit_delta WHERE n = 0'));
    }
  }
}

function onDeltas({ url }: Dataset, change: (client: Client) => Promise<unknown>): Promise<void> {
  return withClient(url, async (client) => {
    await change(client);
    await client.query('VACUUM (ANALYZE) audit_delta');
  });
}
