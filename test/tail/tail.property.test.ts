import fc from 'fast-check';
import { Client } from 'pg';
import { LIMITS } from '../../src/limits';
import { CursorSeal } from '../../src/modules/tail/cursor';
import { Tail } from '../../src/modules/tail/tail';
import type { CheckedEvent } from '../../src/store/bytes/checked-event';
import { GoneBeginnings } from '../../src/store/log/arrivals/gone-beginning';
import { GoneSeal } from '../../src/store/log/arrivals/gone-seal';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { tenantSet } from '../../src/tenant-set';
import { LogTrial } from '../evidence/support';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES, type EngineName } from '../support/engines';
import { testEpoch } from '../support/epoch';
import { casesOf, SEED } from '../support/share';
import { Store } from '../support/store';
import { until } from '../support/until';

const SEAL = new GoneSeal([TEST_CHECKPOINT_KEY]);
const CASES = casesOf(__filename);
jest.setTimeout(600_000);

type Step =
  | {
      readonly kind: 'arrive';
      readonly tenant: number;
      readonly hours: readonly number[];
      readonly again: number;
      readonly kill: number | null;
    }
  | {
      readonly kind: 'sequence';
      readonly instance: number;
      readonly together: boolean;
      readonly kill: number | null;
    }
  | { readonly kind: 'look' }
  | { readonly kind: 'retain'; readonly tenant: number; readonly before: number }
  | { readonly kind: 'read'; readonly reader: number; readonly limit: number };

