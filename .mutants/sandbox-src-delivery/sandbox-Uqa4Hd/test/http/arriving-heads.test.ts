import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { boundArrivingHeads } from '../../src/http/connections';
import { until } from '../support/until';

const KIB = 1024;

describe('request heads that never end', () => {
  let server: Server;
  const open: Socket[] = [];
  const atServer: Socket[] = [];
  beforeEach(async () => {
    server = createServer({ maxHeaderSize: 64 * KIB }, (request, response) => {
      request.resume().on('end', () => response.end('answered'));
    });
    server.on('connection', (socket: Socket) => atServer.push(socket));
    boundArrivingHeads(server, 100 * KIB, 20);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
    atServer.splice(0);
    server.close();
    server.closeAllConnections();
  });

  const begin = async (bytes: number) => {
    const [at, socket] = [open.length, connect((server.address() as AddressInfo).port, '127.0.0.1')];
    socket.on('error', () => {});
    open.push(socket);
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(bytes)}`);
    await until(
      () => atServer[at]?.bytesRead ?? 0,
      (read) => read > bytes,
    );
    return socket;
  };
  const closed = () => open.filter((socket) => socket.destroyed || socket.readableEnded).length;

  it('have a common bound: the connections with the most bytes are closed, and others are answered', async () => {
    const small = await begin(KIB);
    for (let n = 0; n < 2; n++) await begin(40 * KIB);
    expect(closed()).toBe(0);
    for (let n = 0; n < 3; n++) await begin(50 * KIB);
    await until(closed, (count) => count === 3);
    small.write('\r\n\r\n');
    const [answer] = await once(small, 'data');
    expect(String(answer)).toContain('answered');
  });

  it('do not count bodies, nor requests that were answered', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    open.push(socket);
    for (let n = 0; n < 3; n++) {
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${300 * KIB}\r\n\r\n${'b'.repeat(200 * KIB)}`,
      );
      await until(
        () => atServer[0]?.bytesRead ?? 0,
        (read) => read > (n * 300 + 200) * KIB,
      );
      // The next check of the server happens here, and must leave the connection open.
      const other = await begin(KIB);
      other.destroy();
      socket.write('b'.repeat(100 * KIB));
      expect(String((await once(socket, 'data'))[0])).toContain('answered');
    }
  });
});
