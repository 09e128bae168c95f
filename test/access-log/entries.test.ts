import { AccessLog } from '../../src/caller/access-log';
import { newKey } from '../../src/caller/key-format';
import { LIMITS } from '../../src/limits';
import { accessLog, type LoggedAccess } from '../support/access-log';
import type { Answer } from '../support/answer';
import { createTestDatabase, ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { type TestTenant, World } from '../support/world';

const UUID = '00000000-0000-8000-8000-000000000000';
const parametersOf = (entry?: LoggedAccess) => JSON.parse(entry?.parameters ?? 'null');
const requestOf = ({ headers }: Answer) => headers.get('X-Request-Id') ?? '';

describe.each(ENGINES)('the access log on %s', (engine) => {
  const open = useWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await open.world.tenant();
    await acme.ingest([anEvent(), anEvent(), anEvent({ actionId: 'IN' })]);
  });

  /** Waits for the entries of a request. @returns them */
  const entriesOf = (answer: Answer, operation: string): Promise<LoggedAccess[]> =>
    until(
      async () =>
        (await accessLog(open.world, { operation })).filter((e) => e.requestId === requestOf(answer)),
      (entries) => entries.length > 0,
    );

  it('records who read what, of which tenant, when, from where, and how many rows', async () => {
    const before = Date.now();
    const answer = await acme.get('/audit-activity', { actionId: 'SL', pageSize: 1 });
    const [entry, ...others] = await entriesOf(answer, 'auditEvents');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      principalKind: 'public',
      keyId: acme.keyId,
      keyName: 'test',
      userName: null,
      entrance: 'rest',
      tenantIds: [acme.tenantId],
      rows: 1,
      outcome: 'ok',
      subject: null,
      address: '127.0.0.1',
    });
    expect(parametersOf(entry)).toEqual({ actionId: 'SL', pageSize: 1, page: 1, sortDirection: 'desc' });
    expect(Date.parse(entry?.at ?? '')).toBeGreaterThanOrEqual(before);
    expect(Date.parse(entry?.at ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['a detail', `/audit-activity/${UUID}`, 'auditEvent', { recordId: UUID }, 0],
    ['a summary', '/audit-activity/summary', 'auditSummary', {}, 1],
    ['a page beyond the end', '/audit-activity?page=9', 'auditEvents', { page: 9 }, 0],
  ])('counts the rows of %s', async (_, path, operation, parameters, rows) => {
    const [entry] = await entriesOf(await open.world.get(path, acme.key), operation);
    expect(entry).toMatchObject({ rows, outcome: 'ok' });
    expect(parametersOf(entry)).toMatchObject(parameters);
  });

  it('records each read of a GraphQL document with several', async () => {
    const document = '{ a: auditEvents(pageSize: 2) { page } b: auditEvents(pageSize: 1) { page } }';
    const answer = await open.world.graphql(acme.key, document);
    const entries = await until(
      () => entriesOf(answer, 'auditEvents'),
      (found) => found.length > 1,
    );
    expect(entries.map((e) => `${e.entrance} ${e.parameters} ${e.rows}`).sort()).toEqual([
      'graphql {"pageSize":1} 1',
      'graphql {"pageSize":2} 2',
    ]);
  });

  it('records what a refused read asked for', async () => {
    const { keyId, key } = await open.world.key({ tenantIds: [acme.tenantId], scopes: [], name: 'blind' });
    const answer = await open.world.get('/audit-activity', key, { query: { search: 'salary' } });
    expect(answer.status).toBe(403);
    expect(await entriesOf(answer, 'auditEvents')).toMatchObject([
      { keyId, keyName: 'blind', outcome: 'forbidden', rows: null, parameters: '{"search":"salary"}' },
    ]);
  });

  it('masks a key that was given as another parameter', async () => {
    const secret = newKey('operator');
    const answer = await open.world.graphql(
      open.world.operatorKey,
      `mutation { revokeApiKey(keyId: "${secret}") { keyId } }`,
    );
    const [entry] = await entriesOf(answer, 'revokeApiKey');
    expect(entry).toMatchObject({
      outcome: 'invalid_parameter',
      parameters: expect.stringContaining('aao_'),
    });
    expect(entry?.parameters).not.toContain(secret.slice(0, 20));
  });

  it("records an operator's change together with the change, with the id of what was made", async () => {
    const { world } = open;
    const { tenantId } = await world.tenant('Made');
    const { keyId } = await world.key({ tenantIds: [tenantId], name: 'made' });
    await world.operate('mutation($k: String!) { revokeApiKey(keyId: $k) { keyId } }', { k: keyId });
    await world.operate('mutation($k: String!) { revokeApiKey(keyId: $k) { keyId } }', { k: keyId });
    const days = 'mutation($t: String!) { setTenantRetention(tenantId: $t, days: 30) { tenantId } }';
    await world.operate(days, { t: tenantId });
    // The test does not wait, since the entry is written with the change.
    const entries = (await accessLog(world, { tenantId })).filter((e) => e.principalKind === 'operator');
    expect(entries.reverse().map((e) => [e.operation, e.subject, e.rows, e.outcome])).toEqual([
      ['createTenant', tenantId, 1, 'ok'],
      ['createApiKey', expect.stringMatching(/^[0-9a-f-]{36}$/), 1, 'ok'],
      ['createAgentKey', expect.stringMatching(/^[0-9a-f-]{36}$/), 1, 'ok'],
      ['createApiKey', keyId, 1, 'ok'],
      ['revokeApiKey', keyId, 1, 'ok'],
      ['revokeApiKey', keyId, 0, 'ok'],
      ['setTenantRetention', tenantId, 1, 'ok'],
    ]);
    expect(new Set(entries.map((e) => `${e.entrance} ${e.keyName} ${e.address}`))).toEqual(
      new Set(['graphql operator.key 127.0.0.1']),
    );
  });

  it('records the first start, which made the operator key', async () => {
    const { apiKeys } = await open.world.operate('{ apiKeys { keyId kind } }');
    const { keyId } = apiKeys.find((key: { kind: string }) => key.kind === 'operator');
    expect(await accessLog(open.world, { operation: 'operatorKeyFile' })).toMatchObject([
      { principalKind: 'service', entrance: 'service', subject: keyId, outcome: 'ok' },
    ]);
  });

  it('is filtered by key, tenant, operation and time', async () => {
    const other = await open.world.tenant('Other');
    const answers = [await other.get('/audit-activity'), await other.get('/audit-activity/summary')];
    for (const [i, name] of ['auditEvents', 'auditSummary'].entries())
      await entriesOf(answers[i] as Answer, name);
    const reads = async (filter: object) =>
      (await accessLog(open.world, filter)).map((e) => `${e.keyId} ${e.operation}`);
    const [list, summary] = ['auditEvents', 'auditSummary'].map((name) => `${other.keyId} ${name}`);
    expect(await reads({ keyId: other.keyId })).toEqual([summary, list]);
    expect((await reads({ tenantId: other.tenantId })).slice(0, 2)).toEqual([summary, list]);
    expect(await reads({ keyId: other.keyId, operation: 'auditEvents' })).toEqual([list]);
    const [newest] = await accessLog(open.world, { keyId: other.keyId });
    expect(await reads({ keyId: other.keyId, to: newest?.at })).toEqual([list]);
    expect(await reads({ keyId: other.keyId, from: newest?.at })).toEqual([summary]);
    expect(await reads({ keyId: other.keyId, tenantId: acme.tenantId })).toEqual([]);
  });

  it('is read page by page without gaps or repeats while new entries arrive', async () => {
    const filter = { operation: 'createTenant' };
    for (let i = 0; i < 5; i++) await open.world.tenant();
    const all = (await accessLog(open.world, filter)).map((e) => e.entryId);
    const paged: string[] = [];
    let after: string | null = null;
    do {
      const { accessLog: page } = await open.world.operate(
        `query($o: String!, $after: String) { accessLog(operation: $o, first: 2, after: $after) {
           entries { entryId } endCursor hasNextPage } }`,
        { o: filter.operation, after },
      );
      expect(page.entries.length).toBeLessThanOrEqual(2);
      paged.push(...page.entries.map((entry: LoggedAccess) => entry.entryId));
      expect(paged).toEqual(all.slice(0, paged.length));
      after = page.hasNextPage ? page.endCursor : null;
      await open.world.tenant();
    } while (after !== null);
    expect(paged).toEqual(all);
  });

  it('is searched by what was read, page by page', async () => {
    const recordId = '11111111-0000-8000-8000-000000000000';
    await entriesOf(await open.world.get(`/audit-activity/${recordId}`, acme.key), 'auditEvent');
    expect(
      await accessLog(open.world, { search: '1111111-0000-8000', operation: 'auditEvent' }),
    ).toMatchObject([{ operation: 'auditEvent', parameters: JSON.stringify({ recordId }) }]);
    expect(await accessLog(open.world, { search: '2222222-0000-8000' })).toEqual([]);
    const bound = jest.replaceProperty(LIMITS, 'accessLogSearchedMax', 1 as never);
    const paged = await accessLog(open.world, { search: '1111111-0000-8000', operation: 'auditEvent' });
    bound.restore();
    expect(paged).toHaveLength(1);
  });

  it('is filtered by outcome', async () => {
    const blind = await open.world.key({ tenantIds: [acme.tenantId], scopes: [] });
    const refused = await open.world.get('/audit-activity', blind.key);
    const fine = await acme.get('/audit-activity');
    for (const answer of [refused, fine]) await entriesOf(answer, 'auditEvents');
    const requestsOf = async (outcome: string) =>
      (await accessLog(open.world, { tenantId: acme.tenantId, outcome })).map(({ requestId }) => requestId);
    for (const outcome of ['refused', 'forbidden']) {
      expect(await requestsOf(outcome)).toContain(requestOf(refused));
      expect(await requestsOf(outcome)).not.toContain(requestOf(fine));
    }
    expect(await requestsOf('ok')).toContain(requestOf(fine));
    expect(await requestsOf('ok')).not.toContain(requestOf(refused));
    expect(await requestsOf('rate_limited')).toEqual([]);
  });

  it('names every mistake of a query at once', async () => {
    const { body } = await open.world.graphql(
      open.world.operatorKey,
      `{ accessLog(from: "a", to: "b", tenantId: "c", first: ${LIMITS.accessLogPageMax + 1}, after: "d",
         operation: "e\\u0000", outcome: "wrong", search: "") { endCursor } }`,
    );
    expect(body.errors[0].extensions.code).toBe('invalid_parameter');
    for (const text of [
      'from ',
      'to ',
      'tenantId',
      'first',
      'after',
      'control characters',
      'outcome must be',
      'search must not be empty',
    ])
      expect(body.errors[0].message).toContain(text);
  });
});

