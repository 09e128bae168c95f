import { Prisma, type ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofTenants } from '../../database/tenant-rows';
import { DAY_MS } from '../../event/event-time';
import { fold } from '../../event/search';
import { LIMITS } from '../../limits';
import { fromStored } from '../../store/rows/stored-text';
import { oneTenant } from '../../tenant-set';

/** Rules by which the service tells of failures of audits. */
export const TRAIL_UNHEALTHY = '53308bda-ec61-4693-a6ae-f0229e835a8b';

/** Rule 38, which tells of an audit that is not there again within thirty seconds. */
export const AUDIT_STOPPED: readonly string[] = ['e5987345-8ec2-4211-acd3-7e548ebf9e2a'];

const OF_FAILURES = [TRAIL_UNHEALTHY, ...AUDIT_STOPPED];

/** How an alert was worked on, up to a moment. */
export interface AlertWork {
  readonly ruleId: string;
  readonly createdAt: Date;
  /** Ticks of the first and the last event that it is about. */
  readonly firstEvent: bigint;
  readonly lastEvent: bigint;
  /** Server instances of its events; none: it is about the trail. */
  readonly instances: readonly string[];
  /** The values that its findings share. */
  readonly group: Readonly<Record<string, unknown>>;
  /** When somebody first acknowledged or resolved it; null: nobody did. */
  readonly answeredAt: Date | null;
  /** Whether a suppression keeps it from people. */
  readonly isSuppressed: boolean;
  /** Whether it came before the period, and was not resolved then: rule 40 tells of its problem once until it is. */
  readonly isEarlier: boolean;
}

/**
 * The alerts of a tenant between two moments, the newest first, and those of rule 40 that were open before. Of many, those
 * about failures of audits are kept.
 */
export async function alertsBetween(
  service: ServiceDoor,
  tenantId: number,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<readonly AlertWork[]> {
  const tenants = oneTenant(tenantId);
  const statement = service.each(tenants)(
    (tenant) => Prisma.sql`
      SELECT (SELECT min(c.at) FROM alert_change c WHERE c.tenant_id = ${tenant} AND c.alert_id = a.alert_id
           AND c.kind IN ('acknowledged', 'resolved') AND c.at <= ${to}::timestamptz AND c.tenant_id = a.tenant_id)
          AS "answeredAt",
        a.rule_id::text AS "ruleId", a.created_at AS "createdAt", a.first_event AS "firstEvent",
        a.last_event AS "lastEvent", a.instances, a.group_values AS "group", a.status = 'suppressed' AS "isSuppressed",
        a.created_at <= ${from}::timestamptz AS "isEarlier"
      FROM alert a WHERE a.tenant_id = ${tenant} AND a.created_at <= ${to}::timestamptz
        AND (a.created_at > ${from}::timestamptz OR a.rule_id = ${TRAIL_UNHEALTHY}::uuid AND NOT EXISTS (
          SELECT FROM alert_change c WHERE c.tenant_id = ${tenant} AND c.alert_id = a.alert_id AND c.kind = 'resolved'
            AND c.at <= ${from}::timestamptz AND c.tenant_id = a.tenant_id))
      ORDER BY a.rule_id = ANY(${OF_FAILURES}::uuid[]) DESC, a.created_at DESC LIMIT ${LIMITS.complianceAlertsMax}`,
  );
  const rows = (await guarded(() => service.ask(statement, tenants))) as readonly AlertRow[];
  const newestFirst = rows.toSorted((a, b) => +b.createdAt - +a.createdAt);
  return newestFirst.map(({ group, instances, firstEvent, lastEvent, ...row }) => ({
    ...row,
    firstEvent: BigInt(firstEvent),
    lastEvent: BigInt(lastEvent),
    instances: instances.map(fromStored),
    group: JSON.parse(fromStored(group)) as Record<string, unknown>,
  }));
}
type AlertRow = Omit<AlertWork, 'group' | 'firstEvent' | 'lastEvent'> & {
  readonly group: string;
  readonly firstEvent: bigint | string;
  readonly lastEvent: bigint | string;
};

/** Whether an alert concerns a server instance. One about the trail names a host, or concerns all. */
export function concerns(
  { instances, group }: AlertWork,
  instance: string,
  hosts: readonly string[],
): boolean {
  if (instances.length > 0) return instances.some((one) => fold(one) === fold(instance));
  if (typeof group.serverInstanceName === 'string') return fold(group.serverInstanceName) === fold(instance);
  return typeof group.host !== 'string' || hosts.includes(group.host);
}

/** Whether a shipped rule is on in a tenant. */
export async function isRuleOn(service: ServiceDoor, tenantId: number, ruleId: string): Promise<boolean> {
  const where = { tenantId, ruleId, enabled: false };
  const off = await guarded(() =>
    ofTenants(service, oneTenant(tenantId), (tx) => tx.detectionRule.findFirst({ where })),
  );
  return off === null;
}

/** The days for which the events of a tenant are kept now; null: for ever. */
export async function retentionDays(service: ServiceDoor, tenantId: number): Promise<number | null> {
  const row = await guarded(() => service.models.tenant.findFirst({ where: { tenantId } }));
  return row?.retentionDays ?? null;
}

const FRESH_MS = DAY_MS;
/** Whether a moment is now, as far as states that have no history go. */
export const isFresh = (asOfMs: number, nowMs: number): boolean => nowMs - asOfMs < FRESH_MS;
