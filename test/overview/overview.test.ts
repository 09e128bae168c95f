import fc from 'fast-check';
import { serviceUnavailable, TooManyValues } from '../../src/errors';
import { matches } from '../../src/event/expression/matches';
import { parseFilter } from '../../src/event/expression/parse-filter';
import { toSummaryFilter } from '../../src/event/query';
import { LIMITS } from '../../src/limits';
import { rowsFilter } from '../../src/modules/overview/filters';
import { Overviews } from '../../src/modules/overview/overview';
import { weekOf } from '../../src/modules/overview/week';
import { Indexer } from '../../src/modules/search/indexer';
import { inSnapshot } from '../../src/store/columns/counter';
import { seenValues } from '../../src/store/columns/seen';
import { sumByColumns } from '../../src/store/columns/sum';
import { Folder } from '../../src/store/counts/fold';
import { oneTenant, tenantSet } from '../../src/tenant-set';
import { AT_ONCE } from '../support/at-once';
import { aGap, aReport, REPORT, reportOf } from '../support/audit-sources';
import { DashboardSession } from '../support/dashboard-session';
import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { Store } from '../support/store';
import { useWorld } from '../support/use-world';

const COUNT = '{ events before filter }';
const OVERVIEW = `query($endTime: String) { overview(endTime: $endTime) {
  startTime endTime newestTime all ${COUNT} failedLogins ${COUNT} privilegeChanges ${COUNT}
  rowsRead { rows before events filter objects otherObjects }
  completeness { sources complete gaps gapsStartTime } hours serverCount servers { serverInstanceName hours }
  newcomers { field count values events firstTimes } incidents { severity incidents } } }`;
const LIST = `query($filter: String, $startTime: String, $endTime: String) {
  auditEvents(filter: $filter, startTime: $startTime, endTime: $endTime) { totalCount } }`;
const END = '2026-03-09T09:30:00Z';
const WEEK = { startTime: '2026-03-02T10:00:00.0000000Z', endTime: '2026-03-09T10:00:00.0000000Z' };

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, n) => sum + n, 0);

