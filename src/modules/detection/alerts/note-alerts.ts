import { createHash } from 'node:crypto';
import type { Prisma } from '../../../database/clients';
import { databaseTime, type ReadTime } from '../../../database/lease';

/** An alert in a state to tell. */
interface Told {
  readonly tenantId: number;
  readonly alertId: string;
  readonly ruleId: string;
  /** 1 to 4. */
  readonly severity: number;
  readonly status: string;
  /** Routes that do not get the alert, because the alert is about them. */
  readonly exceptRouteIds?: readonly string[];
}

/** Writes the notices of alerts in the transaction of their change: one for each alert, state and route. */
export async function noteAlerts(
  tx: Prisma.TransactionClient,
  alerts: readonly Told[],
  time: ReadTime = databaseTime,
): Promise<void> {
  const [first] = alerts;
  if (!first) return;
  const routes = await tx.alertRoute.findMany({ where: { tenantId: first.tenantId, enabled: true } });
  if (routes.length === 0) return;
  // Notices are due by the database's clock, as they are taken.
  const at = await time(tx);
  const data = alerts.flatMap(({ tenantId, alertId, ruleId, severity, status, exceptRouteIds = [] }) =>
    routes
      .filter(
        (route) =>
          !exceptRouteIds.includes(route.routeId) &&
          severity >= route.severityMin &&
          (route.ruleId === null || route.ruleId === ruleId),
      )
      .map(({ routeId }) => ({
        tenantId,
        routeId,
        alertId,
        state: status,
        createdAt: at,
        nextAt: at,
        tries: 0,
        noticeId: noticeIdOf(alertId, status, routeId),
      })),
  );
  if (data.length > 0) await tx.alertNotice.createMany({ data, skipDuplicates: true });
}

function noticeIdOf(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(parts.join('\n')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-b${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
