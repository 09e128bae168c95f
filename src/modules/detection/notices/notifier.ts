import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OwnerDoor } from '../../../database/clients';
import { type OfTenant, TenantRounds } from '../../../database/distribute/tenant-rounds';
import type { ReadTime } from '../../../database/lease';
import { LeftToOthers } from '../../../delivery/left-to-others';
import { fromStored } from '../../../store/rows/stored-text';
import { ESCALATED, isOfIncidents } from '../alerts/note-alerts';
import type { DetectionTally } from '../base/tally';
import type { HealthAlerts } from '../watch/health-alerts';
import { type AlertRoute, type Channels, channelOf, type Failure } from './channel';
import { type Due, NoticeQueue } from './notice-queue';
import type { RouteTarget } from './route.store';

/** The time that a round waits for its routes. A slow route continues beside the next round. */
const ROUND_MS = 1_000;
const TENANTS_MAX = 250;
/**
 * The number of routes served at the same time, so that a slow route does not delay the others: so many by mail, and so
 * many to destinations, because a slow mail server makes all routes by mail slow.
 */
const AT_ONCE = 8;
/** The most single mails of a route in a period. Further ones are combined. */
const MAILS_MAX = 5;
const MAILS_MS = 10_000;
/** The number of failures after which a channel counts as failing. */
const FAILING_TRIES = 4;
/** How long a notice may wait for an instance that may connect to its destination, before the channel counts as failing. */
const UNREACHED_MS = 60_000;

interface Job {
  readonly route: AlertRoute;
  readonly due: readonly Due[];
}

/** Sends the notices of alerts on their routes, and repeats each until it is accepted. A repeat has the same id. */
export class Notifier {
  readonly #rounds: TenantRounds;
  readonly #queue: NoticeQueue;
  /** The routes in work, some of them since an earlier round. */
  readonly #busy = new Set<string>();
  readonly #telling = new Set<Promise<void>>();
  /** The routes to whose destinations this instance may not connect. */
  readonly #left: LeftToOthers;

  constructor(
    private readonly parts: {
      readonly owner: OwnerDoor;
      readonly channels: Pick<Channels, 'send'>;
      readonly health: Pick<HealthAlerts, 'tell'>;
      readonly tally: DetectionTally;
      readonly nowMs: () => number;
      readonly log: Logger;
      readonly time?: ReadTime;
    },
  ) {
    this.#rounds = new TenantRounds(parts.owner);
    this.#queue = new NoticeQueue(parts.owner, parts.time);
    this.#left = new LeftToOthers(parts.nowMs);
  }

  /** False if within the last hour this instance was not allowed to connect to the destination of a notice. */
  get healthy(): boolean {
    return this.#left.isEmpty;
  }

