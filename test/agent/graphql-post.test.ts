import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Secret } from '../../agent/config/secret';
import { postGraphql } from '../../agent/uplink/graphql-post';

describe('a request to the service', () => {
  let server: Server;
  let received: { readonly headers: IncomingHttpHeaders; readonly body: Buffer } | null;
  let status: number;
  beforeEach(async () => {
    [received, status] = [null, 200];
    server = createServer((request, response) => {
      void buffer(request).then((body) => {
        received = { headers: request.headers, body };
        response.statusCode = status;
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const PARTS = ['{"a":"', 'ü'.repeat(100_000), '"}'].map((part) => Buffer.from(part));
  const post = async (host: string) => {
    const { port } = server.address() as AddressInfo;
    const service = { baseUrl: `http://${host}:${port}`, apiKey: new Secret('k') };
    expect((await postGraphql(service, PARTS, new AbortController().signal)).status).toBe(200);
    return received ?? { headers: {}, body: Buffer.alloc(0) };
  };

  it('is compressed if it goes over a network', async () => {
    // This address reaches this host, but is not recognised as a loopback address.
    const { headers, body } = await post('0.0.0.0');
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(body.length) });
    expect(gunzipSync(body).equals(Buffer.concat(PARTS))).toBe(true);
  });

  it.each(['127.0.0.1', '127.3.2.1', 'localhost', '[::1]'])(
    'is not compressed if it goes to %s',
    async (host) => {
      const { headers, body } = await post(host);
      expect(headers).toMatchObject({ 'content-length': String(body.length) });
      expect(headers['content-encoding']).toBeUndefined();
      expect(body.equals(Buffer.concat(PARTS))).toBe(true);
    },
  );

  it.each([299, 300, 301, 308, 399, 400])(
    'is answered, unless that leads elsewhere: HTTP %i',
    async (code) => {
      status = code;
      const { port } = server.address() as AddressInfo;
      const service = { baseUrl: `http://127.0.0.1:${port}`, apiKey: new Secret('k') };
      const answer = postGraphql(service, PARTS, new AbortController().signal).then(
        (given) => given.status,
        (error: Error) => error.message,
      );
      const isElsewhere = code >= 300 && code < 400;
      expect(await answer).toEqual(
        isElsewhere ? expect.stringContaining(`redirection (HTTP ${code})`) : code,
      );
    },
  );
});
