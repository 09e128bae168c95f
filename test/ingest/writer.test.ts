import { Client } from 'pg';
import type { CheckedEvent } from '../../src/store/bytes/checked-event';
import { describeOnPostgres, ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { waitersOn } from '../support/lock-waiters';
import { Store } from '../support/store';
import { World } from '../support/world';

const many = (count: number) => Array.from({ length: count }, () => ({}));

describe.each(ENGINES)('storing a batch on %s', (engine) => {
  let base: Store;
  let store: Store;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  beforeEach(async () => {
    store = await base.forNewTenant();
  });
  afterAll(() => base.close());

  it('stores each event exactly once, however often it is sent', async () => {
    const batch = store.checked(many(50));
    expect(await store.insert(batch)).toBe(50);
    expect(await store.insert(batch)).toBe(0);
    expect(await store.insert([...batch, ...store.checked(many(3))])).toBe(3);
    expect(await store.count()).toBe(53);
  });

  it('stores an event once if a batch has it several times', async () => {
    const [event, other] = store.checked(many(2));
    expect(await store.insert([event, other, event, event].flatMap((e) => e ?? []))).toBe(2);
    expect(await store.count()).toBe(2);
  });

  it('keeps an event as it was first stored: a repeated event changes nothing', async () => {
    const [event] = store.checked(many(1));
    if (!event) throw new Error('no event');
    await store.insert([event]);
    await store.insert([{ ...event, record: { ...event.record, statement: 'DROP TABLE audit' } }]);
    const [stored] = await store.query<{ statement: string }>(
      'SELECT statement FROM audit_event WHERE record_id = $1::uuid',
      event.recordId,
    );
    expect(stored?.statement).toBe(event.record.statement);
  });

  it('keeps the events of tenants apart, even at the same position of the same file', async () => {
    const other = await base.forNewTenant();
    const batch = store.checked(many(5));
    await store.insert(batch);
    expect(await other.insert(batch)).toBe(5);
    expect(await store.insert(batch)).toBe(0);
    expect([await store.count(), await other.count()]).toEqual([5, 5]);
  });

  it('stores nothing for a tenant that does not exist, and fails instead of acknowledging', async () => {
    await expect(store.writer.insert(2_000_000, store.checked(many(1)))).rejects.toMatchObject({
      code: 'internal_error',
      cause: expect.objectContaining({ message: expect.stringContaining('2000000 does not exist') }),
    });
    expect(await store.query('SELECT 1 FROM audit_event WHERE tenant_id = 2000000')).toEqual([]);
  });

  it('stores texts of the greatest length and with any characters that the check permits', async () => {
    const halves = () => String.fromCharCode(0xd800 + Math.floor(Math.random() * 0x800));
    const name = (make: () => string) => Array.from({ length: 512 }, make).join('');
    const names = [
      name(halves),
      name(() => '\0'),
      '\u{10FFFF}'.repeat(256),
      name(() => randomUnit()),
      "'; DROP TABLE tenant--",
    ];
    const batch = store.checked(
      names.map((text) => ({ serverPrincipalName: text, databaseName: text, statement: text.repeat(100) })),
    );
    expect(await store.insert(batch)).toBe(names.length);
    expect(await store.insert(batch)).toBe(0);
  });

  it('stores the largest batch', async () => {
    const statement = 'SELECT * FROM dbo.Employees WHERE id = 1 -- '.padEnd(600, 'x');
    const batch = store.checked(Array.from({ length: 5_000 }, () => ({ statement })));
    expect(await store.insert(batch)).toBe(5_000);
    expect(await store.insert(batch)).toBe(0);
  });
});

const randomUnit = () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 0x5000));

describeOnPostgres('two instances on one PostgreSQL', () => {
  it('store each event once when both receive the same batches at the same time, in any order', async () => {
    const one = await Store.open('postgresql');
    const two = await Store.on(one.place, one.tenantId);
    const batches = Array.from({ length: 8 }, (_, i) =>
      one.checked(Array.from({ length: 300 }, () => ({ eventTime: `20${10 + i}-05-05T00:00:00Z` }))),
    );
    const counts = await Promise.all(
      batches.flatMap((batch) => [
        one.insert(batch),
        two.insert(batch.toReversed()),
        one.insert(batch),
        two.insert(batch),
      ]),
    );
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(8 * 300);
    expect(await one.count()).toBe(8 * 300);
    await two.disconnect();
    await one.close();
  });

  it('store overlapping batches in one order, so that they cannot deadlock', async () => {
    const one = await Store.open('postgresql');
    const two = await Store.on(one.place, one.tenantId);
    const [first, held, last] = one
      .checked(many(3))
      .toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1)) as [CheckedEvent, CheckedEvent, CheckedEvent];
    await one.insert([held]);
    const blocker = new Client({ connectionString: one.place.databaseUrl ?? '' });
    await blocker.connect();
    try {
      // Both reach the middle event while it is being removed, after each has stored its own first event.
      await blocker.query('BEGIN');
      await blocker.query('DELETE FROM audit_event WHERE record_id = $1', [held.recordId]);
      const forwards = one.insert([first, held, last]);
      await waitersOn(blocker, 1);
      const backwards = two.insert([last, held, first]);
      await waitersOn(blocker, 2);
      await blocker.query('COMMIT');
      const receipts = await Promise.allSettled([forwards, backwards]);
      expect(receipts).toEqual([3, 0].map((value) => ({ status: 'fulfilled', value })));
    } finally {
      await blocker.end();
      await two.disconnect();
      await one.close();
    }
  });

  it('give a receipt only for events that other connections can already read', async () => {
    const world = await World.open('postgresql');
    const client = new Client({ connectionString: world.database.databaseUrl ?? '' });
    await client.connect();
    const acme = await world.tenant();
    for (let stored = 0; stored < 200; stored += 10) {
      const { accepted } = await acme.ingest(Array.from({ length: 10 }, () => anEvent()));
      const { rows } = await client.query('SELECT count(*)::int AS n FROM audit_event');
      expect([accepted, rows[0].n]).toEqual([10, stored + 10]);
    }
    await client.end();
    await world.close();
  });
});
