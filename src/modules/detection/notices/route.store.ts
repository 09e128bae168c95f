import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../../caller/access-log';
import { changeOfTenant } from '../../../caller/access-log.store';
import type { ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { ofTenants } from '../../../database/tenant-rows';
import { DomainError } from '../../../errors';
import type { Answer } from '../../../event/shape';
import { SEVERITIES } from '../../../rules/rule';
import { fromStored, toStored } from '../../../store/rows/stored-text';
import { oneTenant } from '../../../tenant-set';
import type { ALERT_ROUTE } from '../base/work-answers';

export type RouteTarget =
  | { readonly to: readonly string[] }
  | { readonly destinationId: string; readonly format: 'json' | 'ocsf' };
type RouteAnswer = Answer<typeof ALERT_ROUTE>;

const ROUTES_MAX = 100;

/** The routes of a tenant's alerts. */
export class RouteStore {
  constructor(
    private readonly service: ServiceDoor,
    private readonly nowMs: () => number,
  ) {}

  async list(tenantId: number): Promise<readonly RouteAnswer[]> {
    const { rows, errors } = await guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), async (tx) => ({
        rows: await tx.alertRoute.findMany({
          where: { tenantId, enabled: true },
          orderBy: [{ createdAt: 'asc' }, { routeId: 'asc' }],
        }),
        errors: new Map(
          (
            await tx.$queryRaw<{ routeId: string; error: string }[]>`
              SELECT DISTINCT ON (route_id) route_id::text AS "routeId", error FROM alert_notice
              WHERE tenant_id = ${tenantId}::int AND sent_at IS NULL AND error IS NOT NULL
              ORDER BY route_id, next_at DESC`
          ).map(({ routeId, error }) => [routeId, error]),
        ),
      })),
    );
    return rows.map(({ routeId, name, severityMin, ruleId, kind, target, escalateMinutes }) => {
      const to = JSON.parse(target) as RouteTarget;
      return {
        routeId,
        tenantId: String(tenantId),
        name: fromStored(name),
        kind,
        ruleId,
        escalateMinutes,
        severity: SEVERITIES[severityMin - 1] ?? 'low',
        emails: 'to' in to ? to.to : [],
        destinationId: 'to' in to ? null : to.destinationId,
        format: 'to' in to ? null : to.format,
        lastError: errors.get(routeId) ?? null,
      };
    });
  }

  async create(
    tenantId: number,
    route: {
      readonly name: string;
      readonly severityMin: number;
      readonly ruleId: string | null;
      readonly escalateMinutes: number | null;
      readonly target: RouteTarget;
    },
    attempt: Attempt,
  ): Promise<RouteAnswer> {
    const routeId = randomUUID();
    const { name, severityMin, ruleId, escalateMinutes, target } = route;
    const kind = 'to' in target ? 'email' : 'destination';
    await changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      if ((await tx.alertRoute.count({ where: { tenantId, enabled: true } })) >= ROUTES_MAX)
        throw new DomainError('invalid_parameter', {
          public: `A tenant has at most ${ROUTES_MAX} routes.`,
        });
      await tx.alertRoute.create({
        data: {
          tenantId,
          routeId,
          name: toStored(name),
          severityMin,
          ruleId,
          escalateMinutes,
          kind,
          enabled: true,
          target: JSON.stringify(target),
          createdAt: new Date(this.nowMs()),
        },
      });
      return { value: routeId, subject: routeId };
    });
    const made = (await this.list(tenantId)).find((one) => one.routeId === routeId);
    if (!made) throw new Error(`route ${routeId} was not stored`);
    return made;
  }

  async remove(tenantId: number, routeId: string, attempt: Attempt): Promise<boolean> {
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      const { count } = await tx.alertRoute.updateMany({
        where: { tenantId, routeId, enabled: true },
        data: { enabled: false },
      });
      if (count === 0) throw new DomainError('not_found', { public: 'There is no such record.' });
      return { value: true, subject: routeId };
    });
  }
}
