import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { MarkedTenants } from '../../caller/principal';
import { standBackMs } from '../../delivery/left-to-others';
import type { NetworkGuard } from '../../delivery/network-guard';
import { failed, failureOf, type Outcome } from '../../delivery/outcome';
import { ReadingTurns } from '../../delivery/reading-turns';
import type { SecretBox } from '../../delivery/secret-box';
import { LIMITS } from '../../limits';
import { Rests } from '../../rests';
import { type ArrivalReader, removedBefore } from '../../store/log/arrivals/arrival-reader';
import { epochInNames } from '../../store/log/epoch/epoch';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import type { Item, SentFile } from './batch';
import type { DeliveryStore, Listed } from './delivery-store';
import { type Destination, type DestinationKey, ownerOfSecrets, REMOVED } from './destination';
import { Planner } from './planner';
import { Runner, type Sender } from './runner';
import { openSender } from './senders/open-sender';
import { itemMaker, type Shown } from './to-item';
import { type StoredSecrets, typeSpec } from './types';

interface DeliveryParts {
  readonly store: Pick<DeliveryStore, 'list' | 'delete' | 'take' | 'putSecrets'>;
  readonly feed: Pick<ArrivalReader, 'read' | 'marks'>;
  readonly box: SecretBox;
  readonly guard: NetworkGuard;
  readonly epoch: Pick<LogEpoch, 'state' | 'isDrill' | 'look' | 'pauseOf'>;
  readonly maskedTenants: Pick<MarkedTenants, 'among'>;
  readonly disabledTenants: Pick<MarkedTenants, 'among'>;
  readonly nowMs: () => number;
  readonly log: Logger;
}

interface OpenSender {
  /** Of settings and secrets. When it changes, a new sender is opened. */
  readonly fingerprint: string;
  readonly sender: Sender;
}

const OVERTAKEN_CHECK_MS = 60_000;
const LISTENERS_PER_RUN = 3;
/** Destinations that a line of the log names. */
const NAMED_MAX = 10;

/** Sends to all destinations of all tenants that have something to send and that no other instance serves. */
export class Deliveries {
  readonly #running = new Map<string, Promise<void>>();
  /** The number of the last turn of each destination, of all turns. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  readonly #senders = new Map<string, OpenSender>();
  /** Destinations that this instance leaves alone for a while. */
  readonly #rests: Rests<string>;
  /** Those of them to which this instance may not connect. */
  readonly #refused = new Set<string>();
  /** Limits reads, so that many destinations do not use up all background connections, or the processor for long. */
  readonly #reading = new ReadingTurns(LIMITS.destinationReadsMax);
  readonly #stopping = new AbortController();
  #listed: readonly Listed[] = [];
  #checkedMs = 0;

  constructor(private readonly parts: DeliveryParts) {
    this.#rests = new Rests(parts.nowMs);
    // Each delivery listens for the stop, and so does each of its requests.
    setMaxListeners(LISTENERS_PER_RUN * LIMITS.destinationRunsMax, this.#stopping.signal);
  }

  /** The destinations of the last round. */
  get listed(): readonly Destination[] {
    return this.#listed;
  }

  /** Whether this instance has the keys of all secrets. Destinations with other keys are left to other instances. */
  get hasKeys(): boolean {
    return this.#listed.every(({ secrets }) => this.parts.box.opens(secrets));
  }

  /** Tells each change of the destinations whose secrets this instance cannot open. */
  #tellLackedKeys(): void {
    const lacked = this.#listed.filter(({ secrets }) => !this.parts.box.opens(secrets));
    const ids = lacked.map(({ destinationId }) => destinationId);
    if (ids.join() === this.#lackedKeys) return;
    this.#lackedKeys = ids.join();
    const { log, box } = this.parts;
    if (ids.length === 0) log.info('this instance has the keys of all destinations');
    else
      log.error(
        { count: ids.length, destinationIds: ids.slice(0, NAMED_MAX), ownKeyId: box.keyId },
        'the secrets of destinations are sealed by a key that this instance does not have, so it sends nothing to them: ' +
          'is SECRETS_KEY_FILE that of the other instances?',
      );
  }
  #lackedKeys = '';

  /** Whether this instance may connect to the receivers of all active destinations, as far as it has tried. */
  get mayReachAll(): boolean {
    return this.#listed.every(
      ({ destinationId, state }) => state !== 'active' || !this.#refused.has(destinationId),
    );
  }