describe('the overview', () => {
  const open = useWorld(ANY_ENGINE);
  const rows = (n: number) => ({ additional: { responseRows: n } });
  const failed = { actionId: 'LGIF', succeeded: false, serverPrincipalName: 'sa' };

  it('states numbers of a week, each equal to the events that its filter finds, of own tenants alone', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    const at = (time: string) => ({ eventTime: `${time}.0000000Z` });
    await acme.ingest([
      anEvent({ ...at('2026-02-20T08:00:00'), ...rows(7), applicationName: null }),
      anEvent({ ...at('2026-02-25T08:00:00'), ...failed, applicationName: null }),
      anEvent({ ...at('2026-03-02T09:59:59'), ...rows(4), applicationName: null }),
      anEvent({ ...at('2026-03-02T10:00:00'), ...rows(5) }),
      anEvent({ ...at('2026-03-03T11:00:00'), ...failed }),
      anEvent({ ...at('2026-03-03T11:00:01'), ...failed, serverInstanceName: 'SQL02' }),
      anEvent({
        ...at('2026-03-04T02:00:00'),
        hostName: 'NEW\\"HOST',
        applicationName: null,
        ...rows(9_000),
      }),
      anEvent({ ...at('2026-03-04T02:30:00'), hostName: 'NEW\\"HOST', serverPrincipalName: 'mallory' }),
      anEvent({ ...at('2026-03-09T09:59:59'), actionId: 'APRL', serverInstanceName: null }),
      anEvent({ ...at('2026-03-09T10:00:00'), actionId: 'APRL' }),
    ]);
    await other.ingest([anEvent({ ...at('2026-03-03T11:00:00'), ...failed, hostName: 'SECRET' })]);
    const session = await DashboardSession.signIn(open.world, acme.key);
    const { body } = await session.graphql(OVERVIEW, { endTime: END });
    expect(body.errors).toBeUndefined();
    const { overview } = body.data;
    const count = async (filter: string) =>
      (await session.graphql(LIST, { filter: filter || undefined, ...WEEK })).body.data.auditEvents
        .totalCount;
    expect(overview).toMatchObject({ ...WEEK, newestTime: null, incidents: null, serverCount: 2 });
    expect(overview.completeness.gapsStartTime).toBe('2026-02-07T10:00:00.0000000Z');
    const one = jest.replaceProperty(LIMITS, 'overviewServersMax', 1 as never);
    const fewer = (await session.graphql(OVERVIEW, { endTime: END })).body.data.overview;
    one.restore();
    expect([fewer.serverCount, fewer.servers.length]).toEqual([2, 1]);
    expect(overview.all).toMatchObject({ events: 6, before: 2 });
    expect(overview.failedLogins).toMatchObject({ events: 2, before: 1 });
    expect(overview.privilegeChanges).toMatchObject({ events: 1, before: 0 });
    expect(overview.rowsRead).toMatchObject({ rows: '9005', before: '4', events: 2, objects: 0 });
    for (const { events, filter } of [overview.all, overview.failedLogins, overview.privilegeChanges])
      expect(await count(filter)).toBe(events);
    expect(await count(overview.rowsRead.filter)).toBe(2);
    expect(overview.hours).toHaveLength(168);
    expect([overview.hours[0], overview.hours[25], sumOf(overview.hours)]).toEqual([1, 2, 6]);
    expect(
      overview.servers.map(
        ({ serverInstanceName, hours }: { serverInstanceName: string; hours: number[] }) => [
          ...[serverInstanceName, sumOf(hours)],
        ],
      ),
    ).toEqual([
      ['SQLPROD01', 4],
      ['SQL02', 1],
    ]);
    expect(overview.newcomers).toEqual([
      {
        field: 'serverPrincipalName',
        count: 1,
        values: ['mallory'],
        events: [1],
        firstTimes: ['2026-03-04T02:30:00.000Z'],
      },
      {
        field: 'hostName',
        count: 1,
        values: ['NEW\\"HOST'],
        events: [2],
        firstTimes: ['2026-03-04T02:00:00.000Z'],
      },
      // Before the week, no event named a program.
      {
        field: 'applicationName',
        count: 1,
        values: [anEvent().applicationName],
        events: [5],
        firstTimes: ['2026-03-02T10:00:00.000Z'],
      },
    ]);
  });

  it('counts as complete the sources that lack nothing but gaps, and the gaps of 30 days', async () => {
    const acme = await open.world.tenant();
    const caughtUpAt = new Date().toISOString();
    const gap = (afterTime: string, beforeTime: string) =>
      aGap({ afterTime: `${afterTime}Z`, beforeTime: `${beforeTime}Z` });
    for (const [hostName, more] of [
      ['WHOLE', { caughtUpAt }],
      ['GAPS', { caughtUpAt, gaps: [gap('2026-03-03T00:00:00', '2026-03-04T00:00:00')] }],
      ['OLD', { caughtUpAt, gaps: [gap('2026-01-03T00:00:00', '2026-01-04T00:00:00')] }],
      ['STOPPED', { caughtUpAt, problem: 'the folder cannot be read' }],
    ] as const) {
      const report = aReport({ tenantId: acme.tenantId, hostName, ...more });
      reportOf((await open.world.graphql(acme.agentKey, REPORT, { report })).body);
    }
    const session = await DashboardSession.signIn(open.world, acme.key);
    const { overview } = (await session.graphql(OVERVIEW, { endTime: END })).body.data;
    expect(overview.completeness).toMatchObject({ sources: 4, complete: 3, gaps: 1 });
  });

  it('says that nothing was recorded before, when the last event was, and shows incidents to those who may read them', async () => {
    const acme = await open.world.tenant();
    const scopes = ['read:audit-activity', 'read:alerts'];
    const { key } = await open.world.key({ tenantIds: [acme.tenantId], scopes });
    const session = await DashboardSession.signIn(open.world, key);
    const ask = async (endTime: string) => (await session.graphql(OVERVIEW, { endTime })).body.data.overview;
    expect(await ask(END)).toMatchObject({ newestTime: null, incidents: [], newcomers: null });
    await acme.audited({ eventTime: '2026-03-03T11:00:00.0000000Z' });
    const empty = { newestTime: '2026-03-03T12:00:00.0000000Z', all: { events: 0, before: null } };
    expect(await ask('2026-06-01')).toMatchObject(empty);
    expect(await ask(END)).toMatchObject({
      newestTime: null,
      all: { events: 1, before: null },
      failedLogins: { events: 0, before: null },
      rowsRead: { rows: '0', before: null },
      newcomers: null,
    });
  });

  it('names as many new values as one filter has room for, and counts all', async () => {
    const acme = await open.world.tenant();
    const at = (day: string, hostName: string) =>
      anEvent({ eventTime: `2026-${day}T11:00:00.0000000Z`, hostName });
    const hosts = Array.from({ length: LIMITS.overviewNewcomersMax }, (_, i) => `${i}${'"'.repeat(500 / 2)}`);
    await acme.ingest([at('02-20', 'OLD'), ...hosts.map((host) => at('03-03', host))]);
    const session = await DashboardSession.signIn(open.world, acme.key);
    const { body } = await session.graphql(OVERVIEW, { endTime: END });
    const [, found] = body.data.overview.newcomers;
    expect([found.field, found.count]).toEqual(['hostName', hosts.length]);
    expect(found.values.length).toBeGreaterThan(0);
    expect(found.values.length).toBeLessThan(hosts.length);
  });

  it('counts new values behind the many that have more events', async () => {
    const acme = await open.world.tenant();
    const at = (day: string, hostName: string) =>
      anEvent({ eventTime: `2026-${day}T11:00:00.0000000Z`, hostName });
    await acme.ingest([at('02-20', 'OLD'), at('03-03', 'OLD'), at('03-04', 'OLD'), at('03-03', 'NEW')]);
    const session = await DashboardSession.signIn(open.world, acme.key);
    const bound = jest.replaceProperty(LIMITS, 'groupsCountedMax', 1 as never);
    try {
      const { body } = await session.graphql(OVERVIEW, { endTime: END });
      expect(body.data.overview.newcomers[1]).toMatchObject({ count: 1, values: ['NEW'], events: [1] });
    } finally {
      bound.restore();
    }
  });

  it.each([
    ['takes too long', serviceUnavailable(new Error('late'))],
    ['has too many values', new TooManyValues('many')],
  ])('leaves out what %s, and answers the rest', async (_, error) => {
    const late = () => {
      throw error;
    };
    const ask = {
      facets: async () => ({ totalCount: 0, facets: [] }),
      histogram: async () => ({ buckets: [] }),
      sources: async () => [],
      gaps: async () => 3,
      sensitive: async () => [],
    };
    const overviews = new Overviews({ snapshot: late } as never, ask as never);
    const asked = { atMs: Date.parse(END), hasIncidents: false };
    expect(await overviews.of(oneTenant(1), asked)).toMatchObject({
      rowsRead: null,
      newcomers: null,
      completeness: { gaps: 3 },
    });
  });

  it('is answered at both ends of the times that texts can state, also where an event lies there', async () => {
    const acme = await open.world.tenant();
    await acme.ingest([
      anEvent({ eventTime: '9999-12-31T23:30:00.0000000Z' }),
      anEvent({ eventTime: '0000-01-01T00:30:00.0000000Z' }),
    ]);
    const session = await DashboardSession.signIn(open.world, acme.key);
    for (const endTime of [
      undefined,
      '9999-12-31T23:40:00Z',
      '9999-12-31T23:59:59-12:00',
      '0000-01-02T00:00:00Z',
      '0000-01-01T00:00:00+12:00',
    ]) {
      const { body } = await session.graphql(OVERVIEW, { endTime });
      expect([endTime, body.errors]).toEqual([endTime, undefined]);
    }
  });

  it('adds up the rows of the objects that operators declare sensitive, in any letter case', async () => {
    const acme = await open.world.tenant();
    const session = await DashboardSession.signIn(open.world, acme.key);
    const time = { eventTime: '2026-03-03T11:00:00.0000000Z' };
    await acme.ingest([
      anEvent({ ...time, databaseName: 'payroll', objectName: 'SALARIES', ...rows(40) }),
      anEvent({ ...time, databaseName: 'payroll', objectName: 'Employees', ...rows(900) }),
    ]);
    for (const objectName of ['Salaries', 'Bonus'])
      await open.world.operate(
        `mutation($tenantId: String!, $objectName: String) { declareCompliance(tenantId: $tenantId, kind: sensitive,
           databaseName: "Payroll", objectName: $objectName, schemaName: "dbo", reason: "pay", validFrom: "2026-01-01") { reason } }`,
        { tenantId: acme.tenantId, objectName },
      );
    const { rowsRead } = (await session.graphql(OVERVIEW, { endTime: END })).body.data.overview;
    expect(rowsRead).toMatchObject({ rows: '40', events: 1, objects: 2, otherObjects: 0 });
    const { body } = await session.graphql(LIST, { filter: rowsRead.filter, ...WEEK });
    expect(body.data.auditEvents.totalCount).toBe(1);
  });
});

