/** Healthy; Degraded: answers, but without the shared rate limits or the replica it is configured for; Unhealthy: no database. */
export const HEALTH_STATUS = { Healthy: 200, Degraded: 200, Unhealthy: 503 } as const;
export type Health = keyof typeof HEALTH_STATUS;

export type CheckHealth = () => Promise<Health>;

/** @param parts what the service can do without, at a price */
export function healthCheck(
  pingDatabase: () => Promise<unknown>,
  ...parts: readonly { readonly healthy: boolean }[]
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