const HOURS = 24;
const tenant = fc.nat({ max: 1 });
/** How many times to query the database before the step is killed; null: the step runs to its end. */
const kill = fc.option(fc.nat({ max: 40 }), { freq: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('arrive' as const),
      tenant,
      again: fc.nat({ max: 5 }),
      kill,
      hours: fc.array(fc.nat({ max: HOURS - 1 }), { minLength: 1, maxLength: 40 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('sequence' as const),
      instance: tenant,
      together: fc.boolean(),
      kill,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('retain' as const),
      tenant,
      before: fc.nat({ max: HOURS - 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      reader: fc.nat({ max: 3 }),
      limit: fc.integer({ min: 1, max: 60 }),
    }),
  },
);

/** For each reader: its tenants (by index) and its filters. */
const READERS = [
  { tenants: [0], filters: {} },
  { tenants: [0, 1], filters: {} },
  { tenants: [1, 0], filters: { actionId: 'UP' } },
  { tenants: [1], filters: { filter: 'statement:update OR actionId:SL', succeeded: false } },
] as const;

/** Ends every open transaction: to the database, the instance that held it has died. */
class Killer {
  killed = 0;

  private constructor(private readonly client: Client) {}

  static async on(store: Store): Promise<Killer> {
    const client = new Client({
      connectionString: store.place.migrationDatabaseUrl ?? store.place.databaseUrl ?? '',
    });
    await client.connect();
    return new Killer(client);
  }

  kill = async (): Promise<void> => {
    // Waits until the backends have ended, so that the next step does not get a connection that is about to end.
    const { rowCount } = await this.client.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`);
    this.killed += rowCount ?? 0;
  };

  end = () => this.client.end();
}

const epoch = testEpoch();

/** One random history of two tenants, and four readers who keep nothing but their cursor. */
class Story {
  readonly sent: CheckedEvent[][] = [[], []];
  readonly removed = new Set<string>();
  readonly cursors: (string | null)[] = READERS.map(() => null);
  readonly seen: string[][] = READERS.map(() => []);
  readonly missed: number[] = READERS.map(() => 0);

  constructor(
    private readonly stores: readonly [Store, Store],
    private readonly instances: readonly LogTrial[],
    /** Null where the engine runs in this process: killing a part of it would kill all of it. */
    private readonly killer: (() => Promise<void>) | null,
    private readonly gone: GoneBeginnings,
  ) {}

  async do(one: Step): Promise<void> {
    if (one.kind === 'arrive') await this.#arrive(one);
    else if (one.kind === 'sequence') await this.#sequence(one);
    else if (one.kind === 'retain') await this.#retain(one);
    else if (one.kind === 'look') await this.gone.run();
    else await this.read(one.reader, one.limit);
  }

  /** Kills the instance during `work` or just after it: `work` is then undone, or done. */
  async #untilKilled(work: () => Promise<unknown>, after: number | null): Promise<void> {
    if (!this.killer || after === null) {
      await work();
      return;
    }
    let isOver = false;
    const done = work()
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    for (let look = 0; look < after && !isOver; look++) await this.stores[0].query('SELECT 1');
    await this.killer();
    await done;
  }

  async #arrive({ tenant: at, hours, again, kill: after }: Extract<Step, { kind: 'arrive' }>): Promise<void> {
    const store = this.stores[at] as Store;
    const sent = this.sent[at] as CheckedEvent[];
    const fresh = store.checked(
      hours.map((hour, i) => ({
        eventTime: `2026-01-05T${String(hour).padStart(2, '0')}:${String(i).padStart(2, '0')}:00.0000000Z`,
        actionId: i % 3 ? 'SL' : 'UP',
        succeeded: i % 2 === 0,
        statement: i % 5 ? 'SELECT 1' : 'UPDATE t',
      })),
    );
    const known = sent.filter(({ recordId }) => !this.removed.has(recordId)).slice(0, again);
    const batch = [...known, ...fresh];
    await this.#untilKilled(() => store.insert(batch), after);
    // An agent without a receipt sends the batch again until it has one. The pool may still hold killed connections.
    const isReceived = () =>
      store.insert(batch).then(
        () => true,
        () => false,
      );
    if (this.killer && after !== null) await until(isReceived, (yes) => yes);
    sent.push(...fresh);
  }

  /** Runs one sequencer, or both at once. Of two, the slower one finds the work done and leaves it. */
  async #sequence({ instance, together, kill: after }: Extract<Step, { kind: 'sequence' }>): Promise<void> {
    const rounds = this.instances.map((trial, i) => ({ trial, works: i === instance || together }));
    await this.#untilKilled(async () => {
      const runs = rounds.filter(({ works }) => works).map(({ trial }) => trial.sequencer.run());
      for (const run of await Promise.allSettled(runs)) if (run.status === 'rejected') throw run.reason;
    }, after);
  }

  async #retain({ tenant: at, before }: Extract<Step, { kind: 'retain' }>): Promise<void> {
    const store = this.stores[at] as Store;
    const hour = String(before).padStart(2, '0');
    const time = `2026-01-05T${hour}:00:00.000Z`;
    const floor = (Date.parse(time) * 1).toString(16).padStart(12, '0');
    const id = `${floor.slice(0, 8)}-${floor.slice(8)}-8000-8000-000000000000`;
    const rows = await store.query<{ record_id: string }>(
      'DELETE FROM audit_event WHERE tenant_id = $1 AND record_id < $2::uuid RETURNING record_id::text',
      ...[store.tenantId, id],
    );
    for (const { record_id } of rows) this.removed.add(record_id);
    if (rows.length > 0)
      await store.query(
        `INSERT INTO retention_run (tenant_id, run_id, retention_days, events, from_time, to_time, partitions, started_at, ended_at)
         VALUES ($1, gen_random_uuid(), 1, $2::bigint, '2026-01-05', $3::timestamptz, '{}', now(), now())`,
        ...[store.tenantId, rows.length, new Date(time)],
      );
  }

  /** Uses a new instance each time: the story's own instances leave a tenant alone for a while after a failure. */
  async #takeInAll(): Promise<void> {
    const { memory } = this.instances[0] as LogTrial;
    const waiting = async () => {
      await new LogTrial(this.stores[0], undefined, {}, memory).run();
      const ids = this.stores.map(({ tenantId }) => tenantId);
      return this.stores[0].query(
        'SELECT 1 FROM audit_log_queue WHERE tenant_id = ANY($1::int[]) LIMIT 1',
        ids,
      );
    };
    // On a cluster, a node ends a killed transaction somewhat later.
    await until(waiting, (rows) => rows.length === 0);
  }

  /** Uses a new instance each time: nothing but the cursor is kept between reads. */
  async read(reader: number, limit: number): Promise<boolean> {
    const { tenants, filters } = READERS[reader] as (typeof READERS)[number];
    const { service } = this.stores[0].database;
    const tail = new Tail({
      reader: new PostgresArrivalReader(service, Date.now, SEAL),
      news: { wait: async () => null },
      epoch,
      seal: new CursorSeal({ epoch, formerKeys: [], nowMs: Date.now }),
      fairShare: { run: (_asker, work) => work() },
      waitingPlaces: { take: async () => () => {} },
      listSources: async () => [],
    });
    const cursor = this.cursors[reader] ?? null;
    const page = await tail.read({
      tenants: tenantSet(tenants.map((at) => this.stores[at].tenantId)),
      holder: 'key',
      filters: filters as never,
      limit,
      cursor,
      from: cursor === null ? 'beginning' : null,
      waitSeconds: 0,
      withSources: false,
      gone: new AbortController().signal,
      whileWaiting: (wait) => wait(),
      asTexts: limit % 2 === 0,
    });
    this.cursors[reader] = page.nextCursor;
    this.missed[reader] = (this.missed[reader] ?? 0) + page.removed;
    const ids = page.items.map((item) => ('event' in item ? item.event : JSON.parse(item.json)).recordId);
    this.seen[reader]?.push(...ids);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    return page.caughtUp;
  }

  async end(): Promise<void> {
    await this.#takeInAll();
    for (const [reader, { tenants, filters }] of READERS.entries()) {
      while (!(await this.read(reader, LIMITS.tailEventsMax)));
      const all = tenants.flatMap((at) => this.sent[at] as CheckedEvent[]);
      const wanted = all.filter(({ record }) => {
        if ('actionId' in filters) return record.actionId === filters.actionId;
        if ('filter' in filters)
          return !record.succeeded && (/update/i.test(record.statement ?? '') || record.actionId === 'SL');
        return true;
      });
      const seen = this.seen[reader] ?? [];
      expect(new Set(seen).size).toBe(seen.length);
      const ids = new Set(wanted.map(({ recordId }) => recordId));
      expect(seen.filter((id) => !ids.has(id))).toEqual([]);
      expect([...ids].filter((id) => !this.removed.has(id) && !seen.includes(id))).toEqual([]);
      if (Object.keys(filters).length === 0)
        expect(seen.length + (this.missed[reader] ?? 0)).toBe(all.length);
    }
  }
}

describe.each(ENGINES)('readers of the tail on %s', (engine: EngineName) => {
  let base: Store;
  let killer: Killer | null = null;
  beforeAll(async () => {
    base = await Store.open(engine);
    killer = engine === 'embedded' ? null : await Killer.on(base);
  });
  afterAll(async () => {
    await killer?.end();
    await base.close();
  });

  it('return each matching event exactly once and skip none, while events arrive late, arrive twice and are removed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const stores = [await base.forNewTenant(), await base.forNewTenant()] as const;
        // The embedded engine has one connection, so it gets one instance.
        const other = engine === 'embedded' ? null : await Store.on(base.place, stores[0].tenantId);
        const first = new LogTrial(stores[0]);
        const instances = [first, ...(other ? [new LogTrial(other, undefined, {}, first.memory)] : [])];
        const { migrator, owner } = stores[0].database;
        const gone = new GoneBeginnings(migrator, new PostgresArrivalReader(owner, Date.now, SEAL), SEAL);
        const story = new Story(stores, instances, killer?.kill ?? null, gone);
        try {
          for (const one of steps) await story.do(one);
          await story.end();
        } finally {
          await other?.disconnect();
        }
      }),
      { numRuns: CASES, seed: SEED },
    );
    if (killer) expect(killer.killed).toBeGreaterThan(0);
  });
});
