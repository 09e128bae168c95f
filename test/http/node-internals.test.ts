import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';

/** The versions on which CI runs this suite: the releases ship the last, and the service supports all. */
const NODE_VERSIONS = [20, 22, 24];

/** `src/http/connections.ts` reaches into these parts of Node, which no document of Node promises. */
describe('the inner parts of Node that the bounds on connections use', () => {
  it('are known on this version: run this suite on a new one before it is supported', () => {
    expect(NODE_VERSIONS).toContain(Number.parseInt(process.versions.node, 10));
  });

  it('are there: the parser of a connection, how it hands requests over, and the state of an answer', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asked = get({ port, host: '127.0.0.1' });
    const [request, response] = (await once(server, 'request')) as [{ socket: Socket }, ServerResponse];
    const { parser } = request.socket as Socket & { parser?: { onIncoming?: unknown } };
    const { _closed: isClosed } = response as ServerResponse & { _closed?: unknown };
    response.end();
    const [answer] = await once(asked, 'response');
    answer.resume();
    await once(answer, 'end');
    server.close();
    server.closeAllConnections();
    expect([typeof parser?.onIncoming, isClosed]).toEqual(['function', false]);
  });
});
