import type { Limiter } from './rate-limit/limiter';

/** Healthy; Degraded: answers, but rate limits are not shared as configured; Unhealthy: no database. */
export const HEALTH_STATUS = { Healthy: 200, Degraded: 200, Unhealthy: 503 } as const;
export type Health = keyof typeof HEALTH_STATUS;

export type CheckHealth = () => Promise<Health>;

export function healthCheck(pingDatabase: () => Promise<unknown>, limiter: Limiter): CheckHealth {
  return async () => {
    try {
      await pingDatabase();
    } catch {
      return 'Unhealthy';
    }
    return limiter.healthy ? 'Healthy' : 'Degraded';
  };
}
