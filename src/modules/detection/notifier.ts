import type { Logger } from 'pino';
import { tenantSet } from '../../caller/tenant-set';
import type { OwnerDb } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { LIMITS } from '../../limits';
import type { AlertReader } from './alert.reader';
import { type HealthAlerts } from './health-alerts';
import type { Mailer } from './mail';
import { toOcsfFinding } from './ocsf-finding';
import type { RouteTarget } from './route.store';

/** What became of a message; null: there is no such destination. */
type Sent = { readonly kind: string; readonly message?: string } | null;
export type SendAlert = (
  tenantId: number,
  destinationId: string,
  message: { readonly id: string; readonly at: Date; readonly content: object },
) => Promise<Sent>;

interface Due {
  readonly tenant_id: number;
  readonly notice_id: string;
  readonly route_id: string;
  readonly alert_id: string;
  readonly state: string;
  readonly tries: number;
  readonly created_at: Date;
}

const DUE_MAX = 250;
/** Mails of one route in a round: more become one digest. */
const MAILS_MAX = 5;
const LEASE_SECONDS = 60;
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 300_000;
/** Tries after which a channel counts as failing. */
const FAILING_TRIES = 4;
const ERROR_CHARS_MAX = 512;

/** Tells of alerts by their routes, again and again until each was taken: at least once, and repeats have the same id. */
export class Notifier {
  readonly #rounds: TenantRounds;

  constructor(
    private readonly parts: {
      readonly owner: OwnerDb;
      readonly reader: AlertReader;
      readonly send: SendAlert;
      readonly mailer: Mailer | null;
      readonly health: HealthAlerts;
      readonly nowMs: () => number;
      readonly log: Logger;
    },
  ) {
    this.#rounds = new TenantRounds(parts.owner);
  }

  async run(): Promise<number> {
    const { owner, nowMs } = this.parts;
    const tenants = await this.#rounds.ask((of) =>
      owner.$queryRawUnsafe<{ tenant_id: number }[]>(
        `SELECT DISTINCT tenant_id FROM alert_notice WHERE sent_at IS NULL AND next_at <= $1::timestamptz AND ${of('tenant_id')} LIMIT ${DUE_MAX}`,
        new Date(nowMs()),
      ),
    );
    for (const { tenant_id } of tenants)
      await this.#rounds.attempt(tenant_id, () => this.#ofTenant(tenant_id));
    this.#rounds.end();
    return 0;
  }

  async #ofTenant(tenantId: number): Promise<void> {
    const { owner, nowMs } = this.parts;
    const now = nowMs();
    // Whoever takes one has a minute for it; another instance passes over it meanwhile.
    const due = await owner.$queryRawUnsafe<Due[]>(
      `UPDATE alert_notice n SET next_at = $2::timestamptz + interval '${LEASE_SECONDS} seconds', tries = n.tries + 1
       FROM (SELECT notice_id FROM alert_notice WHERE tenant_id = $1::int AND sent_at IS NULL AND next_at <= $2::timestamptz
         ORDER BY next_at LIMIT ${DUE_MAX}) d
       WHERE n.tenant_id = $1::int AND n.notice_id = d.notice_id AND n.sent_at IS NULL AND n.next_at <= $2::timestamptz
       RETURNING n.tenant_id, n.notice_id::text AS notice_id, n.route_id::text AS route_id, n.alert_id::text AS alert_id,
         n.state, n.tries, n.created_at`,
      tenantId,
      new Date(now),
    );
    for (const routeId of new Set(due.map(({ route_id }) => route_id))) {
      const own = due.filter(({ route_id }) => route_id === routeId);
      for (const some of await this.#parcels(tenantId, routeId, own))
        await this.#deliver(tenantId, routeId, some);
    }
  }

  /** What goes together: each alone, or all mails of a route where there are many. */
  async #parcels(
    tenantId: number,
    routeId: string,
    due: readonly Due[],
  ): Promise<readonly (readonly Due[])[]> {
    const route = await this.#route(tenantId, routeId);
    return route?.kind === 'email' && due.length > MAILS_MAX ? [due] : due.map((one) => [one]);
  }

  async #route(tenantId: number, routeId: string) {
    const row = await this.parts.owner.alertRoute.findFirst({ where: { tenantId, routeId, enabled: true } });
    return row && { kind: row.kind, name: row.name, target: JSON.parse(row.target) as RouteTarget };
  }

  async #deliver(tenantId: number, routeId: string, due: readonly Due[]): Promise<void> {
    const { owner, nowMs, health, log } = this.parts;
    const error = await this.#send(tenantId, routeId, due).catch((cause: Error) => cause.message);
    const ids = due.map(({ notice_id }) => notice_id);
    const where = { tenantId, noticeId: { in: ids } };
    if (error === null) {
      await owner.alertNotice.updateMany({ where, data: { sentAt: new Date(nowMs()), error: null } });
      return;
    }
    const tries = Math.max(...due.map((one) => one.tries));
    const nextAt = new Date(nowMs() + Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** Math.min(tries, 10)));
    const text = error.slice(0, ERROR_CHARS_MAX);
    await owner.alertNotice.updateMany({ where, data: { nextAt, error: text } });
    if (tries < FAILING_TRIES) return;
    log.warn({ tenantId, routeId, error: text }, 'alerts are not told by a route');
    const route = await this.#route(tenantId, routeId);
    await health.tell(tenantId, {
      ...{ key: `route ${routeId}`, exceptRouteId: routeId },
      group: { problem: 'A route of alerts fails', route: route?.name ?? routeId },
    });
  }

  /** @returns what went wrong; null: nothing */
  async #send(tenantId: number, routeId: string, due: readonly Due[]): Promise<string | null> {
    const { reader, send, mailer } = this.parts;
    const route = await this.#route(tenantId, routeId);
    // A route that is gone is told nothing.
    if (!route) return null;
    const found = await Promise.all(due.map(({ alert_id }) => reader.alert(tenantSet([tenantId]), alert_id)));
    const alerts = found.flatMap((alert, i) =>
      alert ? [{ alert, state: due[i]?.state ?? alert.status }] : [],
    );
    if ('to' in route.target) {
      if (!mailer) return 'SMTP_URL is not set';
      await mailer.send(route.target.to, alerts);
      return null;
    }
    for (const { alert, state } of alerts) {
      const told = { ...alert, status: state as typeof alert.status };
      const content =
        route.target.format === 'ocsf' ? toOcsfFinding(told, told.status) : { type: 'alert', ...told };
      const { notice_id: id, created_at: at } = due[0] as Due;
      const sent = await send(tenantId, route.target.destinationId, { id, at: new Date(at), content });
      if (sent === null) return 'there is no such destination';
      if (sent.kind !== 'accepted') return sent.message ?? sent.kind;
    }
    return null;
  }

  static readonly everyMs = LIMITS.noticeMs;
}
