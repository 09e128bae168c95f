import type { Clock } from './clock';

/** Problems that come in turn, one for each way a service can fail; texts beyond that are hardly the same ones again. */
const TEXTS_MAX = 10;

/** Keeps standing problems from filling the log: the same text is due again only after a while. */
export class Occasionally {
  /** When each text was last said, the oldest first. */
  private readonly said = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly everyMs: number,
  ) {}

  isDue(text: string): boolean {
    const nowMs = this.clock.now();
    const saidAtMs = this.said.get(text);
    if (saidAtMs !== undefined && nowMs - saidAtMs < this.everyMs) return false;
    this.said.delete(text);
    this.said.set(text, nowMs);
    const [oldest = text] = this.said.keys();
    if (this.said.size > TEXTS_MAX) this.said.delete(oldest);
    return true;
  }

  /** Whether something was said since the last reset: then its end is worth a line too. */
  reset(): boolean {
    const wasSaid = this.said.size > 0;
    this.said.clear();
    return wasSaid;
  }
}
