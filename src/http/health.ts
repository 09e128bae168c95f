/**
 * Healthy; Degraded: answers, but without the shared rate limits, the replica or a node of the distributed database it is
 * configured for, with an evidence log that it does not go on with, or having lost entries of the access log; Unhealthy: no
 * database.
 */
export const HEALTH_STATUS = { Healthy: 200, Degraded: 200, Unhealthy: 503 } as const;
export type Health = keyof typeof HEALTH_STATUS;

/** What `/livez` and `/readyz` say. */
export const PROBE_STATUS = { live: 200, ready: 200, 'not ready': 503 } as const;
export type Probe = keyof typeof PROBE_STATUS;

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
