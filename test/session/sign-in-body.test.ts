import { once } from 'node:events';
import { LIMITS } from '../../src/limits';
import { open, parseAnswer, send } from '../http/support/raw';
import { signIn } from '../support/dashboard-session';
import { ANY_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { World } from '../support/world';

/** Long enough for a busy machine to begin all of the sign-ins. */
const BODY_MS = 1_500;
const BODIES_MAX = 3;
const BEGUN =
  'POST /dashboard/api/sign-in HTTP/1.1\r\nHost: x\r\nX-Dashboard: 1\r\nContent-Type: application/json\r\n' +
  'Content-Length: 4000\r\n\r\n{';

describe('the body of a sign-in', () => {
  let world: World;
  beforeAll(async () => {
    jest.replaceProperty(LIMITS, 'signInBodyMs', BODY_MS as never);
    jest.replaceProperty(LIMITS, 'signInBodiesPerAddressMax', BODIES_MAX as never);
    world = await World.open(ANY_ENGINE, { trustProxy: ['loopback'] });
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await world.close();
  });
  const begin = () => {
    const { socket, ended } = open(world.service.url);
    socket.write(BEGUN);
    return { answered: once(socket, 'data').then(String), ended };
  };
  const refusal = async ({ answered, ended }: ReturnType<typeof begin>) => {
    const { status, headers, text } = parseAnswer(await answered);
    if (headers.connection === 'close') await ended;
    return [status, JSON.parse(text).error.code, headers.connection];
  };

  it('must arrive within seconds, or the connection ends with 408', async () => {
    expect(await refusal(begin())).toEqual([408, 'request_timeout', 'close']);
  });

  it('is refused with 429 above a number at once from one address, and accepted from other addresses', async () => {
    const others = Array.from({ length: BODIES_MAX }, begin);
    const further = await until(
      () => send(world.service.url, BEGUN),
      ({ status }) => status === 429,
    );
    expect([JSON.parse(further.text).error.code, Number(further.headers['retry-after']) >= 1]).toEqual([
      'rate_limited',
      true,
    ]);
    const elsewhere = await signIn(world, world.operatorKey, { 'X-Forwarded-For': '192.0.2.7' });
    expect(elsewhere.status).toBe(200);
    for (const other of others) expect(await refusal(other)).toEqual([408, 'request_timeout', 'close']);
    expect((await signIn(world, world.operatorKey)).status).toBe(200);
  });
});

it('a body that has not arrived takes no place among the requests in work', async () => {
  jest.replaceProperty(LIMITS, 'requestsInWorkMax', 4 as never);
  jest.replaceProperty(LIMITS, 'requestsInWorkPerAddressMax', 2 as never);
  const world = await World.open(ANY_ENGINE, { trustProxy: ['loopback'] });
  const { key, agentKey } = await world.tenant();
  const head = (apiKey: string) =>
    `POST /graphql HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
  const arriving = [key, agentKey, key, agentKey].map((apiKey) => {
    const { socket } = open(world.service.url);
    socket.write(head(apiKey));
    return socket;
  });
  for (let i = 0; i < 3; i++) expect((await world.get('/audit-activity', key)).status).toBe(200);
  for (const socket of arriving) socket.destroy();
  jest.restoreAllMocks();
  await world.close();
});
