import type { Clock } from './clock';

/** More texts than a service has ways to fail. If there are more, the same text hardly comes again. */
const TEXTS_MAX = 10;

/** Keeps lasting problems from filling the log: the same text is due again only after a while. */
export class Occasionally {
  /** When each text was last logged, the oldest first. */
  private readonly said = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly everyMs: number,
  ) {}

  isDue(text: string): boolean {
    const nowMs = this.clock.elapsed();
    const saidAtMs = this.said.get(text);
    if (saidAtMs !== undefined && nowMs - saidAtMs < this.everyMs) return false;
    this.said.delete(text);
    this.said.set(text, nowMs);
    const [oldest = text] = this.said.keys();
    if (this.said.size > TEXTS_MAX) this.said.delete(oldest);
    return true;
  }

  /** @returns whether a text was logged since the last reset, so that its end is worth a line too */
  reset(): boolean {
    const wasSaid = this.said.size > 0;
    this.said.clear();
    return wasSaid;
  }
}
