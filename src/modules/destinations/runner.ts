import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome } from '../../delivery/outcome';
import { retryDelayMs } from '../../delivery/retry';
import { LIMITS } from '../../limits';
import { type Batch, type Bounds, batchId, type SentFile } from './batch';
import type { Change, Lease } from './delivery-store';
import type { Destination, SetAsideEvent } from './destination';
import type { Planned, Planner } from './planner';

/** Sends batches to one destination. It never throws: a failure is an outcome. */
export interface Sender {
  send(batch: Batch, signal: AbortSignal): Promise<Outcome>;
  /** Stores a file of a tenant. Not there: the receiver keeps no files. */
  readonly put?: (tenantId: number, file: SentFile, signal: AbortSignal) => Promise<Outcome>;
  close(): void;
}

interface RunParts {
  readonly lease: Lease;
  readonly planner: Planner;
  readonly sender: Sender;
  /** The epoch of the positions, as ids and names have it. */
  readonly epoch: string;
  /** The most events in a batch. */
  readonly eventsMax: number;
  readonly signal: AbortSignal;
  readonly random: () => number;
  /** Whether other destinations wait for a turn, or nothing may be sent any more. */
  readonly isTimeUp: () => boolean;
  /** Whether what may leave of the tenant is other than when the run began. */
  readonly isOtherwise: () => Promise<boolean>;
  /** The milliseconds until the next look when nothing is left. */
  readonly restMs: number;
}

/** Waits shorter than this are spent inside the delivery, under its lease. */
const WAIT_HERE_MS = 6_000;
const RENEW_MS = 4_000;
/** The most neighbours to try after a refused event. */
const NEIGHBOURS_MAX = 5;

/** The lease is lost: another instance sends, or an operator changed the destination. */
class Lost extends Error {}

/**
 * Delivers the events of a destination until none is left, its time is up, its secrets or what may leave of its tenant
 * change, or a longer wait is due.
 * Delivers at least once and in order: it stores the bounds of a batch before sending it, and moves the cursor after
 * the receiver has accepted it.
 */
export class Runner {
  #destination: Destination;
  /** The next batch, read while the current one is sent. */
  #ahead: Planned | null = null;
  /** Ends the current work when the instance stops or the lease is lost. */
  readonly #stop = new AbortController();
  /** Whether the receiver has accepted another batch since it refused one. */
  #isProven = false;
  #refusal: string | null = null;

  constructor(
    destination: Destination,
    private readonly parts: RunParts,
  ) {
    this.#destination = destination;
  }

