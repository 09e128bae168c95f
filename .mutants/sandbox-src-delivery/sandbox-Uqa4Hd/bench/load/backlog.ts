import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

/** Tables whose rows wait for a background task of the service. */
const BACKLOGS = { counts: 'audit_delta', search: 'audit_unindexed' } as const;
const POLL_MS = 20;
const PATIENCE_MS = 60 * 60_000;

/**
 * Waits until the service's background tasks have nothing left to do.
 * @param search whether the service indexes for search
 */
export async function caughtUp(client: Client, search: boolean): Promise<void> {
  const waiting = tablesOf(search)
    .map((table) => `EXISTS (SELECT FROM ${table})`)
    .join(' OR ');
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const {
      rows: [state],
    } = await client.query(`SELECT ${waiting} AS busy`);
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
