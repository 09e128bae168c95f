import type { Clock } from './clock';

/** What an agent may take from its host, for all databases together. */
export interface PaceBounds {
  /** Bytes of events; 0: as many as it can. */
  readonly bytesPerSecond: number;
  /** Of one processor; 100: no bound. */
  readonly processorPercent: number;
}

/** Bounds what an agent takes from its host. It waits between batches, so it is for seconds and not for moments. */
export class Pace {
  private dueMs = Number.NEGATIVE_INFINITY;
  private lastMs: number;
  private lastCpuMs: number;
  private bytes = 0;

  /** @param cpuMs processor time of the process up to now, in milliseconds */
  constructor(
    private readonly bounds: PaceBounds,
    private readonly clock: Clock,
    private readonly cpuMs: () => number = processCpuMs,
  ) {
    this.lastMs = clock.elapsed();
    this.lastCpuMs = cpuMs();
  }

  /** Resolves when another batch may be published. @param bytes of the batch, which the next one waits for */
  async room(bytes: number, stop: AbortSignal): Promise<void> {
    const { bytesPerSecond, processorPercent } = this.bounds;
    const nowMs = this.clock.elapsed();
    const cpuMs = this.cpuMs();
    const forBytes = bytesPerSecond === 0 ? 0 : (this.bytes * 1_000) / bytesPerSecond;
    const forCpu = processorPercent === 100 ? 0 : ((cpuMs - this.lastCpuMs) * 100) / processorPercent;
    this.dueMs = Math.max(this.dueMs, this.lastMs) + Math.max(forBytes, forCpu);
    [this.lastMs, this.lastCpuMs, this.bytes] = [nowMs, cpuMs, bytes];
    if (this.dueMs > nowMs) await this.clock.wait(this.dueMs - nowMs, stop);
  }
}

function processCpuMs(): number {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1_000;
}
