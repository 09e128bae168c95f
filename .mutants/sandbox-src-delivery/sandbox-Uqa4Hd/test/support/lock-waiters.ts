import type { Client } from 'pg';
import { until } from './until';

/** Resolves when this number of connections to the database wait for a lock. The client may be in a transaction. */
export const waitersOn = (client: Client, count: number): Promise<number> =>
  until(
    async () => {
      // pg_stat_activity would not do: its content stays the same within a transaction.
      const { rows } = await client.query(
        `SELECT count(DISTINCT w.pid)::int AS n FROM pg_locks w JOIN pg_locks l USING (pid)
         JOIN pg_database d ON d.oid = l.database
         WHERE NOT w.granted AND d.datname = current_database()`,
      );
      return rows[0].n as number;
    },
    (n) => n === count,
  );
