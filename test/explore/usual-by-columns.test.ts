import { randomUUID } from 'node:crypto';
import type { ServiceDoor } from '../../src/database/clients';
import type { AuditEvent } from '../../src/event/fields';
import { toSummaryFilter } from '../../src/event/query';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { KnownHabits } from '../../src/modules/explore/known-habits';
import { usualOf } from '../../src/modules/explore/usual';
import { Indexer } from '../../src/modules/search/indexer';
import type { Ask } from '../../src/store/columns/ask';
import { ColumnCounter, inSnapshot } from '../../src/store/columns/counter';
import { Before, habitsBefore } from '../../src/store/columns/habits';
import { Clock } from '../../src/store/columns/hour-blocks';
import { oneTenant } from '../../src/tenant-set';
import { ArchiveTrial } from '../archive/archive-trial';
import { AT_ONCE } from '../support/at-once';
import { ENGINES } from '../support/engines';
import type { IngestedEvent } from '../support/events';
import { Store } from '../support/store';

const HOUR_MS = 3_600_000;
const T0 = Date.parse('2026-01-05T00:00:00Z');
const HOURS = 600;
/** Hours in which the login `seldom` does something. */
const SELDOM = new Set([3, 40, 41, 170, 333, 599]);
const timeAt = (hour: number, second: number) =>
  new Date(T0 + hour * HOUR_MS + second * 1_000).toISOString().replace('Z', '0000Z');

function event(hour: number, second: number, others: Partial<IngestedEvent>): Partial<IngestedEvent> {
  return {
    eventTime: timeAt(hour, second),
    actionId: 'SL',
    databaseName: 'Payroll',
    schemaName: 'dbo',
    objectName: 'Employee',
    applicationName: 'App',
    clientIp: '10.0.0.1',
    blockOffset: 512 * (hour * 60 + second + 1),
    ...others,
  };
}

const EVENTS = Array.from({ length: HOURS }, (_, hour) => hour).flatMap((hour) => [
  event(hour, 1, { serverPrincipalName: 'often', actionId: hour % 5 === 0 ? 'UP' : 'SL' }),
  event(hour, 2, { serverPrincipalName: 'other', objectName: hour % 2 === 0 ? 'Employee' : 'Salary' }),
  event(hour, 3, { serverPrincipalName: 'batch', databaseName: 'Stock', objectName: null, schemaName: null }),
  ...(SELDOM.has(hour)
    ? [
        event(hour, 4, {
          serverPrincipalName: 'seldom',
          databaseName: hour === 40 ? 'Archive' : 'Stock',
          objectName: hour === 170 ? 'Item' : 'Order',
          clientIp: hour === 333 ? '10.9.9.9' : '10.0.0.1',
        }),
      ]
    : []),
]);
/** Events of hours that are indexed already. */
const LATE = [
  event(41, 9, { serverPrincipalName: 'seldom', databaseName: 'Stock', objectName: 'Order' }),
  event(42, 9, { serverPrincipalName: 'often', objectName: 'Salary' }),
];

