import { getEventListeners, once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { GuardedHttp } from '../../src/delivery/guarded-http';
import { openSocket } from '../../src/delivery/guarded-socket';
import { NetworkGuard } from '../../src/delivery/network-guard';
import { makeCertificate } from '../detection/support/mail-server';
import { until } from '../support/until';

const SIGNAL = new AbortController().signal;
const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
const guard = new NetworkGuard(['127.0.0.1'], resolve);
const certificate = makeCertificate();

describe('guarded HTTP over TLS', () => {
  const seen: { port: number; agent: string | undefined; length: string | undefined }[] = [];
  let silent = false;
  let isEndless = false;
  const server = createServer(certificate, (request, response) => {
    const { headers, socket } = request;
    seen.push({
      port: socket.remotePort ?? 0,
      agent: headers['user-agent'],
      length: headers['content-length'],
    });
    if (isEndless) response.write('x'.repeat(300));
    else if (!silent) request.resume().on('end', () => response.end('x'.repeat(300)));
  });
  const opened: GuardedHttp[] = [];
  const http = (ca?: string, answerMs?: number) => {
    const made = new GuardedHttp(guard, ca === undefined ? {} : { ca }, answerMs);
    opened.push(made);
    return made;
  };
  const url = () => `https://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
  const post = (text: string) => ({
    method: 'POST' as const,
    url: url(),
    headers: {},
    body: Buffer.from(text),
  });

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    [silent, isEndless] = [false, false];
    seen.length = 0;
    for (const one of opened.splice(0)) one.close();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('trusts the certificate that a destination names, and no other private one', async () => {
    await expect(http().send(post('a'))).rejects.toThrow(/self-signed/);
    expect(await http(certificate.cert).send(post('abc'))).toMatchObject({ status: 200 });
    expect(seen).toMatchObject([{ agent: 'audit-activity', length: '3' }]);
  });

  it('keeps its connection for the next request', async () => {
    const one = http(certificate.cert);
    for (const text of ['a', 'b']) await one.send(post(text));
    expect(new Set(seen.map(({ port }) => port)).size).toBe(1);
  });

  it('leaves nothing at the signal of a batch, by which many requests may end', async () => {
    const { signal } = new AbortController();
    const one = http(certificate.cert);
    for (const text of ['a', 'b']) await one.send(post(text), signal);
    await until(
      () => getEventListeners(signal, 'abort').length,
      (left) => left === 0,
    );
    const { port } = server.address() as AddressInfo;
    const endpoint = { host: '127.0.0.1', port, tls: { ca: certificate.cert } };
    (await openSocket(guard, endpoint, signal)).destroy();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('reads an answer up to its bound', async () => {
    const one = http(certificate.cert, 3_000);
    const bytes = async (answerBytesMax: number) =>
      (await one.send({ ...post('a'), answerBytesMax })).body.length;
    expect([await bytes(300), await bytes(299)]).toEqual([300, 0]);
    // It waits for no end of an answer that is too long.
    isEndless = true;
    expect(await bytes(299)).toBe(0);
  });

  it('names the seconds for which it waited', async () => {
    silent = true;
    await expect(http(certificate.cert, 50).send(post('a'))).rejects.toThrow('no answer within 0.05 seconds');
  });

  it('sends nothing for an attempt that has ended', async () => {
    const ended = AbortSignal.abort();
    await expect(http(certificate.cert).send(post('a'), ended)).rejects.toThrow('the attempt was ended');
    expect(seen).toEqual([]);
  });
});

describe('a connection that is reset', () => {
  const sockets: Socket[] = [];
  let requests = 0;
  /** Resets the connection at these requests, counted from 1. */
  let resets: readonly number[] = [];
  const server = createPlainServer((request, response) => {
    requests++;
    if (!sockets.includes(request.socket)) sockets.push(request.socket);
    if (resets.includes(requests)) request.socket.resetAndDestroy();
    else response.end('ok');
  });
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    requests = 0;
    sockets.length = 0;
  });

  it.each<[string, number[], string, number]>([
    ['was kept, since its receiver may have closed it just then', [2], '200', 3],
    ['was kept, and the new one is reset too', [2, 3], 'ECONNRESET', 3],
    ['is new: the receiver may have what was sent', [1], 'ECONNRESET', 1],
  ])('has its request sent again, once, if it %s', async (_, at, end, count) => {
    resets = at;
    const http = new GuardedHttp(guard);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const send = () => http.send({ method: 'POST', url, headers: {}, body: Buffer.from('a') });
    if (!at.includes(1)) expect((await send()).status).toBe(200);
    const told = await send().then(
      ({ status }) => String(status),
      ({ code, cause }) => code ?? cause?.code,
    );
    http.close();
    expect([told, requests, sockets.length]).toEqual([end, count, at.includes(1) ? 1 : 2]);
  });
});

describe('a guarded connection', () => {
  const names: (string | false)[] = [];
  const subjects: (string | string[] | undefined)[] = [];
  const sockets: TLSSocket[] = [];
  const server = createTlsServer(
    { ...certificate, ca: certificate.cert, requestCert: true, rejectUnauthorized: false },
    (socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      names.push(socket.servername ?? false);
      subjects.push(socket.getPeerCertificate().subject?.CN);
      socket.write('hello');
    },
  );
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const connect = async (host: string, tls: object) => {
    const { port } = server.address() as AddressInfo;
    const socket = await openSocket(guard, { host, port, tls }, SIGNAL);
    await once(socket, 'data');
    socket.destroy();
  };

  it('shows the certificate that it was given, and none otherwise', async () => {
    subjects.length = 0;
    await connect('127.0.0.1', { ca: certificate.cert });
    await connect('127.0.0.1', { ca: certificate.cert, ...certificate });
    expect(subjects).toEqual([undefined, '127.0.0.1']);
  });

  it('asks for the name of its receiver, and not for an address', async () => {
    names.length = 0;
    await connect('127.0.0.1', { ca: certificate.cert });
    expect(names).toEqual([false]);
    // The receiver's certificate has no such name, so it is asked for and then refused.
    await expect(connect('logs.example', { ca: certificate.cert })).rejects.toThrow(/logs\.example/);
  });
});
