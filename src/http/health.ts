import { Router } from 'express';
import { refuseMethod } from './refusal';

/**
 * `Healthy`: nothing is wrong. `Degraded`: the service answers, and somebody must look. One of these holds: the shared
 * rate limits, the replica or a node of the distributed database is away; a disk of the database is full;
 * PostgreSQL waits for a synchronous standby that is away, and nothing is written;
 * an evidence log has stopped, is not signed, a witness has not signed it, or it waits for a time stamp; a week could not be put into a file;
 * somebody moved rules on in a log within the last hour; entries of the access log were lost; retention removed events before a destination received them; this instance lacks the key of a
 * destination's secrets, or does not allow its network; another instance on the database is set otherwise; after a restore nobody has said go; DRILL=1. `Unhealthy`: the
 * database is away.
 */
export const HEALTH_STATUS = { Healthy: 200, Degraded: 200, Unhealthy: 503 } as const;
type Health = keyof typeof HEALTH_STATUS;

/** The answers of `/livez` and `/readyz`. */
const PROBE_STATUS = { live: 200, ready: 200, 'not ready': 503 } as const;
type Probe = keyof typeof PROBE_STATUS;

export const HEALTH_PATH = '/health';

export type CheckHealth = () => Promise<Health>;

/** @param parts those that the service can do without, at a price */
export function healthCheck(
  pingDatabase: () => Promise<unknown>,
  parts: readonly { readonly healthy: boolean }[],
): CheckHealth {
  return async () => {
    try {
      await pingDatabase();
    } catch {
      return 'Unhealthy';
    }
    return parts.every(({ healthy }) => healthy) ? 'Healthy' : 'Degraded';
  };
}

/** Whether the call succeeds at all. */
export const isAnswered = (ask: () => Promise<unknown>): Promise<boolean> =>
  ask().then(
    () => true,
    () => false,
  );

/**
 * Runs a call once at a time. Callers that come meanwhile share its answer, so a crowd of callers costs no more than
 * one.
 */
export function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let open: Promise<T> | null = null;
  return () => {
    open ??= ask().finally(() => {
      open = null;
    });
    return open;
  };
}

/**
 * Probes for operators. `/livez`: the process answers; restart it when it does not. `/readyz`: the service can answer
 * requests. Send it none when the probe says no, which is while the service stops or its database is away.
 */
export function createProbes(isReady: () => Promise<boolean>): Router {
  const router = Router({ caseSensitive: true });
  const probe = (path: string, ask: () => Promise<Probe>) => {
    router.get(path, async (_request, response) => {
      const said = await ask();
      response.set('Cache-Control', 'no-store').status(PROBE_STATUS[said]).type('text/plain').send(said);
    });
    router.all(path, refuseMethod);
  };
  probe('/livez', async () => 'live');
  probe('/readyz', async () => ((await isReady()) ? 'ready' : 'not ready'));
  return router;
}
