import { Client } from 'pg';
import type { Logger } from 'pino';
import { LIMITS } from '../limits';

/** Channel on which instances tell each other that a key was revoked or rotated. */
export const KEYS_CHANGED = 'audit_activity_keys';

export interface Listener {
  close(): Promise<void>;
}

/**
 * Listens to notifications on a separate connection, which is made again each time it is lost.
 * @param heard also called when the connection is lost and when it is back, because notifications may have been missed
 */
export function listen(
  connectionString: string,
  channel: string,
  { heard, log }: { readonly heard: () => void; readonly log: Logger },
): Listener {
  let client: Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let ping: NodeJS.Timeout | undefined;
  let closed = false;

  const lost = (of: Client, err?: unknown) => {
    if (client !== of) return;
    client = null;
    clearInterval(ping);
    of.end().catch(() => {});
    heard();
    if (closed) return;
    log.warn({ err }, 'the connection that announces revoked keys failed; it will be retried');
    retry = setTimeout(connect, LIMITS.listenRetryMs).unref();
  };

  const connect = () => {
    const mine = new Client({
      connectionString,
      connectionTimeoutMillis: LIMITS.databaseConnectMs,
      query_timeout: LIMITS.databaseStatementMs,
      application_name: 'audit-activity keys',
    });
    client = mine;
    mine.on('error', (error) => lost(mine, error));
    mine.on('end', () => lost(mine));
    mine.on('notification', heard);
    mine
      .connect()
      .then(() => mine.query(`LISTEN ${channel}`))
      .then(
        () => {
          if (client !== mine) return;
          heard();
          ping = setInterval(() => {
            mine.query('SELECT 1').catch((error) => lost(mine, error));
          }, LIMITS.listenPingMs).unref();
        },
        (error) => lost(mine, error),
      );
  };

  connect();
  return {
    close: async () => {
      closed = true;
      clearTimeout(retry);
      clearInterval(ping);
      const mine = client;
      client = null;
      await mine?.end().catch(() => {});
    },
  };
}
