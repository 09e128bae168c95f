import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { exchange } from '../../agent/uplink/http-exchange';

describe('a request of the agent', () => {
  let server: Server;
  let url: string;
  let listener: RequestListener;
  const never = new AbortController().signal;
  const get = (signal = never) => exchange(url, { method: 'GET', headers: {} }, signal);
  beforeEach(async () => {
    server = createServer((request, response) => listener(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('is sent once more if the service had closed the kept connection', async () => {
    const served = new Map<Socket, number>();
    listener = ({ socket }, response) => {
      const count = (served.get(socket) ?? 0) + 1;
      served.set(socket, count);
      if (count > 1) socket.destroy();
      else response.end('answer');
    };
    expect((await get()).body).toBe('answer');
    expect((await get()).body).toBe('answer');
    expect([...served.values()]).toEqual([2, 1]);
  });

  it('is not sent again if a new connection breaks', async () => {
    let asked = 0;
    listener = ({ socket }) => {
      asked++;
      socket.destroy();
    };
    await expect(get()).rejects.toThrow(/ECONNRESET|hang up/);
    expect(asked).toBe(1);
  });

  it('ends with the reason of its signal, both before and during the answer', async () => {
    const reason = new Error('enough');
    for (const answer of [
      () => {},
      (...[, response]: Parameters<RequestListener>) => response.write('half'),
    ]) {
      const controller = new AbortController();
      listener = (...given) => {
        answer(...given);
        controller.abort(reason);
      };
      await expect(get(controller.signal)).rejects.toBe(reason);
    }
  });

  it('fails if the answer does not end', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    listener = (_, response) => {
      const more = () => {
        while (response.write(chunk));
      };
      response.on('drain', more).on('error', () => {});
      more();
    };
    await expect(get()).rejects.toThrow('the answer does not end');
  });

  it('follows no redirect', async () => {
    listener = (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    expect((await get()).status).toBe(307);
  });
});
