import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Calendar } from '../data/calendar';
import { EventSource } from '../data/event-source';
import { sharesOf } from '../data/tenants';
import { bodyOf, Sender } from '../load/sender';

const READ_CONNECTIONS = 16;
const INGEST_CONNECTIONS = 2;
const PATHS = [
  '/api/v1/public/audit-activity?page=1&pageSize=20',
  '/api/v1/public/audit-activity?page=1&pageSize=20&actionId=UP',
  '/api/v1/public/audit-activity/summary',
];

/** Rates per second. Infinity: as fast as answers come; 0: none. */
export interface Rates {
  readonly reads: number;
  readonly batches: number;
}

/** The results of the load since the last look. */
export interface Window {
  readonly readMs: number[];
  readonly batchMs: number[];
  events: number;
  errors: number;
}

const emptyWindow = (): Window => ({ readMs: [], batchMs: [], events: 0, errors: 0 });

/** Reads and batches at once, at given rates. Times count from when a call was due, so they include queueing. */
export class PacedLoad {
  /** Events the service has said it stored, over all. */
  accepted = 0;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: READ_CONNECTIONS });
  readonly #sender: Sender;
  readonly #batches: Iterator<{ readonly key: string; readonly body: Buffer }>;
  #window = emptyWindow();

  constructor(
    private readonly url: string,
    private readonly readKeys: readonly string[],
    agentKeys: readonly string[],
    events: { readonly count: number; readonly calendar: Calendar },
  ) {
    this.#sender = new Sender(url, INGEST_CONNECTIONS);
    this.#batches = batchesOf(agentKeys, events.count, events.calendar);
  }

  async run({ reads, batches }: Rates, seconds: number): Promise<void> {
    const endMs = performance.now() + seconds * 1000;
    let n = 0;
    await Promise.all([
      paced(reads, READ_CONNECTIONS, endMs, (dueMs) => this.#read(n++, dueMs)),
      paced(batches, INGEST_CONNECTIONS, endMs, (dueMs) => this.#send(dueMs)),
    ]);
  }

  /** @returns the results since the last look */
  look(): Window {
    const window = this.#window;
    this.#window = emptyWindow();
    return window;
  }

  close(): void {
    this.#agent.destroy();
    this.#sender.close();
  }

  async #read(n: number, dueMs: number): Promise<void> {
    const status = await this.#get(
      PATHS[n % PATHS.length] ?? '',
      this.readKeys[n % this.readKeys.length] ?? '',
    ).catch(() => 0);
    if (status !== 200) this.#window.errors++;
    this.#window.readMs.push(performance.now() - dueMs);
  }

  #get(path: string, key: string): Promise<number> {
    return new Promise((resolve, reject) => {
      http
        .get(this.url + path, { agent: this.#agent, headers: { 'X-Api-Key': key } }, (response) => {
          response.resume().once('error', reject);
          response.once('end', () => resolve(response.statusCode ?? 0));
        })
        .once('error', reject);
    });
  }

  async #send(dueMs: number): Promise<void> {
    const { value, done } = this.#batches.next();
    if (done) throw new Error('the made events are used up before the time is over');
    const heldBefore = this.#sender.heldBack;
    const accepted = await this.#sender.send(value.key, value.body);
    this.accepted += accepted;
    this.#window.events += accepted;
    this.#window.errors += this.#sender.heldBack - heldBefore;
    this.#window.batchMs.push(performance.now() - dueMs);
  }
}

/** Begins a piece of work whenever one is due, `width` of them at once at most. */
async function paced(
  perSecond: number,
  width: number,
  endMs: number,
  work: (dueMs: number) => Promise<void>,
): Promise<void> {
  if (perSecond === 0) return;
  const startMs = performance.now();
  let n = 0;
  const lane = async () => {
    for (;;) {
      const dueMs = Number.isFinite(perSecond) ? startMs + (n++ * 1000) / perSecond : performance.now();
      if (dueMs > endMs) return;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      await work(dueMs);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}

/** Batches of all tenants in the order of time, made on demand. */
function* batchesOf(keys: readonly string[], count: number, calendar: Calendar) {
  const sources = sharesOf(count).map((share, tenant) => new EventSource(tenant, share, calendar));
  const jobs = sources.flatMap((source, tenant) =>
    Array.from({ length: source.batches }, (_, batch) => ({ source, tenant, batch })),
  );
  jobs.sort((a, b) => a.batch / a.source.batches - b.batch / b.source.batches);
  for (const { source, tenant, batch } of jobs)
    yield { key: keys[tenant] ?? '', body: bodyOf(source.batch(batch)) };
}
