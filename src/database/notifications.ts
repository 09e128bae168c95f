import { Client } from 'pg';
import type { Logger } from 'pino';
import { LIMITS } from '../limits';

/** Channel on which instances tell each other that a key was revoked or rotated. */
export const KEYS_CHANGED = 'audit_activity_keys';
/** Channel on which instances tell each other how they are set. */
export const INSTANCE_SETTINGS = 'audit_activity_settings';

export interface Listener {
  close(): Promise<void>;
}

/** Called with what a notification says; with null when some may have been missed: the connection was lost, or is back. */
type Heard = (said: string | null) => void;

/** Listens to notifications on a separate connection, which is made again each time it is lost. */
export function listen(
  connectionString: string,
  channels: Readonly<Record<string, Heard>>,
  log: Logger,
): Listener {
  const missed = () => {
    for (const heard of Object.values(channels)) heard(null);
  };
  let client: Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let ping: NodeJS.Timeout | undefined;
  let closed = false;

  const lost = (of: Client, err?: unknown) => {
    if (client !== of) return;
    client = null;
    clearInterval(ping);
    of.end().catch(() => {});
    missed();
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
    mine.on('notification', ({ channel, payload = '' }) => channels[channel]?.(payload));
    mine
      .connect()
      .then(() =>
        mine.query(
          Object.keys(channels)
            .map((channel) => `LISTEN ${channel}`)
            .join('; '),
        ),
      )
      .then(
        () => {
          if (client !== mine) return;
          missed();
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