  /** @returns the refusal, if this instance may not connect to the receiver: another instance may */
  async run(): Promise<string | null> {
    const stop = () => this.#stop.abort();
    this.parts.signal.addEventListener('abort', stop, { once: true });
    try {
      while (!this.parts.signal.aborted && !this.parts.isTimeUp() && !this.parts.lease.hasOldSecrets)
        if ((await this.parts.isOtherwise()) || !(await this.#whileHeld(() => this.#step()))) break;
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    } finally {
      this.parts.signal.removeEventListener('abort', stop);
    }
    return this.#refusal;
  }

  /** @returns whether to continue at once */
  async #step(): Promise<boolean> {
    if (this.#destination.state !== 'active') return false;
    const [stored] = this.#destination.batches;
    if (!stored) return this.#begin();
    const { position, batches } = this.#destination;
    // Retention removed the whole batch while it waited.
    if (stored.to <= position) return this.#save({ batches: batches.slice(1) });
    const batch = await this.#read(stored);
    if (batch.items.length === 0) return this.#pass(batch);
    const outcome = await this.#send(batch, true);
    if (outcome.kind === 'accepted') return this.#accepted(batch, outcome.refused ?? []);
    if (outcome.kind === 'refused') return this.#refused(batch, outcome.message);
    return this.#failed(outcome);
  }

  /** Stores the bounds of the next batch. */
  async #begin(): Promise<boolean> {
    const planned = await this.#plan(this.#destination.position);
    this.#ahead = planned;
    if (planned.items.length > 0) return this.#save({ batches: [planned] });
    return this.#pass(planned);
  }

  /** Moves over positions without an event to send. */
  async #pass(planned: Planned): Promise<boolean> {
    const isCaughtUp = planned.isEnd && this.#destination.batches.length < 2;
    const [, ...batches] = this.#destination.batches;
    await this.#save({
      position: planned.to,
      batches,
      removed: planned.removed,
      attempts: 0,
      isCaughtUp,
      ...(isCaughtUp && { nextAttemptMs: this.parts.restMs }),
    });
    return !isCaughtUp;
  }

  async #accepted(batch: Planned, refused: readonly { index: number; message: string }[]): Promise<boolean> {
    this.#isProven = true;
    const setAside = refused.flatMap(({ index, message }) => asideOf(batch.items[index], message));
    if (!this.#hasRoomFor(setAside)) return this.#tooManyAside();
    const [, ...rest] = this.#destination.batches;
    // What cannot be read now must not have the accepted batch sent again.
    const ahead = rest.length === 0 ? await this.#aheadOf(batch).catch(() => null) : null;
    this.#ahead = ahead;
    const isCaughtUp = ahead ? ahead.items.length === 0 && ahead.isEnd : false;
    const isEmpty = ahead !== null && ahead.items.length === 0;
    await this.#save({
      position: ahead && isEmpty ? ahead.to : batch.to,
      batches: ahead && !isEmpty ? [ahead] : rest,
      batchLimit: grown(this.#destination.batchLimit, this.parts.eventsMax),
      attempts: 0,
      isSuccess: true,
      delivered: batch.items.length - setAside.length,
      setAside,
      isCaughtUp,
      removed: batch.removed + (ahead && isEmpty ? ahead.removed : 0),
      ...(isCaughtUp && { nextAttemptMs: this.parts.restMs }),
    });
    return !isCaughtUp;
  }

  /** Halves a refused batch. For a single event, tries its neighbours. */
  async #refused(batch: Planned, message: string): Promise<boolean> {
    const { batchLimit } = this.#destination;
    if (batchLimit === null) this.#isProven = false;
    const half = Math.ceil(batch.items.length / 2);
    const next = batch.items[half]?.position;
    if (batch.items.length === 1 || typeof next !== 'number') return this.#askNeighbours(batch, message);
    this.#ahead = { ...batch, to: next, items: batch.items.slice(0, half), removed: 0, isEnd: false };
    const isWhole = batch.removed === 0;
    // Events that are gone are counted by the new bounds, so the next batch must be read again.
    if (!isWhole) this.#ahead = null;
    return this.#save({ batches: [{ from: batch.from, to: next }], batchLimit: half, error: message });
  }

  /**
   * Handles the refusal of a single event. The event is set aside only if the receiver accepts the next one, or,
   * without a next one, has accepted the previous one since the refusal. So a receiver that refuses everything loses
   * nothing.
   */
  async #askNeighbours(batch: Planned, message: string): Promise<boolean> {
    const refused = asideOf(batch.items[0], message);
    const known = this.#destination.batches;
    const bounds: Bounds[] = [batch];
    let { removed } = batch;
    for (let n = 1; n <= NEIGHBOURS_MAX; n++) {
      const from = bounds.at(-1)?.to ?? batch.to;
      const stored = known[n];
      const next = stored ? await this.parts.planner.again(stored) : await this.parts.planner.next(from, 1);
      if (next.items.length === 0) {
        if (this.#isProven && next.isEnd) return this.#setAside(refused, { to: from, removed });
        break;
      }
      bounds.push(next);
      if (!stored) await this.#save({ batches: bounds, batchLimit: 1 });
      removed += next.removed;
      const outcome = await this.#send(next, false);
      if (outcome.kind === 'accepted') {
        this.#isProven = true;
        return this.#setAside(refused, { to: next.to, removed, delivered: next.items.length });
      }
      if (outcome.kind !== 'refused') return this.#failed(outcome);
      refused.push(...asideOf(next.items[0], outcome.message));
    }
    return this.#failed({
      kind: 'failed',
      message: `${message} (the neighbours of the event were not taken either)`,
    });
  }

  async #setAside(
    refused: readonly SetAsideEvent[],
    { to, removed, delivered = 0 }: { to: number; removed: number; delivered?: number },
  ): Promise<boolean> {
    if (!this.#hasRoomFor(refused)) return this.#tooManyAside();
    this.#ahead = null;
    return this.#save({
      position: to,
      batches: [],
      batchLimit: 2,
      attempts: 0,
      isSuccess: true,
      delivered,
      removed,
      setAside: refused,
    });
  }

  #hasRoomFor(refused: readonly SetAsideEvent[]): boolean {
    return (
      refused.length === 0 || this.#destination.setAside + refused.length <= LIMITS.destinationSetAsideMax
    );
  }

  #tooManyAside(): Promise<boolean> {
    const message = `more than ${LIMITS.destinationSetAsideMax} events are set aside`;
    return this.#failed({ kind: 'failed', message });
  }

  async #failed(outcome: Outcome & { kind: 'failed' | 'gone' }): Promise<boolean> {
    this.#ahead = null;
    const { message } = outcome;
    if (outcome.kind === 'gone') {
      await this.#save({
        pauses: true,
        failures: 1,
        error: `paused: ${message}`,
      });
      return false;
    }
    if (outcome.isOfInstance) {
      this.#refusal = message;
      // Without a time of its own, the next attempt is due at once for the others.
      await this.#save({ attempts: Math.max(1, this.#destination.attempts), error: message, failures: 1 });
      return false;
    }
    const attempts = this.#destination.attempts + 1;
    const waitMs = retryDelayMs(attempts, outcome.retryAfterMs, this.parts.random());
    await this.#save({ attempts, nextAttemptMs: waitMs, error: message, failures: 1 });
    if (waitMs > WAIT_HERE_MS || this.parts.isTimeUp()) return false;
    await delay(waitMs, undefined, { signal: this.parts.signal }).catch(() => {});
    return (await this.parts.lease.renew()) === 'active';
  }

  async #send(planned: Planned, readsAhead: boolean): Promise<Outcome> {
    const { tenantId, destinationId, generation } = this.#destination;
    const { from, to, items } = planned;
    const { epoch } = this.parts;
    const mark = await this.parts.planner.markOf(planned);
    const id = batchId(epoch, destinationId, generation, planned, mark);
    const { signal } = this.#stop;
    const sent = this.parts.sender.send({ id, tenantId, epoch, from, to, mark, items }, signal);
    const isOnly = readsAhead && this.#destination.batches.length === 1;
    const [outcome] = await Promise.all([sent, isOnly ? this.#readAhead(planned) : null]);
    if (signal.aborted && outcome.kind !== 'accepted') throw new Lost();
    return outcome;
  }

  /**
   * Keeps the lease while it works: a send may take long, and so may the search for events that pass a filter, while many
   * destinations wait for their turn to read.
   */
  async #whileHeld<T>(work: () => Promise<T>): Promise<T> {
    const lose = () => this.#stop.abort();
    const renewal = setInterval(() => {
      this.parts.lease.renew().then((state) => state === null && lose(), lose);
    }, RENEW_MS);
    try {
      return await work();
    } finally {
      clearInterval(renewal);
    }
  }

  /** Reads the next batch early. A failure is harmless, because the batch is read again when it is needed. */
  async #readAhead({ to, isEnd }: Planned): Promise<void> {
    this.#ahead = isEnd ? null : await this.#plan(to).catch(() => null);
  }

  #aheadOf = async ({ to }: Planned): Promise<Planned> =>
    this.#ahead?.from === to ? this.#ahead : this.#plan(to);

  async #read(bounds: Bounds): Promise<Planned> {
    const ahead = this.#ahead;
    this.#ahead = null;
    if (ahead?.from === bounds.from && ahead.to === bounds.to) return ahead;
    // If retention overtook the batch, its beginning is already counted. The bounds stay, because the batch's id
    // depends on them.
    const from = Math.max(bounds.from, this.#destination.position);
    return { ...(await this.parts.planner.again({ from, to: bounds.to })), from: bounds.from };
  }

  #plan(from: number): Promise<Planned> {
    return this.parts.planner.next(from, this.#destination.batchLimit ?? this.parts.eventsMax);
  }

  async #save(change: Change): Promise<true> {
    const saved = await this.parts.lease.save(change);
    if (!saved) throw new Lost();
    this.#destination = saved;
    return true;
  }
}

const asideOf = (item: Planned['items'][number] | undefined, message: string): SetAsideEvent[] =>
  typeof item?.position === 'number' ? [{ position: item.position, recordId: item.recordId, message }] : [];

/** Doubles the limit up to the largest batch. */
const grown = (limit: number | null, eventsMax: number): number | null =>
  limit === null || limit * 2 >= eventsMax ? null : limit * 2;
