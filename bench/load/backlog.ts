import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

/** Tables whose rows wait for a background task of the service. */
const BACKLOGS = { counts: 'audit_delta', search: 'audit_unindexed' } as const;
const POLL_MS = 50;
const PATIENCE_MS = 60 * 60_000;

/** Events that the evidence log has not taken in, or that rules have not seen. */
const RULES_WAIT = `EXISTS (SELECT FROM audit_log_queue) OR EXISTS (SELECT FROM audit_log_head h
  LEFT JOIN detection_position p ON p.tenant_id = h.tenant_id WHERE p.position IS NULL OR p.position < h.size)`;

/**
 * Waits until the service's background tasks have nothing left to do.
 * @param search whether the service indexes for search
 * @param rules whether the rules are to have seen everything as well
 */
export async function caughtUp(client: Client, search: boolean, rules = false): Promise<void> {
  const tables = tablesOf(search).map((table) => `EXISTS (SELECT FROM ${table})`);
  const waiting = [...tables, ...(rules ? [RULES_WAIT] : [])].join(' OR ');
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const {
      rows: [state],
    } = await client.query(`SELECT (${waiting}) AS busy`);
    if (!state.busy) return;
    await sleep(POLL_MS);
  }
  throw new Error('the background tasks of the service do not catch up');
}

/** The number of rows that still wait, for a line of progress. */
export async function backlogText(client: Client, search: boolean): Promise<string> {
  const counts = tablesOf(search).map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  const { rows } = await client.query(`SELECT ${counts.join(', ')}`);
  const left = Object.entries(rows[0] as Record<string, number>).map(
    ([table, n]) => `${n.toLocaleString('en')} rows of ${table}`,
  );
  return `  left to fold and index: ${left.join(', ')}`;
}

const tablesOf = (search: boolean) => (search ? [BACKLOGS.counts, BACKLOGS.search] : [BACKLOGS.counts]);
