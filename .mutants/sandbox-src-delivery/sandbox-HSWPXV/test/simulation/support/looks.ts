import type { Signal } from './probe';

/** After this many looks at the audit folder, the agent cannot have missed what was there before the first. */
const LOOKS_TO_SEE = 4;

/** How often one run of an agent has looked at the audit folder, and in which state. */
export class Looks {
  private readonly all: number[] = [];
  /** The last looks after each of which the agent reads what it saw before it looks again. */
  private readonly free: number[] = [];
  /** The last looks in a delivery that took so long that the agent copies what it cannot publish. */
  private readonly stuck: number[] = [];
  /** Start times of the deliveries that have not ended; they end in the order of their starts. */
  private readonly deliveringMs: number[] = [];
  private isBlocked = false;

  constructor(private readonly spoolAfterMs: number) {}

  note({ kind, atMs }: Signal): void {
    if (kind === 'look') this.noteLook(atMs);
    if (kind === 'delivering') this.deliveringMs.push(atMs);
    if (kind === 'delivered') this.deliveringMs.shift();
    if (kind === 'blocked') this.isBlocked = true;
    if (kind === 'free') this.isBlocked = false;
  }

  hasLooked(sinceMs: number): boolean {
    return isAfter(this.all, sinceMs);
  }

  hasRead(sinceMs: number): boolean {
    return isAfter(this.free, sinceMs);
  }

  hasSpooled(sinceMs: number): boolean {
    return isAfter(this.stuck, sinceMs);
  }

  /** The looks for a person who studies a failure, in seconds of the minute. */
  describe(): string {
    const seconds = (times: readonly number[]) => times.map((atMs) => ((atMs % 60_000) / 1000).toFixed(3));
    return `free looks ${seconds(this.free)}, stuck ${seconds(this.stuck)}`;
  }

  private noteLook(atMs: number): void {
    keep(this.all, atMs);
    if (!this.isBlocked) keep(this.free, atMs);
    const [oldestMs] = this.deliveringMs;
    if (oldestMs !== undefined && atMs - oldestMs > this.spoolAfterMs) keep(this.stuck, atMs);
  }
}

function keep(times: number[], atMs: number): void {
  times.push(atMs);
  if (times.length > LOOKS_TO_SEE) times.shift();
}

const isAfter = (times: readonly number[], sinceMs: number): boolean =>
  times.length === LOOKS_TO_SEE && times.every((atMs) => atMs > sinceMs);