describe.each(ENGINES)('who normally does this, where columns answer, on %s', (engine) => {
  let store: Store;
  let trial: ArchiveTrial;
  let stored: Partial<IngestedEvent>[];
  let checked: ReturnType<Store['checked']>;
  beforeAll(async () => {
    store = await Store.open(engine);
    trial = await ArchiveTrial.open(store);
    checked = store.checked(EVENTS);
    await store.insert(checked);
    stored = EVENTS;
    await settle();
  }, 120_000);
  afterAll(async () => {
    await trial.close();
    await store.close();
  });

  async function settle() {
    await trial.settle();
    const indexer = new Indexer(store.database.owner, AT_ONCE);
    while ((await indexer.run()) > 0);
  }
  const asked = async (hour: number, second: number): Promise<AuditEvent> => {
    const at = EVENTS.findIndex(({ eventTime }) => eventTime === timeAt(hour, second));
    const recordId = checked[at]?.recordId ?? '';
    const found = await new PostgresAuditEventReader(store.database.service).find(
      oneTenant(store.tenantId),
      recordId,
    );
    if (!found) throw new Error(`no event is at ${timeAt(hour, second)}`);
    return found;
  };
  const like = (of: AuditEvent, fields: readonly string[], from: string, to: string) =>
    stored.filter(
      (one) =>
        (one.eventTime ?? '') >= from &&
        (one.eventTime ?? '') < to &&
        fields.every((field) => (one[field as 'objectName'] ?? null) === (of[field as 'objectName'] ?? null)),
    );

  /** So few events are looked at by login and object. */
  const BY_QUESTIONS = 10;

  async function compare(hour: number, second: number, service: ServiceDoor = store.database.service) {
    const of = await asked(hour, second);
    // The second time, habits of days are known.
    const usual = await usualOf(service, of, false);
    expect(await usualOf(service, of, false)).toEqual(usual);
    expect(await usualOf(service, of, false, BY_QUESTIONS)).toEqual(usual);
    const OBJECT = ['databaseName', 'schemaName', 'objectName'];
    for (const { fields, count, startTime, endTime, text } of usual.notes) {
      const named = fields.map((field) => (field === 'hour' ? 'serverPrincipalName' : field));
      expect([text, count]).toEqual([text, like(of, named, startTime, endTime).length]);
    }
    const { startTime, endTime } = usual;
    const onObject = like(of, OBJECT, startTime, endTime);
    expect(usual.objectCount).toBe(of.objectName === null ? null : onObject.length);
    for (const { serverPrincipalName, count } of usual.logins)
      expect(count).toBe(onObject.filter((one) => one.serverPrincipalName === serverPrincipalName).length);
    expect(usual.logins).toHaveLength(
      of.objectName === null ? 0 : Math.min(3, new Set(onObject.map((one) => one.serverPrincipalName)).size),
    );
    return usual;
  }
  const QUESTIONS = [
    [599, 1],
    [599, 2],
    [599, 3],
    [599, 4],
    [333, 4],
    [170, 4],
    [40, 4],
  ] as const;

  it('begins behind the days that a question which took too long has read', async () => {
    const days = 10;
    const range = toSummaryFilter({
      filter: undefined,
      startTime: timeAt(0, 0),
      endTime: timeAt(days * 24, 0),
    });
    const read: number[] = [];
    const visit = (turnsMax: number) =>
      inSnapshot(store.database.service, oneTenant(store.tenantId), range, async (counter) => {
        const ask: Ask = (statement, planning) => {
          const hours = statement.values.find((value): value is number[] => Array.isArray(value));
          if (/SELECT s\.hour.* FROM audit_segment/.test(statement.text)) read.push(hours?.length ?? 0);
          return counter.ask(statement, planning);
        };
        const clock = new Clock();
        let turns = 0;
        clock.take = async () => {
          if (++turns > turnsMax) throw new Error('it took too long');
        };
        const { tenants, lookup } = counter;
        const hours = await new ColumnCounter(ask, tenants, range, lookup, null, clock).tenantHours(
          store.tenantId,
        );
        await habitsBefore(hours, 0, new Before(new Map()));
      });
    // One turn for each day, and one for each hour that is read: five days and some hours.
    await expect(visit(days + 5 * 24 + 7)).rejects.toThrow('it took too long');
    await visit(1_000);
    await visit(1_000);
    expect(read).toEqual([240, 120]);
  });

  it.each(QUESTIONS)('counts what was before an event of hour %d, second %d', async (hour, second) => {
    await compare(hour, second);
  });

  it('knows the days of the period before anybody asks, once all hours have columns', async () => {
    const { owner, service } = store.database;
    const read: number[] = [];
    const snapshot: ServiceDoor['snapshot'] = (tenants, work) =>
      service.snapshot(tenants, (step) =>
        work((text, values, planning) => {
          const hours = values.find((value): value is number[] => Array.isArray(value));
          if (/SELECT s\.hour.* FROM audit_segment/.test(text)) read.push(...(hours ?? []));
          return step(text, values, planning);
        }),
      );
    const watched = { ...service, snapshot };
    const nowMs = () => T0 + HOURS * HOUR_MS;
    const answer = jest.fn(async (_: readonly number[]): Promise<void> => {});
    const habits = new KnownHabits(owner, watched, answer, nowMs);
    // Another version of its columns.
    const hourToChange = T0 / HOUR_MS + 17 * 24 + 5;
    const columns =
      'UPDATE audit_segment SET version = $1::uuid WHERE tenant_id = $2::int AND hour = $3::int';
    const change = (version: string | null) =>
      owner.models.$executeRawUnsafe(columns, version, store.tenantId, hourToChange);
    await habits.run();
    read.length = 0;
    await habits.run();
    expect(read).toEqual([]);
    // In the second look, too: the log is as long as before.
    await change(null);
    const another = new KnownHabits(owner, watched, answer, nowMs);
    await another.run();
    await change('11111111-2222-4333-8444-555555555555');
    read.length = 0;
    await another.run();
    const day = (hour: number) => Math.floor(hour / 24);
    expect(new Set(read.map(day))).toEqual(new Set([day(hourToChange)]));
    read.length = 0;
    await usualOf(watched, await asked(599, 4), false);
    // Only the day of the event was not over.
    expect(new Set(read.map(day))).toEqual(new Set([day(T0 / HOUR_MS + 599)]));

    // Hours that stay without columns, as those of weeks in files, are not looked for again and again.
    await change(null);
    const third = new KnownHabits(owner, watched, answer, nowMs);
    const looks = jest.spyOn(watched, 'snapshot');
    for (let round = 0; round < 4; round++) await third.run();
    expect(looks).toHaveBeenCalledTimes(2);
    // A day that is over is counted although no event came since.
    const times = [0, 0, 24 * HOUR_MS, 24 * HOUR_MS];
    await change('11111111-2222-4333-8444-555555555557');
    const fourth = new KnownHabits(owner, watched, answer, () => T0 + HOURS * HOUR_MS + (times[0] ?? 0));
    looks.mockClear();
    for (; times.length > 0; times.shift()) await fourth.run();
    expect(looks).toHaveBeenCalledTimes(2);
    // The question is answered in the first looks of a process, not in all.
    let size = HOURS;
    const { models } = owner;
    const log = jest.spyOn(models, '$queryRawUnsafe');
    log.mockImplementation((() => Promise.resolve([{ tenantId: store.tenantId, size: ++size }])) as never);
    answer.mockClear();
    answer.mockRejectedValueOnce(new Error('a large tenant'));
    const fifth = new KnownHabits(owner, watched, answer, nowMs);
    for (let round = 0; round < 6; round++) await fifth.run();
    expect(answer.mock.calls).toEqual([1, 2, 3].map(() => [[store.tenantId]]));
    // Where many tenants have new events, those that wait longest go first.
    const tenants = Array.from({ length: 3 * LIMITS.habitsTenantsPerRound }, (_, i) => 1_000 + i);
    log.mockImplementation((() =>
      Promise.resolve(tenants.map((tenantId) => ({ tenantId, size: ++size })))) as never);
    const lookedAt: number[] = [];
    const ask: ServiceDoor['ask'] = async (_, [tenantId]) => {
      lookedAt.push(tenantId);
      return [];
    };
    const sixth = new KnownHabits(owner, { ...watched, ask }, answer, nowMs);
    for (let round = 0; round < 3; round++) await sixth.run();
    log.mockRestore();
    expect(lookedAt).toEqual(tenants);
    // So many events leave no room for further ones.
    const replaced = jest.replaceProperty(LIMITS, 'habitsEventsMax', 10 as never);
    await change('11111111-2222-4333-8444-555555555558');
    read.length = 0;
    await new KnownHabits(owner, watched, answer, nowMs).run();
    expect(read).toEqual([]);
    replaced.restore();
    await change('11111111-2222-4333-8444-555555555556');
  });

  it('counts no further tenant ahead where all of them together have too many events', async () => {
    const other = await store.forNewTenant();
    await other.insert(other.checked(EVENTS));
    await settle();
    const { owner, service } = store.database;
    const readFor = async (eventsMax: number) => {
      const of = new Set<number>();
      const snapshot: ServiceDoor['snapshot'] = (tenants, work) =>
        service.snapshot(tenants, (step) =>
          work((text, values, planning) => {
            if (/SELECT s\.hour.* FROM audit_segment/.test(text)) of.add(tenants[0] ?? 0);
            return step(text, values, planning);
          }),
        );
      const max = jest.replaceProperty(LIMITS, 'habitsEventsMax', eventsMax as never);
      // Another version of all columns: no habits of before are known.
      await owner.models.$executeRawUnsafe('UPDATE audit_segment SET version = $1::uuid', randomUUID());
      await new KnownHabits(
        owner,
        { ...service, snapshot },
        async () => {},
        () => T0 + HOURS * HOUR_MS,
      ).run();
      max.restore();
      return of;
    };
    expect((await readFor(2 * EVENTS.length)).size).toBe(2);
    expect((await readFor(2 * EVENTS.length - 40)).size).toBe(1);
  });

  it('reads a column of an hour once, and only of hours that the counts of the login or the database name', async () => {
    const read: string[] = [];
    const { service } = store.database;
    const snapshot: ServiceDoor['snapshot'] = (tenants, work) =>
      service.snapshot(tenants, (step) =>
        work((text, values, planning) => {
          const columns = /SELECT (s\.hour.*) FROM audit_segment/.exec(text)?.[1]?.split(', ').slice(1) ?? [];
          for (const hour of (values.find((value) => Array.isArray(value)) as number[] | undefined) ?? [])
            read.push(...columns.map((column) => `${hour} ${column}`));
          return step(text, values, planning);
        }),
      );
    await usualOf({ ...service, snapshot }, await asked(599, 4), false, BY_QUESTIONS);
    // The hour of the event is asked about once more, as a whole.
    const before = read.filter((one) => !one.startsWith(`${T0 / HOUR_MS + 599} `));
    expect(new Set(before).size).toBe(before.length);
    const hoursOf = (column: string) =>
      before
        .filter((one) => one.endsWith(`s.${column}`))
        .map((one) => Number(one.split(' ')[0]) - T0 / HOUR_MS)
        .sort((a, b) => a - b);
    // Only of hours with events of the login.
    expect(hoursOf('client_ip')).toEqual([3, 40, 41, 170, 333]);
    // The login of an hour is needed where it may have used the object, and where others did.
    expect(hoursOf('server_principal_name')).toEqual([3, 40, 41, 170, 333]);
    expect(hoursOf('object_name').length).toBeGreaterThan(500);
  });

  it('counts late events before they are folded, and after', async () => {
    await store.insert(store.checked(LATE));
    stored = [...EVENTS, ...LATE];
    for (const [hour, second] of QUESTIONS) await compare(hour, second);
    await settle();
    for (const [hour, second] of QUESTIONS) await compare(hour, second);
  }, 60_000);

  it('counts events of weeks that lie in files', async () => {
    expect(await trial.seal(timeAt(40, 0))).toMatchObject({ outcome: 'sealed' });
    for (const [hour, second] of QUESTIONS) await compare(hour, second);
  }, 60_000);
});
