import type { Clock } from './clock';

/** Keeps a standing problem from filling the log: the same text is due again only after a while. */
export class Occasionally {
  private last: { readonly text: string; readonly atMs: number } | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly everyMs: number,
  ) {}

  isDue(text: string): boolean {
    const atMs = this.clock.now();
    if (this.last?.text === text && atMs - this.last.atMs < this.everyMs) return false;
    this.last = { text, atMs };
    return true;
  }

  /** Whether something was said since the last reset: then its end is worth a line too. */
  reset(): boolean {
    const said = this.last !== null;
    this.last = null;
    return said;
  }
}
