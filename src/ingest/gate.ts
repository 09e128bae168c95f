/**
 * Lets a bounded number of batches be in work at once and a bounded number wait for their turn, in order. Who finds
 * the queue full is told at once, so that memory is bounded and agents, who keep their events, slow down.
 */
export class IngestGate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(
    inWorkMax: number,
    private readonly waitingMax: number,
  ) {
    this.#free = inWorkMax;
  }

  /** @returns the leave, to be called once the batch is answered; null when there is no place even to wait */
  async enter(): Promise<(() => void) | null> {
    if (this.#free > 0) this.#free--;
    else if (this.#waiting.length >= this.waitingMax) return null;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}
