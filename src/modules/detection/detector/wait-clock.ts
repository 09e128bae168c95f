import type { OwnerDoor } from '../../../database/clients';
import { databaseTime, type ReadTime } from '../../../database/lease';
import type { WaitTime } from '../../../rules/receive';
import { CLOCK_STEP_MS } from '../../../steady-clock';

/** A look at the database's time, which was read between two moments of the process. */
interface Look {
  readonly timeMs: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The time by which waits of rules end: that of the database, which is the same for all instances. The process counts
 * the time since it was set, and since it last did not answer: meanwhile nothing could arrive.
 */
export class WaitClock {
  #last: Look | null = null;
  #steadyFrom = 0;
  #heardFrom = 0;
  #steps = 0;

  constructor(
    private readonly client: OwnerDoor['models'],
    private readonly time: ReadTime = databaseTime,
    private readonly elapsedMs: () => number = () => performance.now(),
  ) {}

  /** Grows when the clock was set, and at the first look. */
  get steps(): number {
    return this.#steps;
  }

  async look(): Promise<WaitTime> {
    const from = this.elapsedMs();
    const time = await this.time(this.client).catch((error: unknown) => {
      this.#heardFrom = Number.POSITIVE_INFINITY;
      throw error;
    });
    const to = this.elapsedMs();
    const look = { timeMs: time.getTime(), from, to };
    if (!this.#last || this.#heardFrom === Number.POSITIVE_INFINITY) this.#heardFrom = to;
    if (!this.#last || isStep(this.#last, look)) {
      this.#steps += 1;
      // What a clock showed before the process began is not known.
      this.#steadyFrom = this.#last ? to : Number.NEGATIVE_INFINITY;
    }
    this.#last = look;
    return { nowMs: look.timeMs, steadyForMs: to - this.#steadyFrom, heardForMs: to - this.#heardFrom };
  }
}

/** Whether less or more time has passed by the clock than can have passed. */
function isStep(before: Look, after: Look): boolean {
  const passedMs = after.timeMs - before.timeMs;
  return (
    passedMs < after.from - before.to - CLOCK_STEP_MS || passedMs > after.to - before.from + CLOCK_STEP_MS
  );
}
