import { LIMITS } from '../limits';
import { Rests } from '../rests';
import { retryDelayMs } from './retry';

/** Milliseconds for which an instance leaves a receiver alone. @param failures in a row, at least 1 */
export const standBackMs = (failures: number): number =>
  Math.min(retryDelayMs(failures, undefined, Math.random()), LIMITS.destinationStandBackMsMax);

/** The work that an instance leaves to others for a while: it may not connect to the receiver, and another one may. */
export class LeftToOthers {
  /** The time of the last refusal, by the id of the work. */
  readonly #refused = new Map<string, number>();
  readonly #rests: Rests<string>;

  constructor(private readonly nowMs: () => number) {
    this.#rests = new Rests(nowMs);
  }

  /** Whether nothing was refused within the last hour. */
  get isEmpty(): boolean {
    return [...this.#refused.values()].every((atMs) => !this.#isShown(atMs));
  }

  /** Leaves work to others. @returns the milliseconds for which it does */
  leave(id: string): number {
    this.#refused.set(id, this.nowMs());
    return this.#rests.failed(id, standBackMs);
  }

  /** The instance has connected to the receiver. */
  end(id: string): void {
    this.#refused.delete(id);
    this.#rests.end(id);
  }

  /** The ids of the work that is left to others now. What was refused long ago is forgotten. */
  resting(): readonly string[] {
    for (const [id, atMs] of this.#refused) if (!this.#isShown(atMs)) this.#refused.delete(id);
    this.#rests.keepOnly(new Set(this.#refused.keys()));
    return [...this.#refused.keys()].filter((id) => this.#rests.isResting(id));
  }

  #isShown(atMs: number): boolean {
    return Math.abs(this.nowMs() - atMs) < LIMITS.pastTroubleShownMs;
  }
}
