import { Router } from 'express';
import { refuseMethod } from './refusal';

/**
 * Healthy; Degraded: answers, but without the shared rate limits, the replica or a node of the distributed database it is
 * configured for, with an evidence log that has stopped, having lost entries of the access log, or with retention ahead of
 * a destination; Unhealthy: no database.
 */
export const HEALTH_STATUS = { Healthy: 200, Degraded: 200, Unhealthy: 503 } as const;
type Health = keyof typeof HEALTH_STATUS;

/** What `/livez` and `/readyz` say. */
const PROBE_STATUS = { live: 200, ready: 200, 'not ready': 503 } as const;
type Probe = keyof typeof PROBE_STATUS;

export const HEALTH_PATH = '/health';

export type CheckHealth = () => Promise<Health>;

/** @param parts what the service can do without, at a price */
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

/** Whether the question is answered at all. */
export const isAnswered = (ask: () => Promise<unknown>): Promise<boolean> =>
  ask().then(
    () => true,
    () => false,
  );

/** The same question asked once at a time: callers that come while it is open share its answer, so no crowd of them costs more. */
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
 * For whoever runs the service. `/livez`: the process answers; restart it when it does not. `/readyz`: it can answer
 * requests; send it none when it says no: while it stops, or without its database.
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
