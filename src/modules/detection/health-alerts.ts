import { createHash } from 'node:crypto';
import type { OwnerDb } from '../../database/clients';
import { TICKS_PER_MS } from '../../event/event-time';
import { noteAlerts } from './notices';
import type { ShippedRule } from './shipped-rules';
import { alertKey, severityNumber } from './write-findings';

const TRAIL_UNHEALTHY = 40;

/** Alerts of rule 40: about the trail itself. They have no findings, and one is open for each thing at a time. */
export class HealthAlerts {
  constructor(
    private readonly owner: OwnerDb,
    private readonly shipped: ReadonlyMap<string, ShippedRule>,
    private readonly nowMs: () => number,
  ) {}

  /** @param about.key what it is about @returns whether it is news */
  async tell(
    tenantId: number,
    about: {
      readonly key: string;
      readonly group: Readonly<Record<string, string>>;
      readonly exceptRouteId?: string;
    },
  ): Promise<boolean> {
    const rule = [...this.shipped.values()].find(({ number }) => number === TRAIL_UNHEALTHY)?.rule;
    if (!rule) return false;
    const { ruleId, title } = rule;
    const severity = severityNumber(rule.severity);
    const now = new Date(this.nowMs());
    const ticks = BigInt(this.nowMs()) * TICKS_PER_MS;
    const groupKey = alertKey(about.key);
    return this.owner.$transaction(async (tx) => {
      // One at a time of a tenant, so that two instances do not begin the same alert.
      await tx.$executeRawUnsafe(
        'SELECT FROM detection_position WHERE tenant_id = $1::int FOR UPDATE',
        tenantId,
      );
      const off = await tx.detectionRule.findFirst({ where: { tenantId, ruleId, enabled: false } });
      if (off) return false;
      const open = await tx.alert.findFirst({
        where: { tenantId, ruleId, groupKey, status: { in: ['new', 'acknowledged', 'suppressed'] } },
        select: { alertId: true, suppressedUntil: true, status: true },
      });
      if (open && !(open.status === 'suppressed' && open.suppressedUntil && open.suppressedUntil <= now))
        return false;
      const alertId = idOf(`${tenantId}\n${about.key}\n${now.getTime()}`);
      await tx.alert.create({
        data: {
          ...{ tenantId, alertId, ruleId, title, severity, status: 'new', groupKey },
          groupValues: JSON.stringify(about.group),
          ...{ anchor: ticks, firstEvent: ticks, lastEvent: ticks, findingCount: 0, eventCount: 0n },
          ...{ principals: [], instances: [], createdAt: now, updatedAt: now },
        },
      });
      const { exceptRouteId } = about;
      await noteAlerts(
        tx,
        [
          {
            tenantId,
            alertId,
            ruleId,
            severity,
            status: 'new',
            ...(exceptRouteId !== undefined && { exceptRouteId }),
          },
        ],
        now,
      );
      return true;
    });
  }

  /** Looks for sources that are silent or have a problem, and for parts of the trail that are missing. */
  async look(): Promise<void> {
    const now = this.nowMs();
    const sources = await this.owner.$queryRawUnsafe<
      {
        tenant_id: number;
        host_name: string;
        database_name: string;
        problem: string | null;
        is_silent: boolean;
      }[]
    >(
      `SELECT tenant_id, host_name, database_name, problem, last_reported < $1::timestamptz AS is_silent FROM audit_source
       WHERE last_reported < $1::timestamptz OR problem IS NOT NULL LIMIT 1000`,
      new Date(now - SILENT_MS),
    );
    for (const { tenant_id, host_name: host, database_name: database, problem, is_silent } of sources)
      await this.tell(tenant_id, {
        key: `source ${host}/${database} ${is_silent ? 'silent' : 'problem'}`,
        group: {
          problem: is_silent ? 'A source is silent' : `A source has a problem: ${problem}`,
          host,
          database,
        },
      });
    const gaps = await this.owner.$queryRawUnsafe<
      { tenant_id: number; host_name: string; database_name: string; n: number }[]
    >(
      `SELECT tenant_id, host_name, database_name, count(*)::int AS n FROM audit_gap WHERE first_reported > $1::timestamptz
       GROUP BY tenant_id, host_name, database_name LIMIT 1000`,
      new Date(now - RECENT_MS),
    );
    for (const { tenant_id, host_name: host, database_name: database } of gaps)
      await this.tell(tenant_id, {
        key: `gap ${host}/${database}`,
        group: { problem: 'A part of the trail is missing', host, database },
      });
  }
}

const SILENT_MS = 15 * 60_000;
/** A gap is told of for so long; one that is resolved meanwhile and stays is told of again. */
const RECENT_MS = 10 * 60_000;

function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
