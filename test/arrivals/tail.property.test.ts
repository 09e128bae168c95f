import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { tenantSet } from '../../src/caller/tenant-set';
import { LIMITS } from '../../src/limits';
import { CursorSeal } from '../../src/modules/tail/cursor';
import { Tail } from '../../src/modules/tail/tail';
import { PostgresArrivalReader } from '../../src/trail/arrivals/stored-arrivals';
import type { CheckedEvent } from '../../src/trail/checked-event';
import { LogTrial } from '../evidence/support';
import { ENGINES, type EngineName } from '../support/engines';
import { casesOf, SEED } from '../support/share';
import { Store } from '../support/store';

const CASES = casesOf(__filename);
jest.setTimeout(600_000);

type Step =
  | {
      readonly kind: 'arrive';
      readonly tenant: number;
      readonly hours: readonly number[];
      readonly again: number;
    }
  | { readonly kind: 'sequence'; readonly instance: number; readonly together: boolean }
  | { readonly kind: 'retain'; readonly tenant: number; readonly before: number }
  | { readonly kind: 'read'; readonly reader: number; readonly limit: number };

const HOURS = 24;
const tenant = fc.nat({ max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: fc.constant('arrive' as const), tenant, again: fc.nat({ max: 5 }) },
      hours: fc.array(fc.nat({ max: HOURS - 1 }), { minLength: 1, maxLength: 40 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: fc.constant('sequence' as const), instance: tenant, together: fc.boolean() },
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
  {
    weight: 6,
    arbitrary: fc.record({
      ...{
        kind: fc.constant('read' as const),
        reader: fc.nat({ max: 3 }),
        limit: fc.integer({ min: 1, max: 60 }),
      },
    }),
  },
);

/** Of reader: whose tenants, and what it asks for. */
const READERS = [
  { tenants: [0], filters: {} },
  { tenants: [0, 1], filters: {} },
  { tenants: [1, 0], filters: { actionId: 'UP' } },
  { tenants: [1], filters: { filter: 'statement:update OR actionId:SL', succeeded: false } },
] as const;

const key = createHash('sha256').update('cursor').digest();

/** One story: what happens to two tenants, and four readers who keep nothing but their cursor. */
class Story {
  readonly sent: CheckedEvent[][] = [[], []];
  readonly removed = new Set<string>();
  readonly cursors: (string | null)[] = READERS.map(() => null);
  readonly seen: string[][] = READERS.map(() => []);
  readonly gone: number[] = READERS.map(() => 0);

  constructor(
    private readonly stores: readonly [Store, Store],
    private readonly instances: readonly LogTrial[],
  ) {}

  async do(one: Step): Promise<void> {
    if (one.kind === 'arrive') await this.#arrive(one);
    else if (one.kind === 'sequence') await this.#sequence(one);
    else if (one.kind === 'retain') await this.#retain(one);
    else await this.read(one.reader, one.limit);
  }

  async #arrive({ tenant: at, hours, again }: Extract<Step, { kind: 'arrive' }>): Promise<void> {
    const store = this.stores[at] as Store;
    const sent = this.sent[at] as CheckedEvent[];
    const fresh = store.checked(
      hours.map((hour, i) => ({
        eventTime: `2026-01-05T${String(hour).padStart(2, '0')}:${String(i).padStart(2, '0')}:00.0000000Z`,
        ...{
          actionId: i % 3 ? 'SL' : 'UP',
          succeeded: i % 2 === 0,
          statement: i % 5 ? 'SELECT 1' : 'UPDATE t',
        },
      })),
    );
    const known = sent.filter(({ recordId }) => !this.removed.has(recordId)).slice(0, again);
    await store.insert([...known, ...fresh]);
    sent.push(...fresh);
  }

  /** One instance, or both at once: then one of the two finds that the other was faster, and leaves it at that. */
  async #sequence({ instance, together }: Extract<Step, { kind: 'sequence' }>): Promise<void> {
    const rounds = this.instances.map((trial, i) => ({ trial, works: i === instance || together }));
    await Promise.all(rounds.filter(({ works }) => works).map(({ trial }) => trial.sequencer.run()));
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

  /** By an instance of its own each time: nothing but the cursor lasts. */
  async read(reader: number, limit: number): Promise<boolean> {
    const { tenants, filters } = READERS[reader] as (typeof READERS)[number];
    const { ask } = this.stores[0].database;
    const tail = new Tail({
      reader: new PostgresArrivalReader(ask, this.stores[0].form),
      news: { wait: async () => false },
      seal: new CursorSeal([key]),
      fairShare: { run: (_asker, work) => work() },
      listSources: async () => [],
      nowMs: Date.now,
    });
    const cursor = this.cursors[reader] ?? null;
    const page = await tail.read({
      ...{
        tenants: tenantSet(tenants.map((at) => this.stores[at].tenantId)),
        holder: 'key',
        filters: filters as never,
      },
      ...{ limit, cursor, from: cursor === null ? 'beginning' : null, waitSeconds: 0, withSources: false },
      ...{ gone: new AbortController().signal, whileWaiting: (wait) => wait(), asTexts: limit % 2 === 0 },
    });
    this.cursors[reader] = page.nextCursor;
    this.gone[reader] = (this.gone[reader] ?? 0) + page.removed;
    const ids = page.items.map((item) => ('event' in item ? item.event : JSON.parse(item.json)).recordId);
    this.seen[reader]?.push(...ids);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    return page.caughtUp;
  }

  async end(): Promise<void> {
    for (const trial of this.instances) await trial.run();
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
      if (Object.keys(filters).length === 0) expect(seen.length + (this.gone[reader] ?? 0)).toBe(all.length);
    }
  }
}

describe.each(ENGINES)('readers of the tail on %s', (engine: EngineName) => {
  let base: Store;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  afterAll(() => base.close());

  it('see each event that matches exactly once, whatever arrives late, twice or goes, and nothing is skipped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const stores = [await base.forNewTenant(), await base.forNewTenant()] as const;
        // One connection serves the embedded engine, so one instance.
        const other = engine === 'embedded' ? null : await Store.on(base.place, stores[0].tenantId);
        const first = new LogTrial(stores[0]);
        const instances = [first, ...(other ? [new LogTrial(other, undefined, {}, first.memory)] : [])];
        const story = new Story(stores, instances);
        try {
          for (const one of steps) await story.do(one);
          await story.end();
        } finally {
          await other?.disconnect();
        }
      }),
      { numRuns: CASES, seed: SEED },
    );
  });
});
