import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../limits';
import { tooBusy } from './gate';

/**
 * Bounds the work of this instance on batches that bring nothing: a rejected event costs more than one that is stored.
 * Such a batch makes its key a debt of time, by its bytes and rejected events, and a body that cannot be read does by
 * its bytes. Batches of a key with a debt come one after the other, each when the debt of those before is paid. No key
 * is refused for its debt alone, since the next batch may be sound.
 */
export class RefusedBatches {
  /** Of each key with a debt, the time at which it is paid. */
  readonly #paidAt = new Map<string, number>();

  /** @param nowMs of a monotonic clock */
  constructor(
    private readonly nowMs: () => number = () => performance.now(),
    private readonly wait: (ms: number) => Promise<unknown> = (ms) => sleep(ms),
  ) {}

  /**
   * Waits until a batch of the key may be looked at.
   * @param bytes of its body, inflated @throws DomainError `service_unavailable`
   */
  async enter(keyId: string, bytes: number): Promise<void> {
    const until = this.nowMs() + LIMITS.ingestWaitMs;
    for (let debt = this.#debt(keyId); debt > 0; debt = this.#debt(keyId)) {
      const waitMs = debt - LIMITS.refusedFreeMs;
      if (waitMs <= 0) return this.#owe(keyId, debt + costMs(bytes, 0));
      if (this.nowMs() + waitMs > until) throw tooBusy();
      await this.wait(waitMs);
    }
  }

  /** @param bytes of the body, inflated @param rejected the number of rejected events */
  note(keyId: string, bytes: number, rejected: number): void {
    const debt = this.#debt(keyId);
    // With a debt, the bytes were counted when the batch came.
    const more = costMs(debt > 0 ? 0 : bytes, rejected);
    this.#owe(keyId, Math.min(debt + more, LIMITS.refusedDebtMsMax));
  }

  #debt(keyId: string): number {
    return Math.max(0, (this.#paidAt.get(keyId) ?? 0) - this.nowMs());
  }

  #owe(keyId: string, ms: number): void {
    for (const [other, paidAt] of this.#paidAt) if (paidAt <= this.nowMs()) this.#paidAt.delete(other);
    this.#paidAt.set(keyId, this.nowMs() + ms);
  }
}

const costMs = (bytes: number, rejected: number) =>
  (bytes / LIMITS.refusedBytesPerSecond + rejected / LIMITS.refusedEventsPerSecond) * 1_000;