describe.each(ENGINES)('concurrent reads on %s', (engine) => {
  it('leave one entry each with their rows, and a stop of the service loses none', async () => {
    const place = await createTestDatabase(engine);
    const first = await World.on(place);
    const acme = await first.tenant();
    await acme.ingest(Array.from({ length: 7 }, () => anEvent()));
    // No entry is written during the reads, so all of them are left for the stop.
    const flush = jest.spyOn(AccessLog.prototype, 'flush').mockResolvedValue(0);
    const READS = 120;
    const sizes = Array.from({ length: READS }, (_, i) => (i % 9) + 1);
    const answers = await Promise.all(sizes.map((pageSize) => acme.get('/audit-activity', { pageSize })));
    const expected = answers.map((answer, i) => {
      expect(answer.body.data).toHaveLength(Math.min(7, sizes[i] ?? 0));
      return `${requestOf(answer)} ${sizes[i]} ${answer.body.data.length}`;
    });
    flush.mockRestore();
    await first.service.close();

    const second = await World.on(place);
    const entries = await accessLog(second, { keyId: acme.keyId });
    await second.close();
    expect(entries.map((e) => `${e.requestId} ${parametersOf(e).pageSize} ${e.rows}`).sort()).toEqual(
      expected.sort(),
    );
  });
});