describe('a sum and the values of whole hours', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  const event = fc.record({
    hour: fc.integer({ min: 0, max: 3 }),
    hostName: fc.constantFrom('A', 'B', null),
    n: fc.option(fc.bigInt({ min: -2n, max: 2n ** 62n })),
    isIndexed: fc.boolean(),
  });

  it('are the same whether hours have columns or their events are read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 12 }), async (events) => {
        const own = await store.forNewTenant();
        const insert = (some: typeof events) =>
          own.insert(
            own.checked(
              some.map(({ hour, hostName, n }) => ({
                eventTime: `2026-01-05T0${hour}:10:00.0000000Z`,
                hostName,
                additional: n === null ? {} : { responseRows: n <= 2n ** 53n ? Number(n) : String(n) },
              })),
            ),
          );
        const [first, rest] = [events.filter((one) => one.isIndexed), events.filter((one) => !one.isIndexed)];
        if (first.length > 0) await insert(first);
        await new Folder(own.database.migrator).run();
        await new Indexer(own.database.owner, AT_ONCE).run();
        if (rest.length > 0) await insert(rest);
        const range = { startTime: '2026-01-05', endTime: '2026-01-05T03:00:00Z' };
        const filter = toSummaryFilter({ filter: undefined, ...range });
        const within = events.filter(({ hour }) => hour < 3);
        const [sum, seen] = await inSnapshot(
          own.database.service,
          tenantSet([own.tenantId]),
          filter,
          async (counter) => [
            await sumByColumns(counter, 'responseRows'),
            await seenValues(counter, ['hostName']),
          ],
        );
        const counted = within.flatMap(({ n }) => (n !== null && n > 0n ? [n] : []));
        expect([BigInt(sum.sum), sum.events]).toEqual([
          counted.reduce((all, n) => all + n, 0n),
          counted.length,
        ]);
        expect([...(seen.get('hostName') ?? [])].sort()).toEqual(
          [...new Set(within.flatMap(({ hostName }) => hostName ?? []))].sort(),
        );
      }),
      { numRuns: 15 },
    );
  });
});