  async run(): Promise<number> {
    const left = this.#left.resting();
    const due = (of: OfTenant) => this.#queue.tenants(of('tenant_id'), TENANTS_MAX, left);
    const tenants = await this.#rounds.ask(due, 'in use');
    const jobs: Job[] = [];
    for (const { tenantId } of tenants)
      jobs.push(...((await this.#rounds.attempt(tenantId, () => this.#jobsOf(tenantId, left))) ?? []));
    // Only here, where nothing fails before their work begins: what fails above leaves no route in work for ever.
    for (const { route } of jobs) this.#busy.add(route.routeId);
    // Routes that failed before are likely to be slow again.
    jobs.sort((a, b) => triesOf(a.due) - triesOf(b.due));
    const lanes = [true, false].map((isMail) => jobs.filter(({ route }) => 'to' in route.target === isMail));
    const workers = lanes.flatMap((lane) => Array.from({ length: AT_ONCE }, () => this.#work(lane)));
    const telling: Promise<void> = Promise.all(workers).then(() => {
      this.#telling.delete(telling);
    });
    this.#telling.add(telling);
    await Promise.race([telling, delay(ROUND_MS, undefined, { ref: false })]);
    this.#rounds.end();
    return 0;
  }

  /** Lets the current notices end. */
  async stop(): Promise<void> {
    await Promise.all(this.#telling);
  }

  async #work(jobs: Job[]): Promise<void> {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const { tenantId, routeId } = job.route;
      await this.#tell(job).catch((err) =>
        this.parts.log.warn({ err, tenantId, routeId }, 'sending alert notices failed; it will be retried'),
      );
      this.#busy.delete(routeId);
    }
  }

  async #jobsOf(tenantId: number, left: readonly string[]): Promise<readonly Job[]> {
    const due = await this.#queue.take(tenantId, left);
    if (due.length === 0) return [];
    const routes = await this.#routes(tenantId);
    // Notices of a removed route are dropped.
    const gone = due.filter(({ routeId }) => !routes.has(routeId));
    if (gone.length > 0) await this.#queue.done(tenantId, gone);
    const late = due.filter((one) => one.state === ESCALATED && routes.has(one.routeId));
    const ofIncidents = new Set([...routes.values()].filter(isOfIncidents).map(({ routeId }) => routeId));
    const needless = await this.#queue.needless(tenantId, late, (routeId) => ofIncidents.has(routeId));
    await this.#queue.drop(tenantId, needless);
    const jobs: Job[] = [];
    for (const route of routes.values()) {
      const own = due.filter((one) => one.routeId === route.routeId && !needless.includes(one));
      if (own.length === 0) continue;
      if (this.#busy.has(route.routeId)) await this.#queue.putBack(tenantId, own, ROUND_MS);
      else jobs.push({ route, due: own });
    }
    return jobs;
  }

  async #routes(tenantId: number): Promise<ReadonlyMap<string, AlertRoute>> {
    const rows = await this.parts.owner.models.alertRoute.findMany({ where: { tenantId, enabled: true } });
    return new Map(
      rows.map(({ routeId, name, ruleId, target }) => [
        routeId,
        { tenantId, routeId, name: fromStored(name), ruleId, target: JSON.parse(target) as RouteTarget },
      ]),
    );
  }

  /**
   * Sends the notices of a route. After a failure the rest waits too, because it would fail in the same way; but not after a
   * message that is refused for its content, which attackers choose in part.
   */
  async #tell({ route, due }: Job): Promise<void> {
    const { tenantId } = route;
    const { parcels, later } = await this.#parcels(route, due);
    if (later) await this.#queue.putBack(tenantId, later.due, later.waitMs);
    for (const [i, parcel] of parcels.entries()) {
      const rest = parcels.slice(i).flat();
      if (await this.#queue.isEnding(rest)) return this.#queue.putBack(tenantId, rest, 0);
      const outcome = await this.#send(route, parcel);
      if ('message' in outcome && outcome.isOfInstance) return this.#leave(route, rest, outcome);
      this.#left.end(route.routeId);
      if ('message' in outcome) {
        const { isOfMessage = false } = outcome;
        await this.#queue.failed(tenantId, isOfMessage ? parcel : rest, outcome.message);
        if (triesOf(parcel) >= FAILING_TRIES)
          await (isOfMessage
            ? this.#tellOfRefusedAlert(route, parcel, outcome)
            : this.#tellOfFailure(route, parcel, outcome));
        if (isOfMessage) continue;
        return;
      }
      await this.#queue.done(tenantId, parcel);
      // From here on nobody sends these notices again. After a crash before, another instance sends them when their lease
      // has ended, under the same ids.
      if (outcome.length > 0) await this.#tellOfRefused(route, parcel, outcome);
    }
  }

  /** Groups notices into messages: one message for each, except mails above a rate, which are combined. */
  async #parcels(
    route: AlertRoute,
    due: readonly Due[],
  ): Promise<{
    parcels: readonly (readonly Due[])[];
    later: { readonly due: readonly Due[]; readonly waitMs: number } | null;
  }> {
    const each = due.map((one) => [one]);
    if (!('to' in route.target)) return { parcels: each, later: null };
    const sent = await this.#queue.sentWithin(route.tenantId, route.routeId, MAILS_MS);
    if (sent.length + due.length <= MAILS_MAX) return { parcels: each, later: null };
    const [oldest] = sent;
    if (sent.length < MAILS_MAX || oldest === undefined) return { parcels: [due], later: null };
    return { parcels: [], later: { due, waitMs: MAILS_MS - oldest } };
  }

  async #send(route: AlertRoute, parcel: readonly Due[]): Promise<readonly string[] | Failure> {
    const { channels, tally } = this.parts;
    const outcome = await channels
      .send(route, parcel)
      .catch((error: Error): Failure => ({ message: error.message, isOfChannel: false }));
    tally.told('to' in route.target ? 'email' : 'destination', 'message' in outcome ? 'failed' : 'sent');
    return outcome;
  }

  /** Leaves notices to other instances, at once: this one may not connect to their destination. */
  async #leave(route: AlertRoute, due: readonly Due[], failure: Failure): Promise<void> {
    const { tenantId, routeId } = route;
    const waitMs = this.#left.leave(routeId);
    const said = { tenantId, routeId, waitMs, error: failure.message };
    this.parts.log.warn(said, 'the notices of a route are left to other instances; they will be retried');
    await this.#queue.putBack(tenantId, due, 0, failure.message);
    const waitedMs = (await this.#queue.now()).getTime() - sinceOf(due).getTime();
    if (waitedMs >= UNREACHED_MS) await this.#tellOfFailure(route, due, failure);
  }

  /** Makes an alert about a failing channel, told by routes over other channels. */
  async #tellOfFailure(route: AlertRoute, due: readonly Due[], failure: Failure): Promise<void> {
    const { tenantId, routeId, name } = route;
    this.parts.log.warn({ tenantId, routeId, error: failure.message }, 'a route failed to send alerts');
    const channel = channelOf(route);
    const routes = [...(await this.#routes(tenantId)).values()];
    const same = routes.filter((one) => channelOf(one) === channel);
    const since = sinceOf(due);
    const isOfChannel = await this.#isOfChannel(route, same, failure, since);
    await this.parts.health.tell({
      tenantId,
      since,
      exceptRouteIds: (isOfChannel ? same : [route]).map((one) => one.routeId),
      key: isOfChannel ? `channel ${channel}` : `route ${routeId}`,
      group: { problem: `A ${isOfChannel ? 'channel' : 'route'} of alerts fails`, route: name, channel },
    });
  }

  /** Corrects a guess by what became of messages on other routes over the same channel. */
  async #isOfChannel(
    { tenantId, routeId }: AlertRoute,
    same: readonly AlertRoute[],
    { isOfChannel, isGuess = false }: Failure,
    since: Date,
  ): Promise<boolean> {
    if (!isGuess) return isOfChannel;
    const others = same.map((one) => one.routeId).filter((id) => id !== routeId);
    const { works, fails } = await this.#queue.outcomesSince(tenantId, others, since);
    return !works && (isOfChannel || fails);
  }

  /** Makes an alert about one that a receiver refuses for its content. Its own route gets it, too: it does not have these names. */
  async #tellOfRefusedAlert(route: AlertRoute, due: readonly Due[], { message }: Failure): Promise<void> {
    const { tenantId, routeId, name } = route;
    this.parts.log.warn({ tenantId, routeId, error: message }, 'a receiver refuses an alert');
    await this.parts.health.tell({
      tenantId,
      since: sinceOf(due),
      key: `route ${routeId} refused an alert`,
      group: { problem: 'A receiver refuses an alert', route: name, channel: channelOf(route) },
    });
  }

  async #tellOfRefused(route: AlertRoute, due: readonly Due[], addresses: readonly string[]): Promise<void> {
    const { tenantId, routeId, name } = route;
    this.parts.log.warn({ tenantId, routeId, count: addresses.length }, 'the mail server refuses addresses');
    await this.parts.health.tell({
      tenantId,
      since: sinceOf(due),
      key: `route ${routeId} refused`,
      group: {
        problem: 'The mail server refuses addresses of a route',
        route: name,
        addresses: addresses.join(', '),
      },
    });
  }
}

const triesOf = (due: readonly Due[]): number => Math.max(...due.map(({ tries }) => tries));

const sinceOf = (due: readonly Due[]): Date =>
  new Date(Math.min(...due.map(({ createdAt }) => createdAt.getTime())));
