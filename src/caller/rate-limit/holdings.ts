import { giveUpAfter } from '../../deadline';
import { CallerGone, DomainError } from '../../errors';
import { LIMITS } from '../../limits';
import type { Asker } from './fair-share';

/** What callers hold at the same time, such as places or bytes, limited for each caller and in all. */
export class Holdings {
  readonly #of = new Map<string, number>();
  #all = 0;

  constructor(private readonly max: { readonly each: number; readonly all: number }) {}

  get all(): number {
    return this.#all;
  }

  /** @returns false if it would exceed a bound; then nothing is taken */
  take(holder: string, amount: number): boolean {
    const held = (this.#of.get(holder) ?? 0) + amount;
    if (held > this.max.each || this.#all + amount > this.max.all) return false;
    this.#of.set(holder, held);
    this.#all += amount;
    return true;
  }

  give(holder: string, amount: number): void {
    const held = (this.#of.get(holder) ?? 0) - amount;
    if (held > 0) this.#of.set(holder, held);
    else this.#of.delete(holder);
    this.#all -= amount;
  }
}

/** The same for callers that act for tenants, limited for each of these tenants as well. */
export class TenantHoldings {
  readonly #ofHolders: Holdings;
  readonly #ofTenants: Holdings;

  constructor(max: { readonly each: number; readonly perTenant: number; readonly all: number }) {
    this.#ofHolders = new Holdings(max);
    this.#ofTenants = new Holdings({ each: max.perTenant, all: Number.POSITIVE_INFINITY });
  }

  /** @returns false if it would exceed a bound; then nothing is taken */
  take({ holder, tenants }: Asker, amount: number): boolean {
    if (!this.#ofHolders.take(holder, amount)) return false;
    const full = tenants.findIndex((tenant) => !this.#ofTenants.take(String(tenant), amount));
    if (full === -1) return true;
    for (const tenant of tenants.slice(0, full)) this.#ofTenants.give(String(tenant), amount);
    this.#ofHolders.give(holder, amount);
    return false;
  }

  give({ holder, tenants }: Asker, amount: number): void {
    this.#ofHolders.give(holder, amount);
    for (const tenant of tenants) this.#ofTenants.give(String(tenant), amount);
  }
}

/** The room for one answer, or for a part of it. */
export interface Room {
  /** Sets the actual size. @throws DomainError `service_unavailable` if there is not enough room */
  settle(bytes: number): void;
  /**
   * The same for an answer that took work to make: where it needs more room, it waits for that before others get theirs.
   * @throws DomainError `service_unavailable` @throws CallerGone
   */
  grow(bytes: number): Promise<void>;
  /** Called when the answer was not made. A second call does nothing. */
  release(): void;
}

interface Waiter {
  readonly holder: string;
  readonly tryAgain: () => boolean;
}

/**
 * The bytes of answers, from before they are read from the database until callers have received them. They are limited
 * for each key, for each tenant and in all, so a caller that does not read its answers takes no memory from others.
 */
export class AnswerBytes {
  readonly #held = new TenantHoldings({
    each: LIMITS.answerBytesPerKeyMax,
    perTenant: LIMITS.answerBytesPerTenantMax,
    all: LIMITS.answerBytesMax,
  });
  #waiting: Waiter[] = [];

  /**
   * The room is released when the answer has been sent or its caller has gone, if not before.
   * @param bytes the largest size, as far as it is known
   * @throws DomainError `service_unavailable` @throws CallerGone
   */
  async hold(asker: Asker, bytes: number): Promise<Room> {
    const { gone } = asker;
    if (gone?.aborted) throw new CallerGone();
    if (!this.#held.take(asker, bytes)) await this.#wait(asker, bytes);
    let [held, isOver] = [bytes, false];
    const release = () => {
      if (isOver) return;
      isOver = true;
      gone?.removeEventListener('abort', release);
      this.#held.give(asker, held);
      this.#admit();
    };
    gone?.addEventListener('abort', release);
    // The caller may have gone in the moment in which its wait ended.
    if (gone?.aborted) {
      release();
      throw new CallerGone();
    }
    return {
      settle: (actual) => {
        if (isOver) return;
        this.#held.give(asker, held);
        held = 0;
        if (!this.#held.take(asker, actual)) throw refusal();
        held = actual;
        this.#admit();
      },
      grow: async (actual) => {
        const more = actual - held;
        if (isOver) return;
        if (more > 0 && !this.#held.take(asker, more)) await this.#wait(asker, more, true);
        if (more < 0) this.#held.give(asker, -more);
        if (isOver) this.#held.give(asker, more);
        else held = actual;
        this.#admit();
      },
      release,
    };
  }

  /** @param isMade whether the answer is there already, and needs only some more room */
  #wait(asker: Asker, bytes: number, isMade = false): Promise<void> {
    const { holder, gone } = asker;
    const before = this.#waiting.filter((other) => other.holder === holder).length;
    if (!isMade && before >= LIMITS.answersWaitingPerKey) throw refusal();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        holder,
        tryAgain: () => {
          if (!this.#held.take(asker, bytes)) return false;
          clear();
          resolve();
          return true;
        },
      };
      const clear = giveUpAfter(LIMITS.answerWaitMs, gone, (isLate) => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(isLate ? refusal() : new CallerGone());
      });
      if (isMade) this.#waiting.unshift(waiter);
      else this.#waiting.push(waiter);
    });
  }

  #admit(): void {
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter((waiter) => !waiter.tryAgain());
  }
}

const refusal = () =>
  new DomainError('service_unavailable', {
    public:
      'Answers under way to this key, or to others of its tenants, hold as much memory as they may. ' +
      'Read them to their end, and ask for fewer large events at once.',
    retryAfterSeconds: Math.ceil(LIMITS.answerWaitMs / 1000),
  });
