import { FIELD_NAMES, LIFTED_NAMES } from '../../../src/event/fields';
import { LIMITS } from '../../../src/limits';
import { ENGINES, ONE_ENGINE } from '../../support/engines';
import { anEvent } from '../../support/events';
import { QUICK_LOG, useLimits } from '../../support/use-limits';
import { useSharedWorld } from '../../support/use-world';
import { type TestTenant } from '../../support/world';
import { linesOf } from '../export/support';
import { expectError } from '../support/operations';
import { drain, type Item, idsOf, PATH, sequenced } from './support';

const minute = (i: number) => `2026-03-05T10:${String(i % 60).padStart(2, '0')}:00.0000000Z`;
const events = (count: number, change: object = {}) =>
  Array.from({ length: count }, (_, i) => anEvent({ eventTime: minute(i), ...change }));

describe.each(ENGINES)(`GET ${PATH} on %s`, (engine) => {
  useLimits(QUICK_LOG);
  const open = useSharedWorld(engine);
  const filled = async (count: number, change: object = {}): Promise<TestTenant> => {
    const tenant = await open.world.tenant();
    await tenant.ingest(events(count, change));
    await sequenced(tenant, count);
    return tenant;
  };

  it('gives a new reader 150 events, and then exactly the 80 older events that arrived later', async () => {
    const acme = await filled(150);
    const first = await drain(acme, { from: 'beginning', limit: 60 });
    expect(first.items).toHaveLength(150);
    const late = events(80, { eventTime: '2026-01-02T03:04:05.0000000Z' });
    await acme.ingest(late);
    await sequenced(acme, 230);
    const second = await drain(acme, { cursor: first.cursor, limit: 60 });
    expect(second.items).toHaveLength(80);
    expect(second.items.every(({ eventTime }) => eventTime.startsWith('2026-01-02T03:04:05'))).toBe(true);
    expect(new Set(idsOf([...first.items, ...second.items])).size).toBe(230);
    const third = await acme.get(PATH, { cursor: second.cursor });
    expect(third.body).toMatchObject({ data: [], meta: { caughtUp: true, removed: 0 } });
    expect(third.body.meta.nextCursor).toEqual(expect.any(String));
  });

  it('gives whole events with their position and time of arrival', async () => {
    const acme = await filled(3, { statement: 'x'.repeat(5_000) });
    const { items } = await drain(acme, { from: 'beginning' });
    for (const [i, item] of items.entries()) {
      expect(Object.keys(item)).toEqual([
        ...FIELD_NAMES,
        'additional',
        ...LIFTED_NAMES,
        'receivedAt',
        'position',
      ]);
      expect(item.position).toBe(String(i));
      expect(item.statement).toHaveLength(5_000);
      expect(item.additional).toMatchObject({ sessionId: 55 });
      expect(item).toMatchObject({ sessionId: '55', classType: 'U', responseRows: null });
      expect(Math.abs(Date.now() - Date.parse(item.receivedAt))).toBeLessThan(60_000);
    }
    const { body } = await acme.get('/audit-activity', { sortDirection: 'asc' });
    expect(idsOf(body.data)).toEqual(idsOf(items));
  });

  it('gives lines of JSON on request, with everything else in headers', async () => {
    const acme = await filled(25);
    const { items, last } = await drain(acme, { from: 'beginning' });
    const answer = await open.world.get(PATH, acme.key, {
      query: { from: 'beginning', limit: 10 },
      headers: { Accept: 'application/x-ndjson' },
    });
    expect(answer.headers.get('Content-Type')).toBe('application/x-ndjson');
    const lines = answer.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(lines).toEqual(items.slice(0, 10));
    expect(answer.headers.get('X-Caught-Up')).toBe('false');
    expect(answer.headers.get('X-Removed')).toBe('0');
    const rest = await drain(acme, { cursor: answer.headers.get('X-Next-Cursor') ?? '' });
    expect(rest.items).toEqual(items.slice(10));
    expect(last.headers.get('X-Next-Cursor')).toBe(last.body.meta.nextCursor);
  });

  it.each([
    'application/x-ndjson; charset=utf-8',
    'application/x-ndjson;charset=UTF-8, application/json;q=0.5',
  ])('gives lines to a caller who states their encoding too: %s', async (accept) => {
    const acme = await filled(3);
    const ask = (headers: Record<string, string>) =>
      open.world.get(PATH, acme.key, { query: { from: 'beginning' }, headers });
    const stated = await ask({ Accept: accept });
    expect(stated.headers.get('Content-Type')).toBe('application/x-ndjson');
    expect(stated.text).toBe((await ask({ Accept: 'application/x-ndjson' })).text);
    const json = await ask({ Accept: 'application/json;charset=utf-8, application/x-ndjson;q=0.5' });
    expect(json.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  });

  it('refuses sources together with lines, which have no place for them', async () => {
    const acme = await filled(1);
    const query = { from: 'beginning', include: 'sources' };
    const headers = { Accept: 'application/x-ndjson' };
    const { status, body } = await open.world.get(PATH, acme.key, { query, headers });
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toContain('call /audit-sources');
    expect((await open.world.get(PATH, acme.key, { query })).status).toBe(200);
  });

  it('links to the next call, with its filters and limit', async () => {
    const acme = await filled(12, { actionId: 'UP' });
    let url: string | null =
      `${open.world.service.url}/api/v1/public${PATH}?from=beginning&actionId=UP&limit=5`;
    const found: Item[] = [];
    for (let i = 0; i < 3; i++) {
      const response: Response = await fetch(url as string, { headers: { 'X-Api-Key': acme.key } });
      found.push(...((await response.json()) as { data: Item[] }).data);
      const [, next = ''] = /^<(.+)>; rel="next"$/.exec(response.headers.get('Link') ?? '') ?? [];
      expect(new URL(next).searchParams.get('limit')).toBe('5');
      url = next;
    }
    expect(new Set(idsOf(found)).size).toBe(12);
  });

  it.each<[string, object, number]>([
    ['an action', { actionId: 'UP' }, 20],
    ['words', { search: 'salary' }, 20],
    ['an expression', { filter: 'actionId:UP AND NOT succeeded:false' }, 20],
    ['a time range', { startTime: minute(0), endTime: minute(5) }, 5],
    ['what nobody did', { principalName: 'nobody' }, 0],
  ])('gives those that match: %s', async (_title, filter, count) => {
    const acme = await filled(60);
    const others = events(20, {
      actionId: 'UP',
      statement: 'UPDATE salary',
      eventTime: '2026-03-06T10:00:00Z',
    });
    await acme.ingest(others);
    await sequenced(acme, 80);
    const { items, cursor } = await drain(acme, { from: 'beginning', limit: 7 }, filter as never);
    expect(items).toHaveLength(count);
    const listed = await acme.get('/audit-activity', { ...filter, pageSize: 100 });
    expect(idsOf(items).sort()).toEqual(idsOf(listed.body.data).sort());
    expect((await acme.get(PATH, { cursor, ...filter })).body.meta.caughtUp).toBe(true);
  });

  it('begins now, or with the events that arrived since a time', async () => {
    const acme = await filled(10);
    const now = await acme.get(PATH, { from: 'now' });
    expect(now.body).toMatchObject({ data: [], meta: { caughtUp: true } });
    const between = new Date(Date.now() + 1).toISOString();
    await acme.ingest(events(4, { eventTime: '2026-01-02T00:00:00Z' }));
    await sequenced(acme, 14);
    const after = await drain(acme, { cursor: now.body.meta.nextCursor });
    expect(after.items).toHaveLength(4);
    const at = after.items[0].receivedAt;
    expect(idsOf((await drain(acme, { from: at })).items)).toEqual(idsOf(after.items));
    expect(at >= between || Date.parse(between) - Date.parse(at) < 5).toBe(true);
    const later = new Date(Date.parse(at) + 1).toISOString();
    expect((await drain(acme, { from: later })).items).toEqual([]);
    expect((await drain(acme, { from: '2001-01-01' })).items).toHaveLength(14);
  });

  it.each(['0000-01-01', '1969-12-31', '6054-01-01', '9999-12-31T23:59:59.99999999Z'])(
    'accepts any time as a time of arrival: %s',
    async (from) => {
      const acme = await filled(3);
      expect((await drain(acme, { from })).items).toHaveLength(from < '2026' ? 3 : 0);
    },
  );

  it('accepts the longest filter, and leaves out a link that clients would refuse as too long', async () => {
    const acme = await filled(1);
    const filter = `objectName:"${'Ω'.repeat(LIMITS.expressionCharsMax - 13)}"`;
    const first = await acme.get(PATH, { from: 'beginning', filter });
    expect([first.status, first.headers.get('Link')]).toEqual([200, null]);
    const cursor = first.headers.get('X-Next-Cursor') ?? '';
    expect((await acme.get(PATH, { cursor, filter })).status).toBe(200);
  });

  it('waits for new events, and answers as soon as they arrive', async () => {
    const acme = await filled(5);
    const { cursor } = await drain(acme, { from: 'now' });
    const waiting = acme.get(PATH, { cursor, wait: 20 });
    const begun = performance.now();
    await acme.ingest(events(2));
    const { body } = await waiting;
    expect(body.data).toHaveLength(2);
    expect(performance.now() - begun).toBeLessThan(18_000);
    const nothing = await acme.get(PATH, { cursor: body.meta.nextCursor, wait: 1 });
    expect(nothing.body).toMatchObject({ data: [], meta: { caughtUp: true } });
  });

  it('continues to wait if the new events do not match', async () => {
    const acme = await filled(1);
    const query = { actionId: 'UP' };
    const { cursor } = await drain(acme, { from: 'now' }, query);
    const waiting = acme.get(PATH, { cursor, wait: 20, ...query });
    await acme.ingest(events(3, { actionId: 'SL' }));
    await sequenced(acme, 4);
    await acme.ingest(events(2, { actionId: 'UP' }));
    expect((await waiting).body.data).toHaveLength(2);
  });
});

describe.each(ONE_ENGINE)('events in the schemas OCSF and ECS on %s', (engine) => {
  useLimits(QUICK_LOG);
  const open = useSharedWorld(engine);
  const filled = async () => {
    const acme = await open.world.tenant();
    await acme.ingest(['LGIS', 'SL', 'CR'].map((actionId) => anEvent({ actionId })));
    await sequenced(acme, 3);
    return acme;
  };

  it('are available in the tail, each with its position in the evidence log', async () => {
    const acme = await filled();
    const ids = idsOf((await drain(acme, { from: 'beginning' })).items);
    const ocsf = (await drain(acme, { from: 'beginning', format: 'ocsf' })).items;
    expect(ocsf.map(({ metadata }) => metadata.uid)).toEqual(ids);
    expect(ocsf.map(({ metadata }) => metadata.sequence)).toEqual([0, 1, 2]);
    const ecs = (await drain(acme, { from: 'beginning', format: 'ecs' })).items;
    expect(ecs.map(({ event }) => [event.id, event.sequence])).toEqual(ids.map((id, i) => [id, i]));
  });

  it('can be chosen anew with each call, because a cursor holds a position and no schema', async () => {
    const acme = await filled();
    const { body } = await acme.get(PATH, { from: 'beginning', limit: 1 });
    const next = await acme.get(PATH, { cursor: body.meta.nextCursor, format: 'ocsf' });
    expect(next.body.data).toHaveLength(2);
  });

  it('are available in the export as lines of JSON, but not as CSV', async () => {
    const acme = await filled();
    const lines = linesOf(await acme.get('/audit-activity/export', { schema: 'ocsf' }));
    expect(lines.map(({ class_uid }) => class_uid).sort()).toEqual([3002, 3004, 6005]);
    expect(linesOf(await acme.get('/audit-activity/export', { schema: 'ecs', end: 1 })).at(-1)).toEqual({
      end: { count: 3 },
    });
    expectError(
      await acme.get('/audit-activity/export', { schema: 'ecs', format: 'csv' }),
      400,
      'invalid_parameter',
    );
  });
});
