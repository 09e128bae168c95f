import fc from 'fast-check';
import { formatTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { ticksOfRecordId } from '../../src/event/record-id';
import { receiveBatch } from '../../src/modules/ingest/receive-batch';
import { Partitions } from '../../src/trail/partitions';
import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { Store } from '../support/store';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const FIRST = Date.parse('1990-01-01T00:00:00Z');
/** The name of a week's partition, by its Monday in UTC: `audit_event_20260105`. */
function partitionOf(eventTime: string): string {
  const ms = Date.parse(eventTime);
  const daysSinceMonday = (new Date(ms).getUTCDay() + 6) % 7;
  return `audit_event_${new Date(ms - daysSinceMonday * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

describe.each(ENGINES)('weekly partitions on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());

  const partitions = async () =>
    (
      await store.query<{ name: string }>(
        `SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'audit_event'::regclass ORDER BY 1`,
      )
    ).map((row) => row.name);

  it('are made on demand for any week from 1990 to tomorrow, and hold exactly the events of their week', async () => {
    const anyTime = fc.integer({ min: FIRST, max: Date.now() + DAY_MS - 1 });
    const random = fc.sample(anyTime, 40).map((ms, i) => formatTicks(BigInt(ms) * TICKS_PER_MS + BigInt(i)));
    const edges = [
      '1990-01-01T00:00:00.0000000Z',
      '2000-02-29T12:00:00.0000000Z',
      '2023-12-31T23:59:59.9999999Z',
    ];
    const monday = '2024-01-01T00:00:00.0000000Z';
    const times = [...random, ...edges, monday, new Date(Date.now() + DAY_MS - 60_000).toISOString()];
    const events = store.checked(times.map((eventTime) => ({ eventTime })));
    expect(await store.insert(events)).toBe(times.length);
    const rows = await store.query<{ partition: string; record_id: string }>(
      'SELECT tableoid::regclass::text AS partition, record_id::text FROM audit_event WHERE tenant_id = $1',
      store.tenantId,
    );
    expect(rows).toHaveLength(times.length);
    for (const { partition, record_id } of rows) {
      expect(partition).toBe(partitionOf(`${formatTicks(ticksOfRecordId(record_id)).slice(0, 23)}Z`));
    }
  });

  it('are made ahead for this week and the next two', async () => {
    const now = Date.now();
    await store.partitions.ensureAhead(now);
    await store.partitions.ensureAhead(now);
    const names = await partitions();
    for (const week of [0, 1, 2]) {
      expect(names).toContain(partitionOf(new Date(now + week * WEEK_MS).toISOString()));
    }
  });

  it('are made again when an event needs them after they were dropped from outside', async () => {
    const eventTime = '2011-06-15T10:00:00Z';
    await store.insert(store.checked([{ eventTime }]));
    await store.database.migrator.$executeRawUnsafe(`DROP TABLE ${partitionOf(eventTime)}`);
    expect(await store.insert(store.checked([{ eventTime }, { eventTime: '2011-06-30T00:00:00Z' }]))).toBe(2);
    expect(await partitions()).toContain(partitionOf(eventTime));
  });

  it('can be made by two instances at the same time', async () => {
    const times = Array.from({ length: 12 }, (_, i) => `1995-${String(i + 1).padStart(2, '0')}-10T00:00:00Z`);
    const other = engine === 'postgresql' ? await Store.on(store.place, store.tenantId) : null;
    const makers = [store.partitions, other?.partitions ?? new Partitions(store.database.migrator)];
    await Promise.all([...makers, ...makers].map((maker) => maker.ensureFor(times.map(Date.parse))));
    await other?.disconnect();
    expect(await partitions()).toEqual(expect.arrayContaining(times.map(partitionOf)));
  });

  it('are not made for dates out of range: such events are rejected, and the rest of their batch is stored', async () => {
    const before = await partitions();
    const events = [
      anEvent({ eventTime: '1989-12-31T23:59:59.9999999Z' }),
      anEvent({ eventTime: '2018-03-03T03:03:03Z' }),
      anEvent({ eventTime: new Date(Date.now() + DAY_MS + 60_000).toISOString() }),
      anEvent({ eventTime: '2018-03-03T03:03:04Z' }),
    ];
    const receipt = await receiveBatch(store.tenantId, { events }, store.writer, Date.now());
    expect(receipt).toMatchObject({
      accepted: 2,
      duplicates: 0,
      rejected: [
        { index: 0, code: 'event_time_out_of_range' },
        { index: 2, code: 'event_time_out_of_range' },
      ],
    });
    // The partition of the two valid events, which an earlier test may have made for a random date.
    const week = 'audit_event_20180226';
    const others = before.filter((name) => name !== week);
    expect((await partitions()).filter((name) => !others.includes(name))).toEqual([week]);
  });
});
