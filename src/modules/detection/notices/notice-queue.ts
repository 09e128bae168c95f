import type { OwnerDoor } from '../../../database/clients';
import { databaseTime, isOver, type ReadTime } from '../../../database/lease';
import { type Growth, grownMs } from '../../../rests';
import { ESCALATED, toldOf } from '../alerts/note-alerts';

/** A notice that is due. */
export interface Due {
  readonly noticeId: string;
  readonly routeId: string;
  readonly alertId: string;
  readonly state: string;
  readonly tries: number;
  readonly createdAt: Date;
  /** The end of the lease, which also says whose it is. */
  readonly until: Date;
}

/** The most notices of a tenant in one round. */
const DUE_MAX = 250;
const LEASE_MS = 60_000;
const RETRY: Growth = { firstMs: 4_000, mostMs: 300_000 };
const NEXT_MS_MAX = 2 * RETRY.mostMs;
const IS_DUE = `${isOver('n.next_at', '$1::timestamptz', '$2::timestamptz')} AND (n.not_before IS NULL OR n.not_before <= $1::timestamptz)`;
/** The states of an alert are told on a route one after the other: each once those before it were sent. */
const IS_NEXT = `${IS_DUE} AND NOT EXISTS (SELECT FROM alert_notice e WHERE e.tenant_id = n.tenant_id
  AND e.route_id = n.route_id AND e.alert_id = n.alert_id AND e.sent_at IS NULL AND e.created_at < n.created_at)`;
const ERROR_CHARS_MAX = 512;
const SENT_ESCALATIONS = `state = '${ESCALATED}' AND sent_at IS NOT NULL`;

/**
 * The notices to send: one for each alert, state and route. A notice is due at a time of the database. An instance that
 * takes it makes it due again later, which is its lease.
 */
export class NoticeQueue {
  constructor(
    private readonly owner: OwnerDoor,
    private readonly time: ReadTime = databaseTime,
  ) {}

  now(): Promise<Date> {
    return this.time(this.owner.models);
  }

  /** @returns tenants with due notices @param of the condition on the tenant @param except routes that are left to others */
  async tenants(
    of: string,
    most: number,
    except: readonly string[] = [],
  ): Promise<readonly { readonly tenantId: number }[]> {
    const now = await this.now();
    return this.owner.models.$queryRawUnsafe(
      `SELECT DISTINCT tenant_id AS "tenantId" FROM alert_notice n
       WHERE sent_at IS NULL AND ${IS_NEXT} AND ${of} AND route_id <> ALL($3::uuid[]) LIMIT ${most}`,
      ...[now, after(now, NEXT_MS_MAX), except],
    );
  }

