import type { OwnerDb } from '../../database/clients';

/** A notice that is due. */
export interface Due {
  readonly noticeId: string;
  readonly routeId: string;
  readonly alertId: string;
  readonly state: string;
  readonly tries: number;
  readonly createdAt: Date;
}

/** The most notices of a tenant in one round. */
const DUE_MAX = 250;
export const LEASE_MS = 60_000;
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 300_000;
/** A notice whose time is further ahead is of a clock that was ahead: those of two instances differ by less. */
export const NEXT_MS_MAX = 2 * RETRY_MS_MAX;
const ERROR_CHARS_MAX = 512;

/** The notices to send: one for each alert, state and route. */
export class NoticeQueue {
  constructor(
    private readonly owner: OwnerDb,
    private readonly nowMs: () => number,
  ) {}

  /** Takes due notices for a minute, in which other instances skip them. */
  async take(tenantId: number): Promise<readonly Due[]> {
    const now = this.nowMs();
    const rows = await this.owner.$queryRawUnsafe<Due[]>(
      `UPDATE alert_notice n SET next_at = $3::timestamptz, tries = n.tries + 1
       FROM (SELECT notice_id FROM alert_notice WHERE tenant_id = $1::int AND sent_at IS NULL
           AND (next_at <= $2::timestamptz OR next_at > $4::timestamptz)
         ORDER BY next_at LIMIT ${DUE_MAX}) d
       WHERE n.tenant_id = $1::int AND n.notice_id = d.notice_id AND n.sent_at IS NULL
         AND (n.next_at <= $2::timestamptz OR n.next_at > $4::timestamptz)
       RETURNING n.notice_id::text AS "noticeId", n.route_id::text AS "routeId", n.alert_id::text AS "alertId",
         n.state, n.tries, n.created_at AS "createdAt"`,
      ...[tenantId, new Date(now), new Date(now + LEASE_MS), new Date(now + NEXT_MS_MAX)],
    );
    return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) }));
  }

  async done(tenantId: number, due: readonly Due[]): Promise<void> {
    await this.owner.alertNotice.updateMany({
      where: this.#these(tenantId, due),
      data: { sentAt: new Date(this.nowMs()), error: null },
    });
  }

  /** Makes notices due again later, each time after twice the wait. */
  async failed(tenantId: number, due: readonly Due[], error: string): Promise<void> {
    const tries = Math.max(...due.map((one) => one.tries));
    const nextAt = new Date(this.nowMs() + Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** Math.min(tries, 10)));
    await this.owner.alertNotice.updateMany({
      where: this.#these(tenantId, due),
      data: { nextAt, error: error.slice(0, ERROR_CHARS_MAX) },
    });
  }

  /** Gives back notices that were not tried. */
  async putBack(tenantId: number, due: readonly Due[], at: Date): Promise<void> {
    await this.owner.alertNotice.updateMany({
      where: this.#these(tenantId, due),
      data: { nextAt: at, tries: { decrement: 1 } },
    });
  }

  /** @returns the times of the messages sent on a route since then, oldest first */
  async sentSince(tenantId: number, routeId: string, since: Date): Promise<readonly Date[]> {
    const rows = await this.owner.$queryRawUnsafe<{ at: Date }[]>(
      `SELECT DISTINCT sent_at AS at FROM alert_notice
       WHERE tenant_id = $1::int AND route_id = $2::uuid AND sent_at > $3::timestamptz
         AND sent_at <= $4::timestamptz ORDER BY 1`,
      ...[tenantId, routeId, since, new Date(this.nowMs())],
    );
    return rows.map(({ at }) => new Date(at));
  }

  /** @returns whether one of the routes has sent a message since then and none of its messages fails, and whether one fails */
  async outcomesSince(
    tenantId: number,
    routeIds: readonly string[],
    since: Date,
  ): Promise<{ readonly works: boolean; readonly fails: boolean }> {
    const rows = await this.owner.$queryRawUnsafe<{ fails: boolean }[]>(
      `SELECT bool_or(sent_at IS NULL) AS fails FROM alert_notice
       WHERE tenant_id = $1::int AND route_id = ANY($2::uuid[])
         AND (sent_at >= $3::timestamptz OR sent_at IS NULL AND error IS NOT NULL)
       GROUP BY route_id`,
      ...[tenantId, routeIds, since],
    );
    return { works: rows.some((row) => !row.fails), fails: rows.some((row) => row.fails) };
  }

  #these(tenantId: number, due: readonly Due[]) {
    return { tenantId, noticeId: { in: due.map(({ noticeId }) => noticeId) } };
  }
}
