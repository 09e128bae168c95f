import fc from 'fast-check';
import { ADVISORY_LOCKS } from '../../src/database/advisory-locks';
import { formatTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { ticksOfRecordId } from '../../src/event/record-id';
import { Partitions } from '../../src/store/rows/partitions';
import { ENGINES } from '../support/engines';
import { Store, writerOn } from '../support/store';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const MONDAY_MS = 4 * DAY_MS;
/** Years are of 52 weeks. */
const YEAR_MS = 52 * WEEK_MS;
/** The name of a week's partition, by its Monday in UTC: `audit_event_20260105`. */
function partitionOf(eventTime: string): string {
  const ms = Date.parse(eventTime);
  const daysSinceMonday = (new Date(ms).getUTCDay() + 6) % 7;
  return `audit_event_${new Date(ms - daysSinceMonday * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** SQL: the partition of a row. A distributed one has parts, whose names end with their numbers. */
const PARTITION = `substring(tableoid::regclass::text FROM '^audit_event_(?:[0-9]{8}(?:_year)?|[a-z]+)')`;

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

  it('are made on demand for any week of the last ten years, and hold exactly the events of their week', async () => {
    const anyTime = fc.integer({ min: Date.now() - 9 * YEAR_MS, max: Date.now() + DAY_MS - 1 });
    const random = fc.sample(anyTime, 40).map((ms, i) => formatTicks(BigInt(ms) * TICKS_PER_MS + BigInt(i)));
    const edges = ['2020-02-29T12:00:00.0000000Z', '2023-12-31T23:59:59.9999999Z'];
    const monday = '2024-01-01T00:00:00.0000000Z';
    const times = [...random, ...edges, monday, new Date(Date.now() + DAY_MS - 60_000).toISOString()];
    const events = store.checked(times.map((eventTime) => ({ eventTime })));
    expect(await store.insert(events)).toBe(times.length);
    const rows = await store.query<{ partition: string; record_id: string }>(
      `SELECT ${PARTITION} AS partition, record_id::text FROM audit_event WHERE tenant_id = $1`,
      store.tenantId,
    );
    expect(rows).toHaveLength(times.length);
    for (const { partition, record_id } of rows) {
      expect(partition).toBe(partitionOf(`${formatTicks(ticksOfRecordId(record_id)).slice(0, 23)}Z`));
    }
  });

  it('are made ahead for this week and the next two', async () => {
    const now = Date.now();
    await store.partitions.ensureAhead();
    await store.partitions.ensureAhead();
    const names = await partitions();
    for (const week of [0, 1, 2]) {
      expect(names).toContain(partitionOf(new Date(now + week * WEEK_MS).toISOString()));
    }
  });

  it('are made again when an event needs them after they were dropped from outside', async () => {
    const eventTime = '2018-06-15T10:00:00Z';
    await store.insert(store.checked([{ eventTime }]));
    await store.database.migrator.models.$executeRawUnsafe(`DROP TABLE ${partitionOf(eventTime)}`);
    expect(await store.insert(store.checked([{ eventTime }, { eventTime: '2018-06-30T00:00:00Z' }]))).toBe(2);
    expect(await partitions()).toContain(partitionOf(eventTime));
  });

  it('can be made by two instances at the same time', async () => {
    const times = Array.from({ length: 12 }, (_, i) => `2019-${String(i + 1).padStart(2, '0')}-10T00:00:00Z`);
    const other = engine === 'postgresql' ? await Store.on(store.place, store.tenantId) : null;
    const makers = [store.partitions, other?.partitions ?? new Partitions(store.database.migrator)];
    await Promise.all([...makers, ...makers].map((maker) => maker.ensureFor(times.map(Date.parse))));
    await other?.disconnect();
    expect(await partitions()).toEqual(expect.arrayContaining(times.map(partitionOf)));
  });

  it('are made under the lock that a build before this one takes', async () => {
    const [row] = await store.query<{ hash: number }>(`SELECT hashtext('audit_event') AS hash`);
    expect(row?.hash).toBe(ADVISORY_LOCKS.newPartitions);
  });

  describe('of times that are far away', () => {
    const NOW = Date.parse('2026-11-25T10:00:00Z');
    let own: Store;
    /** Moves on as the test says. */
    let ms: number;
    beforeEach(async () => {
      own = await store.renewed();
      ms = NOW;
    });
    const made = () => new Partitions(own.database.migrator, () => ms);
    const put = (times: readonly string[], writer = writerOn(own.database, made())) =>
      writer.insert(own.tenantId, own.checked(times.map((eventTime) => ({ eventTime }))));
    const held = () =>
      own.query<{ partition: string; n: number }>(
        `SELECT ${PARTITION} AS partition, count(*)::int AS n FROM audit_event GROUP BY 1 ORDER BY 1`,
      );
    /** The first moment of the year of 52 weeks that a time lies in. */
    const yearStart = (at: number) => MONDAY_MS + Math.floor((at - MONDAY_MS) / YEAR_MS) * YEAR_MS;
    const nameOfYear = (at: number) =>
      `audit_event_${new Date(yearStart(at)).toISOString().slice(0, 10).replaceAll('-', '')}_year`;
    const iso = (at: number) => new Date(at).toISOString();

    it('are a few, whatever times agents send: one for a year, and one each for everything before and after', async () => {
      const far = Array.from({ length: 400 }, (_, i) => iso(Date.parse('1970-01-01') + i * 20 * YEAR_MS));
      const years = Array.from({ length: 60 }, (_, i) => iso(Date.parse('1985-01-01') + i * YEAR_MS));
      expect(await put([...far, ...years, '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.9999999Z'])).toBe(462);
      const names = (await held()).map(({ partition }) => partition);
      expect(names).toEqual(expect.arrayContaining(['audit_event_earlier', 'audit_event_later']));
      expect(names.length).toBeLessThan(70);
      expect(names.filter((name) => name.endsWith('_year')).length).toBeGreaterThan(30);
      expect((await held()).reduce((sum, { n }) => sum + n, 0)).toBe(462);
    });

    it('become weeks when their year comes, with every event, also when two instances divide it', async () => {
      const start = yearStart(NOW) + YEAR_MS;
      const times = [start, start + 3 * WEEK_MS, start + YEAR_MS - 1];
      await put(times.map(iso));
      expect(await held()).toEqual([{ partition: nameOfYear(start), n: 3 }]);
      ms = start - 15 * DAY_MS;
      await made().ensureAhead();
      expect(await held()).toEqual([{ partition: nameOfYear(start), n: 3 }]);
      ms = start - 14 * DAY_MS;
      await Promise.all([made().ensureAhead(), made().ensureAhead()]);
      expect(await held()).toEqual(times.map((at) => ({ partition: partitionOf(iso(at)), n: 1 })));
      expect(await put([iso(start + 5 * WEEK_MS)])).toBe(1);
      expect(await partitions()).toContain(partitionOf(iso(start + 5 * WEEK_MS)));
    });

    it('keep a year together that has too many events to move them, and take further events of it', async () => {
      const start = yearStart(NOW) + YEAR_MS;
      await put(Array.from({ length: 5_001 }, (_, i) => iso(start + i)));
      ms = start;
      await made().ensureAhead();
      expect(await put([iso(start + WEEK_MS)])).toBe(1);
      expect(await held()).toEqual([{ partition: nameOfYear(start), n: 5_002 }]);
    });

    it('stay weeks in a year that has weeks, when the clock of an instance is years behind', async () => {
      ms = NOW;
      await put([iso(NOW)]);
      ms = NOW - 5 * YEAR_MS;
      await put([iso(NOW + WEEK_MS)]);
      expect((await held()).map(({ partition }) => partition)).toEqual(
        [NOW, NOW + WEEK_MS].map((at) => partitionOf(iso(at))),
      );
    });
  });
});
