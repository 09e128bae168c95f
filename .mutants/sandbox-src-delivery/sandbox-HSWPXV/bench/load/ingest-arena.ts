import type { Bench } from '../context';
import { Calendar, END_MS } from '../data/calendar';
import { BATCH_EVENTS, EventSource } from '../data/event-source';
import { sharesOf, TENANTS } from '../data/tenants';
import { withClient } from '../processes/databases';
import { type Effort, effortOf, familyMs, processMs } from '../processes/processor-time';
import { createTenant, type Service, startService } from '../processes/service';
import { caughtUp } from './backlog';
import { bodyOf, inParallel, Sender } from './sender';

const TEMPLATE = 'ingest_template';
/** With fewer connections the processors wait, because a batch is in the service or in PostgreSQL, never in both. */
export const CONNECTIONS = 3;
const YEAR_MS = 365 * 86_400_000;
const WARM_UP_EVENTS = 60_000;

interface Batch {
  readonly agentKey: string;
  readonly body: Buffer;
  readonly events: number;
}

export interface IngestRound {
  /** In rows a second. */
  readonly rate: number;
  readonly seconds: number;
  /** From the last receipt until the background tasks had caught up; 0 if the round did not wait for that. */
  readonly lagSeconds: number;
  readonly peakMb: number;
  /** The effort of the whole round. */
  readonly effort: Effort<'service' | 'postgres' | 'sender'>;
}

/** The batches that each round stores, always the same, and empty databases with tenants and partitions for them. */
export class IngestArena {
  private constructor(
    private readonly bench: Bench,
    readonly events: number,
    private readonly batches: readonly Batch[],
    /** Batches sent before a round is timed, to partitions of another year. */
    private readonly warmUp: readonly Batch[],
    /** Makes the same batches, split into smaller ones. */
    private readonly split: (eventsMax: number) => readonly Batch[],
  ) {}

  static async open(bench: Bench, events: number): Promise<IngestArena> {
    const databases = await bench.databases();
    const url = await databases.create(TEMPLATE);
    const service = await startService(bench, url, searchSwitch(false));
    const keys: string[] = [];
    for (let n = 0; n < TENANTS; n++) keys.push((await createTenant(service, `Tenant ${n + 1}`)).agentKey);
    const warmUp = batchesOf(keys, WARM_UP_EVENTS, new Calendar(1, END_MS - YEAR_MS));
    const calendar = Calendar.denseFor(events);
    const batches = batchesOf(keys, events, calendar);
    // To make the partitions before the rounds, everything is stored once here and then removed.
    for (const some of [warmUp, batches]) await sendAll(service, some);
    await withClient(url, async (client) => {
      await caughtUp(client, false);
      await bench.untrack(service.server);
      const { rows } = await client.query(
        `SELECT format('%I', relname) AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
           AND relnamespace = 'public'::regnamespace AND relname ~ '^(audit|search)_'`,
      );
      await client.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')}`);
      await client.query('VACUUM');
    });
    return new IngestArena(bench, events, batches, warmUp, (eventsMax) =>
      batchesOf(keys, events, calendar, eventsMax),
    );
  }

  /** A new database for a round. */
  async database(name: string): Promise<string> {
    return (await this.bench.databases()).create(name, TEMPLATE);
  }

  /**
   * Rows a second through a service just started and warmed up on a database of its own: up to the last receipt, or,
   * with search, until everything is folded and indexed.
   * @param eventsMax of a batch
   */
  async measure(search: boolean, eventsMax = BATCH_EVENTS): Promise<IngestRound> {
    const batches = eventsMax === BATCH_EVENTS ? this.batches : this.split(eventsMax);
    const databases = await this.bench.databases();
    const url = await this.database('ingest_round');
    const service = await startService(this.bench, url, { LOG_LEVEL: 'warn', ...searchSwitch(search) });
    try {
      return await withClient(url, async (client) => {
        await sendAll(service, this.warmUp);
        await caughtUp(client, search);
        await databases.settle();
        const clocks = {
          service: () => processMs(service.server.pid),
          postgres: () => familyMs(this.bench.postgresPid),
          sender: () => processMs(process.pid),
        };
        const { value: lagSeconds, effort } = await effortOf(clocks, async () => {
          const accepted = await sendAll(service, batches);
          if (accepted !== this.events) throw new Error(`${accepted} of ${this.events} events were stored`);
          const received = performance.now();
          if (search) await caughtUp(client, true);
          return (performance.now() - received) / 1000;
        });
        const seconds = effort.wall / 1000;
        return {
          rate: this.events / seconds,
          seconds,
          lagSeconds,
          peakMb: service.server.memory.read() ?? Number.NaN,
          effort,
        };
      });
    } finally {
      await this.bench.untrack(service.server);
      await databases.drop('ingest_round');
    }
  }

  /** Stores everything once in a database that is kept: COPY gets its rows from it. */
  async filled(name: string): Promise<string> {
    const url = await this.database(name);
    const service = await startService(this.bench, url, { LOG_LEVEL: 'warn', ...searchSwitch(false) });
    await sendAll(service, this.batches);
    await this.bench.untrack(service.server);
    return url;
  }
}

const searchSwitch = (on: boolean): Record<string, string> => ({ SEARCH_INDEX: on ? 'on' : 'off' });

function batchesOf(
  keys: readonly string[],
  events: number,
  calendar: Calendar,
  eventsMax = BATCH_EVENTS,
): Batch[] {
  const sources = sharesOf(events).map((count, tenant) => new EventSource(tenant, count, calendar));
  const jobs = sources.flatMap((source, tenant) =>
    Array.from({ length: source.batches }, (_, batch) => ({
      source,
      tenant,
      batch,
      when: batch / source.batches,
    })),
  );
  return jobs
    .sort((a, b) => a.when - b.when)
    .flatMap(({ source, tenant, batch }) =>
      slicesOf(source.events(batch), eventsMax).map((some) => ({
        agentKey: keys[tenant] ?? '',
        body: bodyOf(`[${some.join(',')}]`),
        events: some.length,
      })),
    );
}

const slicesOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

async function sendAll(service: Service, batches: readonly Batch[]): Promise<number> {
  const sender = new Sender(service.server.url, CONNECTIONS);
  let accepted = 0;
  try {
    await inParallel(batches, CONNECTIONS, async ({ agentKey, body }) => {
      const stored = await sender.send(agentKey, body);
      accepted += stored;
    });
  } finally {
    sender.close();
  }
  return accepted;
}