  /** Takes due notices for a minute, in which other instances skip them. @param except routes that are left to others */
  async take(tenantId: number, except: readonly string[] = []): Promise<readonly Due[]> {
    const now = await this.now();
    const until = after(now, LEASE_MS);
    const rows = await this.owner.models.$queryRawUnsafe<Omit<Due, 'until'>[]>(
      `UPDATE alert_notice n SET next_at = $4::timestamptz, tries = n.tries + 1
       FROM (SELECT notice_id FROM alert_notice n WHERE tenant_id = $3::int AND sent_at IS NULL AND ${IS_NEXT}
           AND route_id <> ALL($5::uuid[]) ORDER BY next_at LIMIT ${DUE_MAX}) d
       WHERE n.tenant_id = $3::int AND n.notice_id = d.notice_id AND n.sent_at IS NULL AND ${IS_DUE}
       RETURNING n.notice_id::text AS "noticeId", n.route_id::text AS "routeId", n.alert_id::text AS "alertId",
         n.state, n.tries, n.created_at AS "createdAt"`,
      ...[now, after(now, NEXT_MS_MAX), tenantId, until, except],
    );
    return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt), until }));
  }

  /** Whether so little of the lease is left that another message might not be sent within it. */
  async isEnding(due: readonly Due[]): Promise<boolean> {
    const until = Math.min(...due.map((one) => one.until.getTime()));
    return until - (await this.now()).getTime() < LEASE_MS / 2;
  }

  /**
   * @param isOfIncidents whether a route is told of incidents
   * @returns those of some escalations that are not to be sent: somebody works on the alert, or its incident is told with an
   * alert that is as bad
   */
  async needless(
    tenantId: number,
    due: readonly Due[],
    isOfIncidents: (routeId: string) => boolean,
  ): Promise<readonly Due[]> {
    if (due.length === 0) return [];
    const alerts = await this.owner.models.alert.findMany({
      where: { tenantId, alertId: { in: due.map(({ alertId }) => alertId) } },
      select: { alertId: true, status: true, incidentId: true, severity: true },
    });
    const byId = new Map(alerts.map((alert) => [alert.alertId, alert]));
    const waits = due.filter(({ alertId }) => byId.get(alertId)?.status === 'new');
    const told = await toldOf(this.owner.models, tenantId, alerts, SENT_ESCALATIONS);
    const severityOf = ({ alertId }: Due) => byId.get(alertId)?.severity ?? 0;
    const sent = new Set<Due>();
    // Of the alerts of an incident, such a route is told of the worst.
    for (const one of [...waits].sort((a, b) => severityOf(b) - severityOf(a))) {
      const key = `${byId.get(one.alertId)?.incidentId} ${one.routeId}`;
      const isOfIncident = isOfIncidents(one.routeId) && byId.get(one.alertId)?.incidentId != null;
      if (isOfIncident && (told.get(key) ?? 0) >= severityOf(one)) continue;
      if (isOfIncident) told.set(key, severityOf(one));
      sent.add(one);
    }
    return due.filter((one) => !sent.has(one));
  }

  /** Removes notices that are not to be sent. */
  async drop(tenantId: number, due: readonly Due[]): Promise<void> {
    if (due.length > 0) await this.owner.models.alertNotice.deleteMany({ where: heldOf(tenantId, due) });
  }

  /** Notes that notices were sent, also where another instance has taken them meanwhile. */
  async done(tenantId: number, due: readonly Due[]): Promise<void> {
    await this.owner.models.alertNotice.updateMany({
      where: these(tenantId, due),
      data: { sentAt: await this.now(), error: null },
    });
  }

  /** Makes notices due again later, each time after twice the wait. */
  async failed(tenantId: number, due: readonly Due[], error: string): Promise<void> {
    const tries = Math.max(...due.map((one) => one.tries));
    const nextAt = after(await this.now(), grownMs(RETRY, tries));
    await this.owner.models.alertNotice.updateMany({
      where: heldOf(tenantId, due),
      data: { nextAt, error: error.slice(0, ERROR_CHARS_MAX) },
    });
  }

  /** Gives back notices that were not tried. @param waitMs until they are due @param error why this instance cannot try */
  async putBack(tenantId: number, due: readonly Due[], waitMs: number, error?: string): Promise<void> {
    await this.owner.models.alertNotice.updateMany({
      where: heldOf(tenantId, due),
      data: {
        nextAt: after(await this.now(), waitMs),
        tries: { decrement: 1 },
        ...(error !== undefined && { error: error.slice(0, ERROR_CHARS_MAX) }),
      },
    });
  }

  /** @returns how long ago the messages of this time were sent on a route, in milliseconds, oldest first */
  async sentWithin(tenantId: number, routeId: string, ms: number): Promise<readonly number[]> {
    const now = await this.now();
    const rows = await this.owner.models.$queryRawUnsafe<{ at: Date }[]>(
      `SELECT DISTINCT sent_at AS at FROM alert_notice
       WHERE tenant_id = $1::int AND route_id = $2::uuid AND sent_at > $3::timestamptz
         AND sent_at <= $4::timestamptz ORDER BY 1`,
      ...[tenantId, routeId, after(now, -ms), now],
    );
    return rows.map(({ at }) => now.getTime() - new Date(at).getTime());
  }

  /** @returns whether one of the routes has sent a message since then and none of its messages fails, and whether one fails */
  async outcomesSince(
    tenantId: number,
    routeIds: readonly string[],
    since: Date,
  ): Promise<{ readonly works: boolean; readonly fails: boolean }> {
    const rows = await this.owner.models.$queryRawUnsafe<{ fails: boolean }[]>(
      `SELECT bool_or(sent_at IS NULL) AS fails FROM alert_notice
       WHERE tenant_id = $1::int AND route_id = ANY($2::uuid[])
         AND (sent_at >= $3::timestamptz OR sent_at IS NULL AND error IS NOT NULL)
       GROUP BY route_id`,
      ...[tenantId, routeIds, since],
    );
    return { works: rows.some((row) => !row.fails), fails: rows.some((row) => row.fails) };
  }
}

const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

const these = (tenantId: number, due: readonly Due[]) => ({
  tenantId,
  noticeId: { in: due.map(({ noticeId }) => noticeId) },
});

/** Those of them that no other instance has taken meanwhile. */
const heldOf = (tenantId: number, due: readonly Due[]) => ({
  ...these(tenantId, due),
  nextAt: { in: due.map(({ until }) => until) },
});
