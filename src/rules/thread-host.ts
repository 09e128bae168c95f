import { AskedThread } from '../asked-thread';
import { type EngineHost, LocalHost, type RuleSource } from './host';

/** Memory for all engines of one host, in addition to the service's own. */
const HEAP_MB = 150;
/** Work should take about a quarter of a second. A question unanswered for this long comes from a rule that does not end. */
const SILENCE_MS = 30_000;

/** Runs engines on a separate thread. Callers open their engines again after a failure. */
class ThreadHost implements EngineHost {
  readonly #thread: AskedThread;

  constructor(heapMb: number, silenceMs: number, given: readonly RuleSource[]) {
    this.#thread = new AskedThread({ file: `${__dirname}/thread.js`, heapMb, silenceMs, given });
  }

  ready(): Promise<void> {
    return this.#thread.ready();
  }

  open(...values: Parameters<EngineHost['open']>) {
    return this.#thread.ask<Awaited<ReturnType<EngineHost['open']>>>('open', values);
  }

  learn(...values: Parameters<EngineHost['learn']>) {
    return this.#thread.ask<Awaited<ReturnType<EngineHost['learn']>>>('learn', values);
  }

  evaluate(...values: Parameters<EngineHost['evaluate']>) {
    return this.#thread.ask<Awaited<ReturnType<EngineHost['evaluate']>>>('evaluate', values);
  }

  async forget(tenantId: number): Promise<void> {
    if (this.#thread.isRunning) await this.#thread.ask<void>('forget', [tenantId]);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/**
 * Uses a separate thread in the compiled service. A thread cannot load TypeScript, so without a build engines run here.
 * @param ahead rules that the thread parses when it starts
 */
export const openHost = ({
  heapMb = HEAP_MB,
  silenceMs = SILENCE_MS,
  ahead = [] as readonly RuleSource[],
} = {}): EngineHost =>
  __filename.endsWith('.js') ? new ThreadHost(heapMb, silenceMs, ahead) : new LocalHost();
