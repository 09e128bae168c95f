import type { DeclareMetrics } from './open-metrics';

/** The result of `/health` as a metric. @param parts those that the service can do without, at a price */
export const degradedOf =
  (parts: readonly { readonly healthy: boolean }[]): DeclareMetrics =>
  (metrics) =>
    metrics.gauge('degraded', '1 while `/health` says Degraded.', () =>
      Number(!parts.every(({ healthy }) => healthy)),
    );
