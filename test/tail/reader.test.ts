import type { Prisma } from '../../src/database/clients';
import { HOUR_MS } from '../../src/event/event-time';
import { toFeedItem } from '../../src/event/formats/feed-item';
import { ticksOfRecordId } from '../../src/event/record-id';
import { LIMITS } from '../../src/limits';
import { toDetectionEvent } from '../../src/rules/arrived';
import type { CheckedEvent } from '../../src/store/bytes/checked-event';
import type { ArrivalLimits, ArrivedEvent } from '../../src/store/log/arrivals/arrival-reader';
import { GoneBeginnings } from '../../src/store/log/arrivals/gone-beginning';
import { GoneSeal } from '../../src/store/log/arrivals/gone-seal';
import { NewArrivals } from '../../src/store/log/arrivals/new-arrivals';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { CheckpointKey, newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';
import { oneTenant } from '../../src/tenant-set';
import { LogTrial, useLog } from '../evidence/support';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { inLayout, layoutsOf } from '../support/doors';
import { ENGINES } from '../support/engines';
import type { Store } from '../support/store';

const SEAL = new GoneSeal([TEST_CHECKPOINT_KEY]);
const MANY: ArrivalLimits = { positions: 100_000, events: 100_000, bytes: 100_000_000 };
const idsOf = (items: readonly ArrivedEvent[]) => items.map(({ event }) => event.recordId);
const sorted = (events: readonly CheckedEvent[]) => events.map(({ recordId }) => recordId).sort();

describe.each(ENGINES)('the reader of arrivals on %s', (engine) => {
  const place = useLog(engine);
  let store: Store;
  let trial: LogTrial;
  let reader: PostgresArrivalReader;
  beforeEach(() => {
    ({ store, trial } = place);
    reader = new PostgresArrivalReader(store.database.service, Date.now, SEAL);
  });
  /** Stores a batch and runs the sequencer. @returns the events, now in the evidence log */
  const arrive = async (count: number, hour = 8, change: object = {}) => {
    const events = store.checked(
      Array.from({ length: count }, (_, i) => ({
        eventTime: `2026-01-05T${String(hour).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}:00.0000000Z`,
        blockOffset: 512 * (i + 1),
        ...change,
      })),
    );
    await store.insert(events);
    await trial.run();
    return events;
  };
  const retained = (events: number) =>
    store.query(
      `INSERT INTO retention_run (tenant_id, run_id, retention_days, events, from_time, to_time, partitions, started_at, ended_at)
       VALUES ($1, gen_random_uuid(), 30, $2::bigint, '2026-01-05', '2026-01-06', '{}', now(), now())`,
      ...[store.tenantId, events],
    );
  const read = (from: number, limits: Partial<ArrivalLimits> = {}) =>
    reader.read(store.tenantId, from, { ...MANY, ...limits });

  it('returns whole events, each at its position, and late events after those that arrived before them', async () => {
    const first = await arrive(700, 8);
    const late = await arrive(300, 3);
    const { items, next, size, removed } = await read(0);
    expect({ next, size, removed }).toEqual({ next: 1_000, size: 1_000, removed: 0 });
    expect(items.map(({ position }) => position)).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
    expect(idsOf(items).slice(0, 700)).toEqual(sorted(first));
    expect(idsOf(items).slice(700)).toEqual(sorted(late));
    expect(items[0]?.event).toMatchObject({
      tenantId: String(store.tenantId),
      statement: 'SELECT * FROM dbo.Employees',
      additional: { sessionId: 55, classType: 'U' },
    });
  });

  it('returns the same events as JSON texts and as the events of rules, whatever characters and numbers they hold', async () => {
    const hostile = `a"b\\\u0000\n\u001f${String.fromCharCode(0xd800)}\u{10F801}\u{10F900}\uFEFF😀é`;
    const additional = {
      [hostile]: hostile,
      classType: 'U',
      sessionId: 55,
      share: -1.5e-7,
      many: 1e21,
      none: null,
    };
    await arrive(3, 8, { statement: `SELECT '${hostile}'`, serverPrincipalName: hostile, additional });
    await arrive(2, 9, { statement: null, additional: {} });
    const { items } = await read(0);
    const [texts] = await reader.readTexts([{ tenantId: store.tenantId, from: 0 }], MANY);
    expect(texts?.items.map(({ position, json }) => ({ position, item: JSON.parse(json) }))).toEqual(
      items.map((item) => ({ position: item.position, item: toFeedItem(item) })),
    );
    const rows = await reader.readRows(store.tenantId, 0, MANY);
    expect(rows.items.map(toDetectionEvent)).toEqual(
      items.map(({ position, event: { additional, ...fields } }) => {
        const { recordId } = fields;
        return { recordId, at: Number(ticksOfRecordId(recordId) / 10n), position, fields, additional };
      }),
    );
    expect(items[0]?.event.serverPrincipalName).toBe(hostile);
    expect(items[0]?.event.additional).toMatchObject({ [hostile]: hostile, many: 1e21 });
  });

  it('counts additional values with their own length, however short they are stored', async () => {
    await arrive(8, 8, { additional: { padding: 'x'.repeat(500_000) } });
    const { items, next, bytes } = await read(0, { bytes: 1_000_000 });
    expect([items.length, next]).toEqual([2, 2]);
    expect(bytes).toBeGreaterThan(1_000_000);
  });

  it('continues where the last read ended, whatever limits cut the reads', async () => {
    const events = await arrive(700);
    const found: string[] = [];
    for (let from = 0; from < 700; ) {
      const { items, next, removed } = await read(from, { events: 97, positions: 61 + (from % 300) });
      expect(removed).toBe(0);
      expect(next).toBe(from + items.length);
      found.push(...idsOf(items));
      from = next;
    }
    expect(found).toEqual(sorted(events));
    expect(await read(700)).toMatchObject({ items: [], next: 700, size: 700 });
    expect(await read(900)).toMatchObject({ items: [], next: 700 });
  });

  it('returns the events of the actions asked for, also when limits cut the reads', async () => {
    const actions = ['LGIF', 'SL', 'Lgif', 'lgif', '\u212a', 'LGI', 'AL'];
    const made = store.checked(
      Array.from({ length: 300 }, (_, i) => ({ blockOffset: 512 * (i + 1), actionId: actions[i % 7] ?? '' })),
    );
    await store.insert(made);
    await trial.run();
    const { items } = await read(0);
    // The reader folds ASCII only and keeps actions with other letters, since its caller folds those: U+212A (Kelvin
    // sign) becomes a k in lower case.
    const wanted = items.filter(({ event }) => /^(lgif|al|\u212a)$/i.test(event.actionId));
    expect(wanted.length).toBeGreaterThan(150);
    const found: ArrivedEvent[] = [];
    for (let from = 0; from < 300; ) {
      const some = await read(from, { actions: ['lgif', 'al'], events: 7, positions: 50, bytes: 400 });
      found.push(...some.items);
      expect(some.removed).toBe(some.next - from - some.items.length);
      from = some.next;
    }
    expect(found).toEqual(wanted);
  });

  it('returns no more bytes than asked for, but at least one event', async () => {
    await arrive(20, 8, { statement: 'x'.repeat(10_000) });
    const { items, next } = await read(0, { bytes: 45_000 });
    expect([items.length, next]).toEqual([5, 5]);
    expect((await read(5, { bytes: 1 })).items).toHaveLength(1);
  });

  it('tells when the service received each event, and finds the position at which a time begins', async () => {
    const before = Date.now();
    await arrive(300);
    await arrive(1);
    const [first] = (await read(0)).items;
    const second = (await read(300)).items[0];
    const received = Date.parse(second?.receivedAt ?? '');
    expect(Date.parse(first?.receivedAt ?? '')).toBeLessThan(received);
    expect(Math.abs(received - before)).toBeLessThan(60_000);
    const at = (ms: number) => reader.positionAt(store.tenantId, new Date(ms));
    expect(await at(received)).toBe(300);
    expect(await at(received + 1)).toBe(301);
    expect(await at(0)).toBe(0);
    expect(await at(Date.parse(first?.receivedAt ?? ''))).toBe(0);
    expect(await at(Date.parse(first?.receivedAt ?? '') + 1)).toBe(300);
  });

  it('gives no time of arrival to events that an older release stored without one', async () => {
    await arrive(100);
    await store.query('UPDATE audit_log_tile SET arrivals = NULL WHERE tenant_id = $1', store.tenantId);
    await arrive(200);
    const { items } = await read(0);
    expect(items.slice(0, 100).every(({ receivedAt }) => receivedAt === null)).toBe(true);
    expect(items.slice(100).every(({ receivedAt }) => receivedAt !== null)).toBe(true);
    // A reader from a time on gets them too: they may have come after it.
    expect(await reader.positionAt(store.tenantId, new Date(Date.now() - 3_600_000))).toBe(0);
  });

  it('counts the events that retention removed', async () => {
    await arrive(300, 3);
    await arrive(100, 8);
    await store.query(
      `DELETE FROM audit_event WHERE tenant_id = $1 AND record_id < '${hourFloor('2026-01-05T08:00:00Z')}'`,
      store.tenantId,
    );
    const all = await read(0);
    expect([all.items.length, all.removed, all.next]).toEqual([100, 300, 400]);
    expect(all.items[0]?.position).toBe(300);
    const some = await read(250, { events: 10 });
    expect([some.items.length, some.removed, some.next]).toEqual([10, 50, 310]);
  });

  it('skips and counts at once the events that retention removed from the beginning', async () => {
    await arrive(700, 3);
    await arrive(20, 8);
    await store.query(
      `DELETE FROM audit_event WHERE tenant_id = $1 AND record_id < '${hourFloor('2026-01-05T08:00:00Z')}'`,
      store.tenantId,
    );
    await retained(700);
    const { migrator, owner } = store.database;
    const beginnings = new GoneBeginnings(migrator, new PostgresArrivalReader(owner), SEAL);
    while ((await beginnings.run()) > 0);
    const begun = await read(0, { positions: 5 });
    expect([begun.from, begun.items.length, begun.removed, begun.next]).toEqual([0, 5, 700, 705]);
    const cut = await read(100, { end: 300 });
    expect([cut.items.length, cut.removed, cut.next]).toEqual([0, 200, 300]);
    const on = await read(702, { positions: 5 });
    expect([on.items[0]?.position, on.removed, on.next]).toEqual([702, 0, 707]);
    await arrive(5, 2);
    const { items, removed } = await read(650);
    expect([items.length, removed]).toEqual([25, 50]);
  });

  it('passes no event because of a row that no instance sealed, and seals it anew at the next look', async () => {
    await arrive(300, 3);
    await arrive(20, 8);
    const { migrator, owner } = store.database;
    const put = (position: number, keyId: string | null, mac: Buffer | null) =>
      migrator.models.$executeRawUnsafe(
        `INSERT INTO audit_log_gone (tenant_id, position, looked_until, key_id, mac) VALUES ($1::int, $2::bigint, now(), $3, $4)
         ON CONFLICT (tenant_id) DO UPDATE SET position = excluded.position, key_id = excluded.key_id, mac = excluded.mac`,
        ...[store.tenantId, position, keyId, mac],
      );
    const another = store.tenantId + 1;
    const whole = async () => {
      const { items, removed, from } = await read(0);
      return [items.length, removed, from];
    };
    for (const [position, keyId, mac] of [
      [320, null, null],
      [320, SEAL.keyId, Buffer.alloc(32)],
      [320, SEAL.keyId, SEAL.seal(another, 320)],
      [320, SEAL.keyId, SEAL.seal(store.tenantId, 319)],
      [320, '00000000', SEAL.seal(store.tenantId, 320)],
    ] as const) {
      await put(position, keyId, mac);
      expect(await whole()).toEqual([320, 0, 0]);
    }
    await store.query(
      `DELETE FROM audit_event WHERE tenant_id = $1 AND record_id < '${hourFloor('2026-01-05T08:00:00Z')}'`,
      store.tenantId,
    );
    await retained(300);
    jest.replaceProperty(LIMITS, 'goneBeginningStep', 200 as never);
    const look = async () => {
      const seal = SEAL;
      const beginnings = new GoneBeginnings(migrator, new PostgresArrivalReader(owner, Date.now, seal), seal);
      const more: number[] = [];
      do more.push(await beginnings.run());
      while (more.at(-1) !== 0);
      jest.restoreAllMocks();
      return more;
    };
    // The row says that all was looked at, and is of no key: it is looked at from the beginning, in two steps.
    await put(320, null, null);
    expect(await look()).toEqual([1, 0]);
    expect((await read(0, { positions: 5 })).items[0]?.position).toBe(300);
    const row = () =>
      store.query<{ position: string; mac: Uint8Array }>(
        'SELECT position::text, mac FROM audit_log_gone WHERE tenant_id = $1',
        store.tenantId,
      );
    expect(await row()).toMatchObject([{ position: '300' }]);
    // A row of a key that was succeeded counts, and is sealed anew without another look from the beginning.
    const former = CheckpointKey.ofPem(newCheckpointKeyPem());
    await put(300, former.keyId, new GoneSeal([former]).seal(store.tenantId, 300));
    const both = new GoneSeal([TEST_CHECKPOINT_KEY, former]);
    expect(
      (
        await new PostgresArrivalReader(owner, Date.now, both).read(store.tenantId, 0, {
          ...MANY,
          positions: 5,
        })
      ).skipped,
    ).toBe(300);
    expect(await look()).toEqual([0]);
    expect(Buffer.from((await row())[0]?.mac ?? [])).toEqual(SEAL.seal(store.tenantId, 300));
  });

  it('passes no more events than retention removed, though others were away while somebody looked', async () => {
    await arrive(300, 3);
    await arrive(20, 8);
    const { migrator, owner } = store.database;
    const background = new PostgresArrivalReader(owner, Date.now, SEAL);
    const beginnings = new GoneBeginnings(migrator, background, SEAL);
    const look = async () => {
      while ((await beginnings.run()) > 0);
      return (await read(0, { positions: 5 })).skipped;
    };
    // A distributed table lets no row change its tenant, so the events lie in another table for a while.
    await store.query(
      'CREATE TABLE events_away AS SELECT * FROM audit_event WHERE tenant_id = $1',
      store.tenantId,
    );
    const remove = () => store.query('DELETE FROM audit_event WHERE tenant_id = $1', store.tenantId);
    const restore = () => store.query('INSERT INTO audit_event SELECT * FROM events_away');
    await remove();
    await retained(7);
    expect(await look()).toBe(7);
    // A run that somebody made up has the others passed as well, for as long as it is there.
    await retained(200);
    expect(await look()).toBe(207);
    await store.query('DELETE FROM retention_run WHERE tenant_id = $1 AND events = 200', store.tenantId);
    await restore();
    expect(await look()).toBe(0);
    await remove();
    await retained(200);
    expect(await look()).toBe(207);
    await restore();
    await store.query('DELETE FROM retention_run WHERE tenant_id = $1', store.tenantId);
    expect(await look()).toBe(0);
    expect((await read(0)).items).toHaveLength(320);
  });

  it('returns an event that was removed and sent again at its new position only', async () => {
    const events = await arrive(600);
    await store.query('DELETE FROM audit_event WHERE tenant_id = $1', store.tenantId);
    await retained(600);
    await store.insert(events.slice(0, 250));
    await trial.run();
    const { items, removed, next } = await read(0);
    expect([items.length, removed, next]).toEqual([250, 600, 850]);
    expect(items[0]?.position).toBe(600);
    expect(idsOf(items)).toEqual(sorted(events.slice(0, 250)));
  });

  it('returns an event of a clock that was ahead at its new position only, if it was removed and sent again', async () => {
    const events = await arrive(3, 8, { eventTime: '2090-01-05T08:00:00.0000000Z' });
    for (const table of ['audit_event', 'audit_clock'])
      await store.query(`DELETE FROM ${table} WHERE tenant_id = $1`, store.tenantId);
    await store.query(
      `INSERT INTO retention_run (tenant_id, run_id, retention_days, events, from_time, to_time, partitions, started_at, ended_at, by_arrival)
       VALUES ($1, gen_random_uuid(), 30, 3, '2090-01-05', '2090-01-06', '{}', now(), now(), true)`,
      store.tenantId,
    );
    await store.insert(events);
    await trial.run();
    const { items } = await read(0);
    expect(items.map(({ position }) => position)).toEqual([3, 4, 5]);
  });

  it.each(layoutsOf(engine))(
    'names the hash before each position (distributed: %s)',
    async (isDistributed) => {
      await arrive(300);
      const other = await store.forNewTenant();
      await other.insert(other.checked([{}, {}]));
      await new LogTrial(other).run();
      const each = new PostgresArrivalReader(inLayout(isDistributed, store.database.service));
      const hashAt = async ({ tenantId }: Store, position: number) => {
        const [row] = await store.query(
          `SELECT encode(substring(hashes from $3::int for 32), 'hex') AS hash FROM audit_log_tile
         WHERE tenant_id = $1 AND level = 0 AND tile = $2`,
          ...[tenantId, Math.floor((position - 1) / 256), ((position - 1) % 256) * 32 + 1],
        );
        return (row as { hash: string }).hash;
      };
      const marksAt = (mine: number, theirs: number) =>
        each.marks(
          new Map([
            [store.tenantId, mine],
            [other.tenantId, theirs],
          ]),
        );
      for (const [mine, theirs] of [
        [1, 2],
        [256, 1],
        [257, 2],
        [300, 1],
      ] as const)
        expect(await marksAt(mine, theirs)).toEqual(
          new Map([
            [store.tenantId, await hashAt(store, mine)],
            [other.tenantId, await hashAt(other, theirs)],
          ]),
        );
      expect([...(await marksAt(301, 0))]).toEqual([]);
      expect([...(await marksAt(0, 2)).keys()]).toEqual([other.tenantId]);
    },
  );

  it.each(layoutsOf(engine))('reads several tenants in one call (distributed: %s)', async (isDistributed) => {
    const mine = await arrive(300);
    const other = await store.forNewTenant();
    const otherTrial = new LogTrial(other);
    const theirs = other.checked(Array.from({ length: 40 }, () => ({})));
    await other.insert(theirs);
    await otherTrial.run();
    const quiet = await store.forNewTenant();
    const each = new PostgresArrivalReader(inLayout(isDistributed, store.database.service));
    const places = [
      { tenantId: other.tenantId, from: 0 },
      { tenantId: quiet.tenantId, from: 0 },
      { tenantId: store.tenantId, from: 100 },
    ];
    const [first, none, second] = await each.readEach(places, MANY);
    expect(idsOf(first?.items ?? [])).toEqual(sorted(theirs));
    expect(none).toMatchObject({ items: [], next: 0, size: 0 });
    expect(idsOf(second?.items ?? [])).toEqual(sorted(mine).slice(100));
    const [some, , more] = await each.readEach(places, { ...MANY, events: 30 });
    expect([some?.items.length, more?.items.length]).toEqual([15, 15]);
    expect([some?.next, more?.next]).toEqual([15, 115]);
  });

  it('returns the same events to background tasks, which read as the owner', async () => {
    await arrive(50);
    const owner = new PostgresArrivalReader(store.database.owner);
    expect(await owner.read(store.tenantId, 10, MANY)).toEqual(await read(10));
  });

  it('returns nothing of a tenant to a connection that is confined to another tenant', async () => {
    await arrive(10);
    const other = await store.forNewTenant();
    const { service } = store.database;
    const confined = new PostgresArrivalReader({
      ...service,
      ask: <R extends object>(statement: Prisma.Sql) => service.ask<R>(statement, oneTenant(other.tenantId)),
    });
    expect(await confined.read(store.tenantId, 0, MANY)).toMatchObject({ items: [], size: 0 });
  });

  it('wakes the callers that wait for new events', async () => {
    const news = new NewArrivals(reader);
    const known = await reader.sizes([store.tenantId]);
    const waiting = news.wait(known, 20_000);
    expect(news.waiting).toBe(1);
    await arrive(1);
    expect(await waiting).toEqual(new Map([[store.tenantId, 1]]));
    expect(await news.wait(await reader.sizes([store.tenantId]), 20)).toBeNull();
    const gone = new AbortController();
    const another = news.wait(await reader.sizes([store.tenantId]), 20_000, gone.signal);
    gone.abort();
    expect(await another).toBeNull();
    expect(news.waiting).toBe(0);
  });
});

const hourFloor = (time: string) => {
  const ms = Math.floor(Date.parse(time) / HOUR_MS) * HOUR_MS;
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-8000-8000-000000000000`;
};
