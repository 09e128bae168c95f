import type { Client } from 'pg';
import { until } from './until';

/** Resolves when so many connections to the database wait for a lock; the client may be in a transaction. */
export const waitersOn = (client: Client, count: number): Promise<number> =>
  until(
    async () => {
      // Not from pg_stat_activity, which stays the same within a transaction.
      const { rows } = await client.query(
        `SELECT count(DISTINCT w.pid)::int AS n FROM pg_locks w JOIN pg_locks l USING (pid)
         JOIN pg_database d ON d.oid = l.database
         WHERE NOT w.granted AND d.datname = current_database()`,
      );
      return rows[0].n as number;
    },
    (n) => n === count,
  );
