import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The results of the calls in one stretch of time. */
export interface Calls {
  readonly ms: number[];
  refused: number;
}

export interface Stretch {
  readonly batches: Calls;
  readonly reads: Calls;
  events: number;
}

const emptyStretch = (): Stretch => ({
  batches: { ms: [], refused: 0 },
  reads: { ms: [], refused: 0 },
  events: 0,
});

const AGAIN_MS = 500;

/** Asks the service, on connections that stay open. */
export class Caller {
  readonly #agent = new http.Agent({ keepAlive: true });

  constructor(private readonly url: string) {}

  /** @returns status 0 where there was no answer */
  ask(method: string, path: string, key: string, body?: Buffer): Promise<{ status: number; text: string }> {
    return new Promise((resolve) => {
      const none = () => resolve({ status: 0, text: '' });
      const headers = { 'X-Api-Key': key, ...(body && { 'Content-Type': 'application/json' }) };
      const request = http.request(this.url + path, { method, agent: this.#agent, headers });
      request.once('error', none);
      request.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('error', none);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface TenantCalls {
  readonly tenantId: string;
  readonly agentKey: string;
  readonly readKey: string;
}

/** One tenant's agent and reader, each with one request at a time, at the rates that `run` is given. */
export class Lane {
  /** Events that the service said it has stored. */
  acknowledged = 0;
  #stretch = emptyStretch();
  #isOver = false;

  constructor(
    private readonly caller: Caller,
    readonly tenant: TenantCalls,
    private readonly batches: Iterator<{ readonly body: Buffer; readonly events: number }>,
    private readonly paths: readonly string[],
  ) {}

  /** @param seconds between the beginnings of two batches, and of two reads */
  async run(every: { readonly batch: number; readonly read: number }): Promise<void> {
    this.#isOver = false;
    let n = 0;
    await Promise.all([
      this.#repeat(every.batch, () => this.send()),
      this.#repeat(every.read, () => this.#read(this.paths[n++ % this.paths.length] ?? '')),
    ]);
  }

  stop(): void {
    this.#isOver = true;
  }

  /** @returns the results since the last look */
  look(): Stretch {
    const stretch = this.#stretch;
    this.#stretch = emptyStretch();
    return stretch;
  }

  /** Sends the next batch until it is acknowledged, as an agent does. */
  async send(): Promise<void> {
    const next = this.batches.next();
    if (next.done) throw new Error('the made events are used up before the time is over');
    for (;;) {
      const { batches } = this.#stretch;
      const startMs = performance.now();
      const { text } = await this.caller.ask('POST', '/graphql', this.tenant.agentKey, next.value.body);
      if (storedOf(text) === next.value.events) {
        batches.ms.push(performance.now() - startMs);
        this.#stretch.events += next.value.events;
        this.acknowledged += next.value.events;
        return;
      }
      batches.refused++;
      await sleep(AGAIN_MS);
    }
  }

  async #read(path: string): Promise<void> {
    const { reads } = this.#stretch;
    const startMs = performance.now();
    const { status } = await this.caller.ask('GET', path, this.tenant.readKey);
    if (status === 200) reads.ms.push(performance.now() - startMs);
    else reads.refused++;
  }

  async #repeat(seconds: number, work: () => Promise<void>): Promise<void> {
    // No two lanes begin at the same moment.
    await sleep(seconds * 1000 * Math.random());
    while (!this.#isOver) {
      const nextMs = performance.now() + seconds * 1000;
      await work();
      await sleep(Math.max(0, nextMs - performance.now()));
    }
  }
}

/** How many events of a batch are stored now, including those that an attempt without an answer has stored. */
function storedOf(text: string): number | undefined {
  try {
    const receipt = JSON.parse(text).data.ingestAuditEvents;
    return receipt.accepted + receipt.duplicates;
  } catch {
    return undefined;
  }
}
