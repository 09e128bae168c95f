import { LIMITS } from '../../src/limits';
import { createTestDatabase, describeOnPostgres } from '../support/engines';
import { AGENT, openFakeService } from '../support/fake-service';
import { TcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';
import { World } from '../support/world';

interface Body {
  readonly error?: { readonly code: string };
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

describe('a service with as many requests in work as it takes', () => {
  afterEach(() => jest.restoreAllMocks());

  it('refuses further ones at once with 503 and Retry-After at both entrances, and accepts requests again later', async () => {
    jest.replaceProperty(LIMITS, 'requestsInWorkMax', 5 as never);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    const summary = async () => {
      asked++;
      await released;
      return {
        totalCount: 0,
        successfulCount: 0,
        failedCount: 0,
        distinctDatabases: 0,
        distinctPrincipals: 0,
        latestEventTime: null,
      };
    };
    const unused = () => Promise.reject(new Error('not expected to be called'));
    const service = await openFakeService({ reader: { page: unused, find: unused, summary } as never });
    const waiting = Array.from({ length: 5 }, () => service.rest('/audit-activity/summary'));
    await until(
      () => asked,
      (n) => n === 5,
    );

    const rest = await service.rest('/audit-activity/summary');
    const graphql = await service.graphql('{ auditSummary { totalCount } }');
    expect([rest.status, graphql.status]).toEqual([503, 503]);
    expect([rest.headers.get('Retry-After'), graphql.headers.get('Retry-After')]).toEqual(['1', '1']);
    expect(((await rest.json()) as Body).error?.code).toBe('service_unavailable');
    expect(((await graphql.json()) as Body).errors?.[0]?.extensions.code).toBe('service_unavailable');
    expect(asked).toBe(5);

    release();
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
    expect((await service.rest('/audit-activity/summary')).status).toBe(200);
    await service.close();
  });
});

it('an agent that disconnects while it waits for a turn gives the turn back', async () => {
  let give: (leave: () => void) => void = () => {};
  const turn = new Promise<() => void>((resolve) => {
    give = resolve;
  });
  const enter = jest.fn(() => turn);
  const service = await openFakeService({ principal: AGENT, enter });
  const agent = new AbortController();
  const sent = fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
    signal: agent.signal,
  });
  const calls = () => enter.mock.calls.length;
  await until(calls, (count) => count === 1);
  agent.abort();
  await expect(sent).rejects.toThrow();
  const left = () => service.logLines.filter((line) => line.includes('caller left')).length;
  await until(left, (count) => count === 1);
  const leave = jest.fn();
  give(leave);
  await until(
    () => leave.mock.calls.length,
    (times) => times > 0,
  );
  expect(leave).toHaveBeenCalledTimes(1);
  await service.close();
});

it('a call with several slow steps is answered within 5 seconds in all', async () => {
  jest.replaceProperty(LIMITS, 'requestDeadlineMs', 200 as never);
  const never = () => new Promise<never>(() => {});
  const service = await openFakeService({ reader: { page: never, find: never, summary: never } as never });
  const answer = await service.rest('/audit-activity/summary');
  expect([answer.status, Number(answer.headers.get('Retry-After')) >= 1]).toEqual([503, true]);
  expect(((await answer.json()) as Body).error?.code).toBe('service_unavailable');
  await service.close();
  jest.restoreAllMocks();
});

describeOnPostgres('a service whose database answers nothing', () => {
  it('answers each of many requests within 5 seconds, and recovers', async () => {
    const database = await createTestDatabase('postgresql');
    const proxy = await TcpProxy.to(database.databaseUrl);
    const world = await World.on({ ...database, databaseUrl: proxy.url });
    const acme = await world.tenant();
    await acme.get('/audit-activity');
    proxy.silence();
    const path = '/api/v1/public/audit-activity';
    const call = () => world.fetch(path, { headers: { 'X-Api-Key': acme.key } });
    const answers = await Promise.all(Array.from({ length: 300 }, call));
    for (const { status, headers } of answers)
      expect([status, Number(headers.get('Retry-After')) >= 1]).toEqual([503, true]);
    const took = await until(
      () => world.logLines.map((line) => JSON.parse(line)).filter(({ status }) => status === 503),
      ({ length }) => length >= answers.length,
    );
    expect(took).toHaveLength(300);
    // Every request has the same deadline, below 5 seconds, however many there are. A busy machine may take twice as
    // long.
    expect(LIMITS.requestDeadlineMs).toBeLessThan(5_000);
    expect(Math.max(...took.map(({ ms }) => ms))).toBeLessThan(2 * LIMITS.requestDeadlineMs);
    // Liveness and health are answered during the outage.
    expect((await world.fetch('/livez')).status).toBe(200);
    expect((await world.fetch('/health')).text).toBe('Unhealthy');
    proxy.mend();
    await until(
      () => acme.get('/audit-activity'),
      ({ status }) => status === 200,
    );
    await world.close();
    await proxy.close();
  });
});
