import { once } from 'node:events';
import { ANY_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import { open, parseAnswer } from './support/raw';

const ALL_BYTES = 3_000_000;
/** More than half of a third. */
const BODY_BYTES = 600_000;
const BODY = '{"query":"{ __typename }"}'.padEnd(BODY_BYTES);

describe('the memory for bodies', () => {
  useLimits({ bodiesBytesMax: ALL_BYTES });
  const at = useWorld(ANY_ENGINE);
  const post = async (key: string) => {
    const headers = { 'Content-Type': 'application/json', 'X-Api-Key': key };
    return (await at.world.fetch('/graphql', { method: 'POST', headers, body: BODY })).status;
  };
  /** Sends a body without its last byte. */
  const begin = (key: string) => {
    const { socket } = open(at.world.service.url);
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\n`,
    );
    socket.write(`Content-Length: ${BODY_BYTES}\r\n\r\n${BODY.slice(1)}`);
    return socket;
  };

  it('is a third at most for one tenant, which is refused with 503 and Retry-After until a body has ended', async () => {
    const [acme, other] = [await at.world.tenant(), await at.world.tenant()];
    const sockets = [begin(acme.agentKey), begin(acme.agentKey)];
    const first = sockets.map(async (socket) => ({ socket, answer: (await once(socket, 'data'))[0] }));
    const refused = await Promise.race(first);
    const { status, headers } = parseAnswer(String(refused.answer));
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect([await post(acme.agentKey), await post(other.agentKey)]).toEqual([503, 200]);
    for (const socket of sockets) socket.destroy();
    await until(
      () => post(acme.agentKey),
      (again) => again === 200,
    );
  });
});