  /** Starts a delivery for each destination that is due. */
  async round(): Promise<void> {
    const { epoch } = this.parts;
    await epoch.look();
    const all = await this.parts.store.list();
    for (const one of all.filter(({ state }) => state === REMOVED)) await this.parts.store.delete(one);
    this.#listed = all.filter(({ state }) => state !== REMOVED);
    this.#closeUnused();
    this.#tellLackedKeys();
    if (Math.abs(this.parts.nowMs() - this.#checkedMs) >= OVERTAKEN_CHECK_MS) {
      this.#checkedMs = this.parts.nowMs();
      for (const one of this.#listed.filter(mayBeOvertaken))
        await this.#passRemoved(one).catch((err) => this.#tellUnread(one, err));
      await this.#sealAnew();
    }
    for (const one of this.#inTurn()) {
      if (this.#stopping.signal.aborted || this.#running.size >= LIMITS.destinationRunsMax) return;
      const { destinationId } = one;
      if (!one.isDue || this.#running.has(destinationId) || !this.parts.box.opens(one.secrets)) continue;
      if (epoch.pauseOf(one.goEpoch) !== null) continue;
      if (this.#rests.isResting(destinationId)) continue;
      this.#turns.set(destinationId, ++this.#turn);
      const run = this.#run(one)
        .catch((err) => this.#standBack(destinationId, { err, isRefused: false }))
        .finally(() => this.#running.delete(destinationId));
      this.#running.set(destinationId, run);
    }
  }

  /** The destinations, those first that had no turn for longest: a backlog of some keeps no others waiting. */
  #inTurn(): readonly Listed[] {
    const turnOf = ({ destinationId }: Listed) => this.#turns.get(destinationId) ?? 0;
    return this.#listed.toSorted((a, b) => turnOf(a) - turnOf(b));
  }

  /** Resolves when every delivery that has begun has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.ended();
    for (const { sender } of this.#senders.values()) sender.close();
  }

  /** Sends a message that is not an event of the log, once and now. @param id of the message; a repeat has the same */
  async sendOne(destination: Destination, id: string, item: Item): Promise<Outcome> {
    try {
      const { epoch } = this.parts;
      if (epoch.isDrill) return failed('DRILL=1: this instance sends nothing');
      const { tenantId, position } = destination;
      const named = epochInNames(epoch.state);
      const batch = { id, tenantId, epoch: named, from: position, to: position, mark: '', items: [item] };
      return await this.#senderOf(destination).send(batch, this.#stopping.signal);
    } catch (error) {
      return failureOf(error);
    }
  }

  /** As `sendOne`, to a receiver that is not stored. */
  async tryOut(
    { type, settings, secrets }: Pick<Destination, 'type' | 'settings'> & { readonly secrets: StoredSecrets },
    tenantId: number,
    id: string,
    item: Item,
  ): Promise<Outcome> {
    const { epoch } = this.parts;
    if (epoch.isDrill) return failed('DRILL=1: this instance sends nothing');
    let sender: Sender | undefined;
    try {
      sender = openSender(type, settings as { readonly url: string }, secrets, this.parts);
      const batch = {
        id,
        tenantId,
        epoch: epochInNames(epoch.state),
        from: 0,
        to: 0,
        mark: '',
        items: [item],
      };
      return await sender.send(batch, this.#stopping.signal);
    } catch (error) {
      return failureOf(error);
    } finally {
      sender?.close();
    }
  }

  /** Sends a file, once and now. @returns null: receivers of its type keep no files */
  async putFile(destination: Destination, file: SentFile): Promise<Outcome | null> {
    try {
      if (this.parts.epoch.isDrill) return failed('DRILL=1: this instance sends nothing');
      const sender = this.#senderOf(destination);
      return (await sender.put?.(destination.tenantId, file, this.#stopping.signal)) ?? null;
    } catch (error) {
      return failureOf(error);
    }
  }

  async #run(key: DestinationKey): Promise<void> {
    const { store, feed, epoch } = this.parts;
    const { state } = epoch;
    const taken = await store.take(key);
    if (!taken) return;
    const { lease, destination } = taken;
    const startedMs = performance.now();
    const inTurns: DeliveryParts['feed'] = {
      read: (...of) => this.#reading.run(() => feed.read(...of)),
      marks: (of) => feed.marks(of),
    };
    // A run goes on only in the epoch in which it began, and ends when the service begins to wait for an operator.
    const isOver = () => epoch.state.epoch !== state.epoch || epoch.pauseOf(destination.goEpoch) !== null;
    const isFull = () => this.#running.size >= LIMITS.destinationRunsMax;
    try {
      const sender = this.#senderOf(destination);
      const { maskedTenants, disabledTenants } = this.parts;
      const has = async (marked: Pick<MarkedTenants, 'among'>) =>
        (await marked.among([destination.tenantId])).length > 0;
      const isMasked = await has(maskedTenants);
      const toItem = itemMaker(
        destination.filter,
        destination.format,
        isMasked,
        destination.settings as Shown,
      );
      const { eventsMax, restMs = 0 } = typeSpec(destination.type);
      const refusal = await new Runner(destination, {
        lease,
        sender,
        eventsMax,
        restMs,
        signal: this.#stopping.signal,
        random: Math.random,
        planner: new Planner(inTurns, destination.tenantId, toItem),
        epoch: epochInNames(state),
        isOtherwise: async () => (await has(disabledTenants)) || (await has(maskedTenants)) !== isMasked,
        isTimeUp: () => isOver() || (isFull() && performance.now() - startedMs > LIMITS.destinationRunMs),
      }).run();
      if (refusal === null) this.#standForth(key.destinationId);
      else this.#standBack(key.destinationId, { isRefused: true, err: refusal });
    } finally {
      await lease.release();
    }
  }

  /**
   * Leaves a destination alone for as long as after a failure of the receiver: when the database does not store the
   * outcome of an attempt, so that the same events are not sent again in each round; and when this instance may not
   * connect to the receiver, so that another instance has the turn.
   */
  #standBack(destinationId: string, { err, isRefused }: { err: unknown; isRefused: boolean }): void {
    const waitMs = this.#rests.failed(destinationId, standBackMs);
    if (isRefused) this.#refused.add(destinationId);
    else this.#refused.delete(destinationId);
    const what = isRefused ? 'a delivery is left to other instances' : 'a delivery failed';
    this.parts.log.warn({ err, destinationId, waitMs }, `${what}; it will be retried`);
  }

  #standForth(destinationId: string): void {
    this.#rests.end(destinationId);
    this.#refused.delete(destinationId);
  }

  /**
   * Moves a cursor that stands still over events that retention has removed, and counts these events. So operators see
   * the loss while the destination is paused or fails, and not only later.
   */
  async #passRemoved(one: Listed): Promise<void> {
    const taken = await this.parts.store.take(one, 'any');
    if (!taken) return;
    const { lease, destination } = taken;
    try {
      const { tenantId, position } = destination;
      const limits = { positions: LIMITS.destinationScanMax, events: 1, bytes: 1 };
      const page = await this.parts.feed.read(tenantId, position, limits);
      const to = page.items[0]?.position ?? page.next;
      if (to > position) await lease.save({ position: to, removed: removedBefore(page, to) });
    } finally {
      await lease.release();
    }
  }

  /** The events of one tenant that cannot be read keep nobody else waiting. */
  #tellUnread({ destinationId }: DestinationKey, err: unknown): void {
    const says = 'the next event of a destination could not be read; it will be looked for again';
    this.parts.log.warn({ err, destinationId }, says);
  }

  /** Seals secrets again with the newest key, so that older keys can be removed. */
  async #sealAnew(): Promise<void> {
    const { box, store, log } = this.parts;
    const old = this.#listed.filter(({ secrets }) => box.isOld(secrets) && box.opens(secrets));
    for (const one of old) {
      const owner = ownerOfSecrets(one);
      await store.putSecrets(one, one.secrets, box.seal(box.open(one.secrets, owner), owner));
    }
    if (old.length > 0)
      log.info({ keyId: box.keyId, count: old.length }, 'secrets are now sealed by the new key');
  }

  #senderOf(destination: Destination): Sender {
    const { destinationId, type, settings, secrets } = destination;
    const fingerprint = createHash('sha256')
      .update(JSON.stringify(settings))
      .update(secrets)
      .digest('base64');
    const known = this.#senders.get(destinationId);
    if (known?.fingerprint === fingerprint) return known.sender;
    known?.sender.close();
    const open = JSON.parse(this.parts.box.open(secrets, ownerOfSecrets(destination))) as StoredSecrets;
    const sender = openSender(type, settings as { readonly url: string }, open, this.parts);
    this.#senders.set(destinationId, { fingerprint, sender });
    return sender;
  }

  #closeUnused(): void {
    const known = new Set(this.#listed.map(({ destinationId }) => destinationId));
    this.#rests.keepOnly(known);
    for (const destinationId of this.#refused)
      if (!known.has(destinationId)) this.#refused.delete(destinationId);
    for (const destinationId of this.#turns.keys())
      if (!known.has(destinationId)) this.#turns.delete(destinationId);
    for (const [destinationId, { sender }] of this.#senders) {
      // The destinations of a disabled tenant are not listed: a request under way comes to its end.
      if (known.has(destinationId) || this.#running.has(destinationId)) continue;
      sender.close();
      this.#senders.delete(destinationId);
    }
  }
}

const mayBeOvertaken = ({ state, attempts, position, logSize }: Listed) =>
  (state === 'paused' || attempts > 0) && position < logSize;
