import { once } from 'node:events';
import { LIMITS } from '../../src/limits';
import { ANY_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { World } from '../support/world';
import { open, parseAnswer, trickle } from './support/raw';

const HEADERS_MS = 1_000;
const REQUEST_MS = 2_000;
const IDLE_MS = 1_500;

/** The limits are a second or two here instead of the real ones, so that the tests do not wait for minutes. */
describe('a slow client is cut off', () => {
  let world: World;
  beforeAll(async () => {
    const short = {
      requestHeadersMs: HEADERS_MS,
      requestMs: REQUEST_MS,
      connectionIdleMs: IDLE_MS,
      requestCheckMs: 50,
    };
    for (const [name, ms] of Object.entries(short)) jest.replaceProperty(LIMITS, name as never, ms as never);
    world = await World.open(ANY_ENGINE);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await world.close();
  });
  const url = () => world.service.url;

  it('if it never ends its headers, with 408', async () => {
    const answer = parseAnswer(await trickle(url(), 'GET /health HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n', 50));
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([408, 'request_timeout']);
  });

  it('if it connects and sends nothing', async () => {
    expect(parseAnswer(await open(url()).ended)).toMatchObject({ status: 408 });
  });

  it('if it never ends its body, even with a valid key, and its place is then free', async () => {
    const { agentKey } = await world.tenant();
    const head = `POST /graphql HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${agentKey}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`;
    const slow = Array.from({ length: LIMITS.ingestInWorkMax }, () => trickle(url(), head, 'x', 50));
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^$|^HTTP\/1\.1 408/);
    expect((await world.graphql(agentKey, '{ __typename }')).status).toBe(200);
  });

  it('if it stops in the middle of its body', async () => {
    const { agentKey } = await world.tenant();
    const { socket, ended } = open(url());
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${agentKey}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    await ended;
  });

  it('if it does not read its answers: the service makes no more of them', async () => {
    const { socket } = open(url());
    await once(socket, 'connect');
    socket.pause();
    // These answers are larger than the buffers between service and client.
    for (let i = 0; i < LIMITS.requestsAheadMax; i++)
      socket.write(`GET /swagger/assets/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(
      () => world.logLines.filter((line) => line.includes('caller left')).length,
      (left) => left > 0,
    );
    socket.destroy();
  });

  it('without a delay for other clients', async () => {
    const slow = open(url());
    slow.socket.write('GET /health HTTP/1.1\r\n');
    expect((await world.fetch('/health')).text).toBe('Healthy');
    await slow.ended;
  });
});