describe('the filter of rows that were read', () => {
  const name = fc.option(fc.constantFrom('pay"roll', 'Übung', 'sales'.repeat(40), 'a b'), { freq: 3 });
  const objects = fc.array(
    fc.record({
      tenantId: fc.integer({ min: 1, max: 3 }),
      serverInstanceName: name,
      databaseName: fc.constantFrom('Payroll', 'CRM'),
      schemaName: name,
      objectName: name,
    }),
    { maxLength: 40, size: 'max' },
  );
  const FIELDS = ['serverInstanceName', 'databaseName', 'schemaName', 'objectName'] as const;

  it('finds what the first objects name, as many as one filter has room for, and counts the others', () => {
    let [cut, whole] = [0, 0];
    fc.assert(
      fc.property(objects, fc.boolean(), fc.nat(), (all, hasTenants, at) => {
        const found = rowsFilter(all, hasTenants);
        const parsed = parseFilter(found.filter);
        if ('problem' in parsed) throw new Error(parsed.problem);
        expect(found.filter.length).toBeLessThanOrEqual(LIMITS.expressionCharsMax);
        expect(found.objects + found.otherObjects).toBe(all.length);
        if (found.otherObjects > 0) cut++;
        else whole++;
        const named = all.slice(0, found.objects);
        const one = all[at % Math.max(1, all.length)];
        const event = (tenantId: number, responseRows: number) =>
          ({
            ...{ ...one, tenantId: String(tenantId), actionId: 'SL', statement: null },
            ...{ databaseName: one?.databaseName.toUpperCase() ?? 'X', additional: { responseRows } },
          }) as never;
        const isNamed = (tenantId: number) =>
          named.some(
            (object) =>
              (!hasTenants || object.tenantId === tenantId) &&
              FIELDS.every((field) => object[field] === null || object[field] === one?.[field]),
          );
        for (const tenantId of [1, 2]) {
          expect(matches(parsed.expression, event(tenantId, 0))).toBe(false);
          expect(matches(parsed.expression, event(tenantId, 1))).toBe(all.length === 0 || isNamed(tenantId));
        }
      }),
      { numRuns: 60 },
    );
    expect(Math.min(cut, whole)).toBeGreaterThan(0);
  });
});

it('the week ends with the hour of its moment, and the time before it is whole hours too', () => {
  const { week, before, known, month } = weekOf(Date.parse('2026-03-09T10:00:00Z'));
  const hours = ({ from, to }: { from: bigint | null; to: bigint | null }) =>
    Number(((to ?? 0n) - (from ?? 0n)) / 36_000_000_000n);
  expect([week, before, known, month].map(hours)).toEqual([168, 168, 720, 720]);
  expect(week.to).toBe(BigInt(Date.parse('2026-03-09T11:00:00Z')) * 10_000n);
  expect([before.to, known.to, month.to]).toEqual([week.from, week.from, week.to]);
});
