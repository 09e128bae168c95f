import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../src/limits';
import { accessLog } from '../support/access-log';
import { DashboardSession } from '../support/dashboard-session';
import { describeOnPostgres, ONE_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { LIVE, LiveStream } from '../support/live-stream';
import { SEED } from '../support/share';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import { type TestTenant, World } from '../support/world';

const REVOKE = 'mutation($id: String!) { revokeApiKey(keyId: $id) { keyId } }';
const statements = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => `SELECT ${from + i}`);
const send = (tenant: TestTenant, of: readonly string[], change: object = {}) =>
  tenant.ingest(of.map((statement) => anEvent({ statement, ...change })));
const sent = (stream: { readonly items: readonly { statementPreview: string }[] }) =>
  stream.items.map(({ statementPreview }) => statementPreview);

/** Resolves when the service has answered with the place from which the stream goes on. */
async function started(stream: LiveStream): Promise<LiveStream> {
  await until(
    () => stream.id,
    (id) => id !== null,
  );
  return stream;
}

describe.each(ONE_ENGINE)('the live stream on %s', (engine) => {
  useLimits({ ...QUICK_LOG, liveStreamsPerHolder: 3 });
  const open = useWorld(engine);
  const signIn = (key: string) => DashboardSession.signIn(open.world, key);
  const stream = (session: DashboardSession, options = {}) =>
    LiveStream.open(open.world.service.url, session, options);

  it('brings events as they arrive, as items of the list, and no earlier ones', async () => {
    const acme = await open.world.tenant();
    await send(acme, ['SELECT 0']);
    const session = await signIn(acme.key);
    await until(
      async () => (await acme.get('/audit-log')).body.data?.size,
      (size) => size === 1,
    );
    const live = await started(await stream(session));
    await send(acme, [`SELECT '${'x'.repeat(300)}'`]);
    await live.has(1);
    live.cut();
    const { data } = (
      await session.graphql(
        `{ auditEvents(pageSize: 1, filter: "x*") { items { recordId tenantId eventTime actionId succeeded
           serverInstanceName databaseName schemaName objectName serverPrincipalName databasePrincipalName
           applicationName hostName clientIp sourceType responseRows affectedRows sessionId transactionId classType
           targetServerPrincipalName targetDatabasePrincipalName roleMember statementPreview } } }`,
      )
    ).body;
    expect(live.items).toEqual(data.auditEvents.items);
    expect(live.items[0].statementPreview).toHaveLength(200);
  });

  it('goes on from the last id: whatever cuts it where, each event comes once', async () => {
    const acme = await open.world.tenant();
    const session = await signIn(acme.key);
    let random = SEED + 7;
    const below = (n: number) => {
      random = (random * 48_271 + 11) % 2_147_483_647;
      return random % n;
    };
    const [all, found]: [string[], string[]] = [[], []];
    let { id } = await started(await stream(session));
    for (let round = 0; round < 12; round++) {
      const live = await stream(session, { id });
      const batch = statements(all.length, 1 + below(9));
      all.push(...batch);
      const arriving = send(acme, batch);
      await delay(below(200));
      await arriving;
      live.cut();
      await live.over();
      found.push(...sent(live));
      id = live.id ?? id;
    }
    const last = await (await stream(session, { id })).has(all.length - found.length);
    last.cut();
    expect([...found, ...sent(last)]).toEqual(all);
  });

  it('has the filters of the list, and refuses what it does not understand', async () => {
    const acme = await open.world.tenant();
    const session = await signIn(acme.key);
    const query = `?${new URLSearchParams({ filter: 'actionId:(DL OR UP) -databaseName:HR', search: 'salary' })}`;
    const live = await started(await stream(session, { query }));
    await send(acme, ['SELECT salary'], { actionId: 'SL' });
    await send(acme, ['DELETE salary 1'], { actionId: 'DL', databaseName: 'HR' });
    await send(acme, ['DELETE salary 2'], { actionId: 'DL' });
    await live.has(1);
    expect(sent(live)).toEqual(['DELETE salary 2']);
    live.cut();
    const other = await session.fetch(LIVE, { headers: { 'Last-Event-ID': live.id ?? '' } });
    expect([other.status, other.body.error.code]).toEqual([400, 'invalid_parameter']);
    for (const wrong of ['?filter=actionId:(', '?page=2', '?from=beginning'])
      expect((await session.fetch(LIVE + wrong)).status).toBe(400);
  });

  it('moves on past what its filter leaves out, so that the next stream need not read it again', async () => {
    const acme = await open.world.tenant();
    const session = await signIn(acme.key);
    const query = '?filter=actionId:DL';
    const silence = jest.replaceProperty(LIMITS, 'liveSilenceSeconds', 1 as never);
    const live = await started(await stream(session, { query }));
    const { id: first } = live;
    await send(acme, statements(0, 3), { actionId: 'SL' });
    await until(
      () => live.id,
      (id) => id !== first,
    );
    silence.restore();
    expect(live.items).toEqual([]);
    live.cut();
    await send(acme, ['DELETE x'], { actionId: 'DL' });
    const next = await (await stream(session, { id: live.id, query })).has(1);
    next.cut();
    expect(sent(next)).toEqual(['DELETE x']);
  });

  const refused = async (session: DashboardSession, headers = {}) => {
    const { status, body } = await session.fetch(LIVE, { headers });
    return [status, body.error.code];
  };

  it('has the tenants of the session, and none of another', async () => {
    const { world } = open;
    const [acme, other] = [await world.tenant(), await world.tenant()];
    const both = await world.key({ tenantIds: [acme.tenantId, other.tenantId] });
    const streams = await Promise.all(
      [acme.key, other.key, both.key].map(async (key) => started(await stream(await signIn(key)))),
    );
    await send(acme, ['SELECT acme']);
    await send(other, ['SELECT other']);
    await Promise.all(streams.map((live, i) => live.has(i === 2 ? 2 : 1)));
    for (const live of streams) live.cut();
    expect(streams.map((live) => sent(live).sort())).toEqual([
      ['SELECT acme'],
      ['SELECT other'],
      ['SELECT acme', 'SELECT other'],
    ]);
    const id = streams[2]?.id ?? '';
    expect(await refused(await signIn(acme.key), { 'Last-Event-ID': id })).toEqual([403, 'forbidden']);
  });

  it('goes on without a tenant that is disabled, and keeps its place there', async () => {
    const { world } = open;
    const [acme, other] = [await world.tenant(), await world.tenant()];
    const { key } = await world.key({ tenantIds: [acme.tenantId, other.tenantId] });
    const session = await signIn(key);
    const before = await started(await stream(session));
    const disabling = `mutation($id: String!) { disableTenant(tenantId: $id, reason: "unpaid") { tenantId } }`;
    await send(other, ['SELECT 1']);
    await before.has(1);
    await world.operate(disabling, { id: other.tenantId });
    expect((await before.over()).end?.code).toBe('forbidden');
    const during = await stream(session, { id: before.id });
    expect(during.status).toBe(200);
    await send(acme, ['SELECT 2']);
    await during.has(1);
    during.cut();
    await world.operate('mutation($id: String!) { enableTenant(tenantId: $id) { tenantId } }', {
      id: other.tenantId,
    });
    await send(other, ['SELECT 3']);
    const after = await (await stream(session, { id: during.id })).has(1);
    after.cut();
    expect([before, during, after].map(sent)).toEqual([['SELECT 1'], ['SELECT 2'], ['SELECT 3']]);
  });

  it('is for sessions of the page that may read events', async () => {
    const { world } = open;
    const acme = await world.tenant();
    expect((await world.fetch(LIVE, { headers: { 'X-Api-Key': acme.key } })).status).toBe(401);
    const session = await signIn(acme.key);
    expect(await refused(session, { Origin: 'https://elsewhere.example' })).toEqual([403, 'forbidden']);
    expect(await refused(await signIn(world.operatorKey))).toEqual([403, 'forbidden']);
    const { key } = await world.key({ tenantIds: [acme.tenantId], scopes: ['read:alerts'] });
    expect(await refused(await signIn(key))).toEqual([403, 'forbidden']);
    expect(await refused(session, { 'Last-Event-ID': 'x' })).toEqual([400, 'invalid_parameter']);
    const long = { 'Last-Event-ID': 'x'.repeat(LIMITS.tailCursorCharsMax + 1) };
    expect(await refused(session, long)).toEqual([400, 'invalid_parameter']);
  });

  it.each([
    ['its key is revoked', (acme: TestTenant) => open.world.operate(REVOKE, { id: acme.keyId })],
    [
      'it is signed out',
      (_acme: TestTenant, session: DashboardSession) =>
        session.fetch('/dashboard/api/sign-out', { method: 'POST' }),
    ],
  ])('ends within a second or so when %s, and brings nothing later', async (_title, end) => {
    const acme = await open.world.tenant();
    const session = await signIn(acme.key);
    const live = await started(await stream(session));
    const begun = performance.now();
    await end(acme, session);
    await live.over();
    // Without a look of its own, it would end with the silence.
    expect(performance.now() - begun).toBeLessThan(LIMITS.liveSilenceSeconds * 800);
    expect(live.end?.code).toBe('unauthorized');
    await send(acme, ['SELECT late']);
    expect(live.items).toEqual([]);
    expect(await refused(session)).toEqual([401, 'unauthorized']);
  });

  it('masks statements from the moment on at which the tenant masks them', async () => {
    const { world } = open;
    const acme = await world.tenant();
    const live = await started(await stream(await signIn(acme.key)));
    await send(acme, ["SELECT 'plain'"]);
    await live.has(1);
    await world.operate(
      'mutation($id: String!) { setTenantMasking(tenantId: $id, masksStatements: true) { tenantId } }',
      { id: acme.tenantId },
    );
    await until(
      async () => (await acme.get('/audit-activity')).text.includes('plain'),
      (isPlain) => !isPlain,
    );
    await send(acme, ["SELECT 'hidden'"]);
    await live.has(2);
    live.cut();
    expect(sent(live)[0]).toBe("SELECT 'plain'");
    expect(sent(live)[1]).toMatch(/^SELECT/);
    expect(live.text).not.toContain('hidden');
  });

  it('is no use of the session, and one entry of the access log for as long as it is begun anew', async () => {
    const { world } = open;
    const acme = await world.tenant();
    const session = await signIn(acme.key);
    const idleEnd = async () => {
      const { body } = await session.fetch('/dashboard/api/session', {
        headers: { 'X-Dashboard': 'unattended' },
      });
      return body.idleExpiresAt;
    };
    const replaced = jest.replaceProperty(LIMITS, 'sessionUseMs', 0 as never);
    const before = await idleEnd();
    let id: string | null = null;
    for (let i = 0; i < 3; i++) {
      const live: LiveStream = await stream(session, { id, query: '?filter=actionId:SL' });
      await send(acme, [`SELECT ${i}`]);
      await live.has(1);
      live.cut();
      id = live.id;
    }
    expect(await idleEnd()).toBe(before);
    await session.fetch('/dashboard/api/session');
    expect(await idleEnd()).not.toBe(before);
    replaced.restore();
    const entries = await until(
      () => accessLog(world, { operation: 'liveAuditActivity', tenantId: acme.tenantId }),
      ({ length }) => length > 0,
      LIMITS.accessLogViewMs * 4,
    );
    expect(entries).toEqual([
      expect.objectContaining({
        entrance: 'dashboard',
        parameters: '{"filter":"actionId:SL"}',
        outcome: 'ok',
      }),
    ]);
  });

  it('ends after its time, with the id from which the next goes on, and tells meanwhile that it lives', async () => {
    const replaced = [
      jest.replaceProperty(LIMITS, 'liveMs', 1_500 as never),
      jest.replaceProperty(LIMITS, 'liveSilenceSeconds', 0.4 as never),
    ];
    const acme = await open.world.tenant();
    const session = await signIn(acme.key);
    const live = await (await stream(session)).over();
    expect(live.end).toEqual({ code: null });
    expect(live.text.match(/^:$/gm)?.length).toBeGreaterThanOrEqual(2);
    await send(acme, ['SELECT between']);
    const next = await (await stream(session, { id: live.id })).has(1);
    next.cut();
    expect(sent(next)).toEqual(['SELECT between']);
    for (const one of replaced) one.restore();
  });

  it('is one of a few of its key, and leaves its place when it ends', async () => {
    const acme = await open.world.tenant();
    const sessions = await Promise.all([signIn(acme.key), signIn(acme.key)]);
    const of = (i: number) => stream(sessions[i % 2] as DashboardSession);
    const streams = await Promise.all([of(0), of(1), of(0)]);
    await Promise.all(streams.map(started));
    const further = await of(1);
    expect(further.status).toBe(429);
    for (const live of streams) live.cut();
    await until(
      async () => (await of(1)).status,
      (status) => status === 200,
    );
  });

  it('is not faster than a stream may have bytes', async () => {
    const acme = await open.world.tenant();
    const replaced = [
      jest.replaceProperty(LIMITS, 'liveBytesPerMs', 20 as never),
      jest.replaceProperty(LIMITS, 'liveEventsMax', 10 as never),
    ];
    const session = await signIn(acme.key);
    const { id } = await started(await stream(session));
    await send(acme, statements(0, 60));
    await until(
      async () => (await acme.get('/audit-log')).body.data?.size,
      (size) => size === 60,
    );
    const begun = performance.now();
    const live = await (await stream(session, { id })).has(40);
    expect(performance.now() - begun).toBeGreaterThan((live.text.length / 20_000) * 500);
    for (const one of replaced) one.restore();
  });
});

describeOnPostgres('live streams of an instance that stops', () => {
  useLimits(QUICK_LOG);

  it('end at once, and go on at another instance', async () => {
    const one = await World.open('postgresql');
    const two = await World.on({ ...one.database });
    const acme = await one.tenant();
    const session = await DashboardSession.signIn(one, acme.key);
    const live = await started(await LiveStream.open(two.service.url, session));
    await send(acme, ['SELECT 1']);
    await live.has(1);
    const closed = two.service.close();
    // A stream that did not end by itself would be cut without a last message.
    expect((await live.over()).end).toEqual({ code: null });
    await closed;
    await send(acme, ['SELECT 2']);
    const next = await (await LiveStream.open(one.service.url, session, { id: live.id })).has(1);
    expect(sent(next)).toEqual(['SELECT 2']);
    next.cut();
    await one.close();
  });
});
