import { readFileSync } from 'node:fs';

const POLL_MS = 100;

/** Watches the peak resident memory of a process. The kernel keeps the peak, so none between two polls is missed. */
export class MemoryWatch {
  peakMb: number | null = null;
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly pid: number | undefined) {
    this.read();
    this.#timer = setInterval(() => this.read(), POLL_MS);
    this.#timer.unref();
  }

  read(): number | null {
    try {
      const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8')) ?? [];
      if (kib) this.peakMb = Number(kib) / 1024;
    } catch {
      // The process is gone, or the system has no /proc: the last value stays.
    }
    return this.peakMb;
  }

  stop(): number | null {
    clearInterval(this.#timer);
    return this.read();
  }
}
