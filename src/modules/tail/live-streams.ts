import { Holdings } from '../../caller/rate-limit/holdings';
import { LIMITS } from '../../limits';

/** The streams of pages that show events live, so many of a holder and of the instance. */
export class LiveStreams {
  readonly #held = new Holdings({ each: LIMITS.liveStreamsPerHolder, all: LIMITS.liveStreamsMax });

  get count(): number {
    return this.#held.all;
  }

  /** @returns what ends it; null: there are as many as may be */
  begin(holder: string): (() => void) | null {
    return this.#held.take(holder, 1) ? () => this.#held.give(holder, 1) : null;
  }
}
