import { LIMITS } from '../../src/limits';
import { DashboardSession } from '../support/dashboard-session';
import { ANY_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';

const HISTOGRAM = `query($startTime: String, $endTime: String, $buckets: Int, $actionId: String) {
  auditHistogram(startTime: $startTime, endTime: $endTime, buckets: $buckets, actionId: $actionId) {
    startTime endTime bucketSeconds buckets { start end succeeded failed } } }`;
const FACETS = `query($limit: Int, $search: String, $databaseName: String, $succeeded: Boolean,
  $serverInstanceName: String) {
  auditFacets(limit: $limit, search: $search, databaseName: $databaseName, succeeded: $succeeded,
    serverInstanceName: $serverInstanceName) {
    totalCount facets { field distinct values { value name succeeded failed } } } }`;
const GROUPS = `query($fields: [String!], $sortBy: String, $sortDirection: String, $limit: Int,
  $startTime: String, $endTime: String, $beforeStartTime: String, $beforeEndTime: String) {
  auditGroups(fields: $fields, sortBy: $sortBy, sortDirection: $sortDirection, limit: $limit,
    startTime: $startTime, endTime: $endTime, beforeStartTime: $beforeStartTime, beforeEndTime: $beforeEndTime) {
    totalCount groupCount first second third succeeded failed before recordedBefore firstTime lastTime } }`;

describe('the queries that the dashboard explores with', () => {
  const open = useWorld(ANY_ENGINE);
  let session: DashboardSession;
  let ofOther: DashboardSession;
  beforeAll(async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    const at = (minute: string) => `2026-01-05T10:${minute}:00.0000000Z`;
    await acme.audited({ eventTime: at('00'), actionId: 'SL', databaseName: 'Pay', succeeded: true });
    await acme.audited({ eventTime: at('03'), actionId: 'SL', databaseName: 'Pay', succeeded: false });
    await acme.audited({ eventTime: at('09'), actionId: 'ZZ', databaseName: null, succeeded: true });
    await other.audited({ eventTime: at('03'), actionId: 'LGIS', databaseName: 'Secret' });
    session = await DashboardSession.signIn(open.world, acme.key);
    ofOther = await DashboardSession.signIn(open.world, other.key);
  });

  it('count events over time for own tenants only, with edge buckets cut to the range', async () => {
    const variables = { startTime: '2026-01-05T10:01:00Z', endTime: '2026-01-05T10:09:30Z', buckets: 10 };
    const { body } = await session.graphql(HISTOGRAM, variables);
    const { bucketSeconds, startTime, endTime, buckets } = body.data.auditHistogram;
    expect([bucketSeconds, startTime, endTime]).toEqual([
      60,
      '2026-01-05T10:01:00.0000000Z',
      '2026-01-05T10:09:30.0000000Z',
    ]);
    expect(buckets).toHaveLength(9);
    expect(buckets[2]).toEqual({
      start: '2026-01-05T10:03:00.0000000Z',
      end: '2026-01-05T10:04:00.0000000Z',
      succeeded: 0,
      failed: 1,
    });
    expect(buckets.at(-1)).toEqual({
      start: '2026-01-05T10:09:00.0000000Z',
      end: '2026-01-05T10:09:30.0000000Z',
      succeeded: 1,
      failed: 0,
    });
  });

  it('tell operators what each would read, of how many events, and why', async () => {
    const tenant = await open.world.tenant();
    for (const hour of ['07', '08', '09', '10'])
      await tenant.audited({ eventTime: `2026-02-03T${hour}:30:00.0000000Z`, statement: `job${hour} runs` });
    const explained = async (given: Readonly<Record<string, string>>) => {
      const { explainFilter } = await open.world.operate(
        `query($tenantId: String!, $filter: String, $search: String, $startTime: String, $endTime: String) {
          explainFilter(tenantId: $tenantId, filter: $filter, search: $search, startTime: $startTime,
            endTime: $endTime) { question by events waits because } }`,
        { tenantId: tenant.tenantId, ...given },
      );
      return (explainFilter as { question: string; by: string; events: number }[]).map(
        ({ question, by, events }) => `${question} ${by} ${events}`,
      );
    };
    expect(await explained({})).toEqual([
      ...['page counts 0', 'summary counts 0', 'histogram counts 0', 'facets counts 0', 'groups columns 4'],
      'export counts 0',
    ]);
    expect(await explained({ startTime: '2026-02-03T07:10:00Z', endTime: '2026-02-03T10:10:00Z' })).toEqual([
      ...['page counts 2', 'summary counts 2', 'histogram counts 2', 'facets counts 2', 'groups columns 4'],
      'export counts 2',
    ]);
    const times = { startTime: '2026-02-03T08:00:00Z', endTime: '2026-02-03T10:00:00Z' };
    expect(new Set(await explained({ filter: 'hostName:h OR actionId:SL', ...times }))).toEqual(
      new Set(
        ['page', 'summary', 'histogram', 'facets', 'groups', 'export'].map((name) => `${name} columns 2`),
      ),
    );
    await until(
      () => explained({ search: 'job08' }),
      ([page]) => page === 'page words 1',
    );
  });

  it('extend an open end to the border of the hours that have events', async () => {
    const { body } = await session.graphql(HISTOGRAM, {});
    expect(body.data.auditHistogram).toMatchObject({
      startTime: '2026-01-05T10:00:00.0000000Z',
      endTime: '2026-01-05T11:00:00.0000000Z',
      bucketSeconds: 60,
    });
  });

  it('answer ranges at the ends of time, and empty ranges', async () => {
    const wide = { startTime: '0000-01-01', endTime: '9999-12-31T23:59:59.9999999-23:59', buckets: 240 };
    const { body } = await session.graphql(HISTOGRAM, wide);
    const counts = body.data.auditHistogram.buckets.map(
      (b: { succeeded: number; failed: number }) => b.succeeded + b.failed,
    );
    expect(counts.reduce((a: number, b: number) => a + b, 0)).toBe(3);
    expect(counts.length).toBeLessThanOrEqual(240);
    const few = await session.graphql(HISTOGRAM, { ...wide, buckets: 10 });
    expect(few.body.errors).toBeUndefined();
    expect(few.body.data.auditHistogram.bucketSeconds).toBeGreaterThan(2 ** 31);
    const empty = await session.graphql(HISTOGRAM, { startTime: '2026-01-05', endTime: '2026-01-05' });
    expect(empty.body.data.auditHistogram).toMatchObject({ startTime: null, endTime: null, buckets: [] });
  });

  it('count events by value, largest first, with the names of actions', async () => {
    const { body } = await session.graphql(FACETS, { limit: 1 });
    const { totalCount, facets } = body.data.auditFacets;
    expect(totalCount).toBe(3);
    expect(
      facets.map(({ field, distinct }: { field: string; distinct: number }) => [field, distinct]),
    ).toEqual([
      ['actionId', 2],
      ['databaseName', 2],
      ['serverPrincipalName', 1],
      ['serverInstanceName', 1],
      ['succeeded', 2],
    ]);
    expect(facets[0].values).toEqual([{ value: 'SL', name: 'SELECT', succeeded: 1, failed: 1 }]);
    expect(facets[1].values).toEqual([{ value: 'Pay', name: null, succeeded: 1, failed: 1 }]);
  });

  it('show absent values as null, codes without a name, and filtered values as given', async () => {
    const { body } = await session.graphql(FACETS, { limit: 5 });
    const [actions, databases] = body.data.auditFacets.facets;
    expect(actions.values[1]).toEqual({ value: 'ZZ', name: null, succeeded: 1, failed: 0 });
    expect(databases.values[1]).toMatchObject({ value: null, succeeded: 1 });
    const filtered = await session.graphql(FACETS, { databaseName: 'Pay' });
    expect(filtered.body.data.auditFacets.facets[1].values).toEqual([
      { value: 'Pay', name: null, succeeded: 1, failed: 1 },
    ]);
  });

  it('count only the events that a filter by outcome or instance selects', async () => {
    const ofFailed = (await session.graphql(FACETS, { succeeded: false })).body.data.auditFacets;
    expect(ofFailed.totalCount).toBe(1);
    expect(ofFailed.facets[1].values).toEqual([{ value: 'Pay', name: null, succeeded: 0, failed: 1 }]);
    expect(ofFailed.facets[4].values).toEqual([{ value: 'false', name: null, succeeded: 0, failed: 1 }]);
    const ofInstance = async (serverInstanceName: string) =>
      (await session.graphql(FACETS, { serverInstanceName })).body.data.auditFacets.totalCount;
    expect([await ofInstance('SQLPROD01'), await ofInstance('sqlprod01')]).toEqual([3, 0]);
  });

  it('group events by up to three fields, all groups or the first ones, in any order, beside the period before', async () => {
    const groups = async (variables: object) =>
      (await session.graphql(GROUPS, variables)).body.data.auditGroups;
    const time = (minute: string) => `2026-01-05T10:${minute}:00.000Z`;
    expect(await groups({ fields: ['databaseName', 'actionId'] })).toEqual({
      totalCount: 3,
      groupCount: 2,
      first: ['Pay', ''],
      second: ['SL', 'ZZ'],
      third: null,
      succeeded: [1, 1],
      failed: [1, 0],
      before: null,
      recordedBefore: null,
      firstTime: [time('00'), time('09')],
      lastTime: [time('03'), time('09')],
    });
    const rarest = { fields: ['databaseName'], sortDirection: 'asc', limit: 1 };
    expect(await groups(rarest)).toMatchObject({ groupCount: 2, first: [''], second: null });
    const later = {
      fields: ['databaseName'],
      startTime: '2026-01-05T10:02:00Z',
      endTime: '2026-01-05T10:10:00Z',
      beforeStartTime: '2026-01-05T09:54:00Z',
      beforeEndTime: '2026-01-05T10:02:00Z',
      sortBy: 'databaseName',
    };
    expect(await groups(later)).toMatchObject({
      first: ['Pay', ''],
      before: [1, 0],
      recordedBefore: [true, true],
      totalCount: 2,
    });
    // Pay has no event from 10:04 on, and is listed where what has gone is asked for.
    const gone = { ...later, startTime: '2026-01-05T10:04:00Z', beforeEndTime: '2026-01-05T10:04:00Z' };
    expect(await groups(gone)).toMatchObject({ groupCount: 1, first: [''] });
    expect(await groups({ ...gone, sortBy: 'change', sortDirection: 'asc' })).toMatchObject({
      totalCount: 1,
      groupCount: 2,
      first: ['Pay', ''],
      succeeded: [0, 1],
      failed: [0, 0],
      before: [2, 0],
      lastTime: [time('03'), time('09')],
    });
    const day = (date: string) => `2026-01-${date}T00:00:00Z`;
    const unrecorded = {
      fields: ['serverPrincipalName', 'databaseName', 'actionId'],
      sortBy: 'change',
      startTime: day('05'),
      endTime: day('06'),
      beforeStartTime: day('04'),
      beforeEndTime: day('05'),
    };
    expect(await groups(unrecorded)).toMatchObject({
      third: ['ZZ', 'SL'],
      before: [0, 0],
      recordedBefore: [false, false],
    });
  });

  it('give a group that several tenants have in the period before alone the first and the last time of all of them', async () => {
    const tenants = [
      await open.world.tenant(),
      await open.world.tenant(),
      await open.world.tenant(),
    ] as const;
    const at = (minute: string) => `2026-02-05T${minute}:00.000Z`;
    const audit = (place: 0 | 1 | 2, minute: string, databaseName: string) =>
      tenants[place].audited({ eventTime: at(minute).replace('Z', '0000Z'), databaseName });
    await audit(0, '10:03', 'Gone');
    await audit(1, '10:01', 'Gone');
    await audit(2, '10:05', 'Gone');
    // The times of a group with events in the range are those of the range.
    for (const minute of ['12:02', '12:03']) await audit(1, minute, 'Here');
    await audit(0, '10:04', 'Here');
    const { key } = await open.world.key({ tenantIds: tenants.map(({ tenantId }) => tenantId) });
    const ofAll = await DashboardSession.signIn(open.world, key);
    const { body } = await ofAll.graphql(GROUPS, {
      ...{ fields: ['databaseName'], sortBy: 'before', sortDirection: 'desc' },
      ...{ startTime: at('12:00'), endTime: at('13:00') },
      ...{ beforeStartTime: at('10:00'), beforeEndTime: at('11:00') },
    });
    expect(body.data.auditGroups).toMatchObject({
      ...{ totalCount: 2, groupCount: 2, first: ['Gone', 'Here'], succeeded: [0, 2], before: [3, 1] },
      firstTime: [at('10:01'), at('12:02')],
      lastTime: [at('10:05'), at('12:03')],
    });
  });

  it('show groups over time, as a grid and by the hours of the week', async () => {
    const ask = async (query: string, variables: object = {}) =>
      (await session.graphql(query, variables)).body.data;
    const { auditGroupsOverTime: bars } = await ask(
      `{ auditGroupsOverTime(fields: ["databaseName", "actionId"], startTime: "2026-01-05T10:00:00Z",
        endTime: "2026-01-05T10:10:00Z", buckets: 10, sortDirection: "asc", groups: 1) {
        totalCount groupCount bucketSeconds timeZone starts endTime events groups { values events } } }`,
    );
    const at = (place: number, n: number) => Array(10).fill(0).with(place, n);
    expect(bars).toEqual({
      totalCount: 3,
      groupCount: 2,
      bucketSeconds: 60,
      timeZone: null,
      starts: Array.from({ length: 10 }, (_, i) => `2026-01-05T10:0${i}:00.0000000Z`),
      endTime: '2026-01-05T10:10:00.0000000Z',
      events: at(0, 1).with(3, 1).with(9, 1),
      groups: [{ values: ['', 'ZZ'], events: at(9, 1) }],
    });
    const { auditGroupsOverTime: some } = await ask(
      `{ auditGroupsOverTime(fields: ["databaseName"], filter: "NOT succeeded:false", startTime: "2026-01-05T10:00:00Z",
        endTime: "2026-01-05T10:10:00Z", buckets: 10, sortBy: "databaseName", sortDirection: "asc") {
        totalCount events groups { values events } } }`,
    );
    const sums = (some.groups as { events: number[] }[]).map(({ events }) => events.reduce((a, b) => a + b));
    expect([some.totalCount, some.groups.length, sums]).toEqual([2, 2, [1, 1]]);
    const { auditGroupGrid: grid } = await ask(
      `{ auditGroupGrid(fields: ["databaseName", "actionId", "serverPrincipalName"], values: 1) {
        totalCount groupCount axes { field values distinct } first second third succeeded failed } }`,
    );
    expect(grid).toMatchObject({
      totalCount: 3,
      groupCount: 2,
      axes: [{ field: 'databaseName', values: ['Pay'], distinct: 2 }, { values: ['SL'] }, { distinct: 1 }],
      first: [0, 1],
      second: [0, 1],
      third: [0, 0],
      succeeded: [1, 1],
      failed: [1, 0],
    });
    const { auditGroupGrid: weighed } = await ask(
      `{ auditGroupGrid(fields: ["actionId"], sumOf: "responseRows") { axes { values } sum } }`,
    );
    expect(weighed.sum).toHaveLength(weighed.axes[0].values.length);
    const WEEK = `query($timeZone: String, $startTime: String) {
      auditWeekHours(timeZone: $timeZone, startTime: $startTime) { succeeded failed busiest busiestTime } }`;
    const { auditWeekHours: hours } = await ask(WEEK, { timeZone: 'Asia/Kolkata' });
    // Monday, 10:00 UTC, which the clock of Kolkata shows as 15:30.
    expect([hours.succeeded.length, hours.succeeded[15], hours.failed[15], hours.busiest[15]]).toEqual([
      168, 2, 1, 3,
    ]);
    expect(hours.busiestTime[15]).toBe('2026-01-05T09:30:00.000Z');
    const long = await session.graphql(WEEK, { startTime: '2020-01-01' });
    expect(long.body.errors[0]).toMatchObject({
      message: expect.stringContaining('more than 20000 hours'),
      extensions: { code: 'invalid_parameter' },
    });
  });

  it('find a value that holds a text, also behind those that are searched by counts', async () => {
    const limit = jest.replaceProperty(LIMITS, 'facetValuesSearchedMax', 1 as never);
    try {
      const { body } = await session.graphql(
        '{ auditFacets(fields: ["actionId"], contains: "z") { facets { distinct values { value } } } }',
      );
      expect(body.data.auditFacets.facets).toEqual([{ distinct: 1, values: [{ value: 'ZZ' }] }]);
    } finally {
      limit.restore();
    }
  });

  it('refuse more groups than can be counted, and say what to do', async () => {
    const limit = jest.replaceProperty(LIMITS, 'groupsCountedMax', 1 as never);
    try {
      const { body } = await session.graphql(
        '{ auditGroups(fields: ["databaseName", "hostName"]) { groupCount } }',
      );
      expect(body.errors[0]).toMatchObject({
        message: expect.stringContaining(
          'more than 1 groups by databaseName and hostName: narrow the time range',
        ),
        extensions: { code: 'invalid_parameter' },
      });
    } finally {
      limit.restore();
    }
  });

  it('never count the events of another tenant', async () => {
    const { body } = await ofOther.graphql(FACETS, {});
    const text = JSON.stringify((await session.graphql(FACETS, { limit: 100 })).body);
    expect(body.data.auditFacets.totalCount).toBe(1);
    const groups = await session.graphql('{ auditGroups(fields: ["databaseName", "tenantId"]) { first } }');
    expect(groups.body.data.auditGroups.first).toEqual(['Pay', '']);
    expect(text).not.toContain('Secret');
    expect(text).not.toContain('LOGIN SUCCEEDED');
  });

  it.each([
    [HISTOGRAM, { buckets: 9 }, 'buckets must be a whole number from 10 to 240'],
    [HISTOGRAM, { startTime: 'x', buckets: 241 }, 'startTime must be an ISO 8601'],
    [FACETS, { limit: 101 }, 'limit must be a whole number from 1 to 100'],
    [FACETS, { search: '"' }, 'search has a quotation mark that is not closed'],
  ])('refuse invalid arguments with the reason: %#', async (query, variables, text) => {
    const { body } = await session.graphql(query, variables);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining(text),
      extensions: { code: 'invalid_parameter' },
    });
  });
});
