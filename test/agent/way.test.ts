import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Secret } from '../../agent/config/secret';
import { exchange } from '../../agent/uplink/http-exchange';
import { optionsOf, type Way } from '../../agent/uplink/way';
import { writeCertificate } from '../support/certificate';

const folder = mkdtempSync(path.join(tmpdir(), 'way-'));
const [key, caFile] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [string, string];
const servers: Server[] = [];
const sockets: Socket[] = [];

/** @returns its port */
async function listen(server: Server): Promise<number> {
  servers.push(server.on('connection', (socket) => sockets.push(socket)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** What the proxy was asked: method, target and login of each request. */
let asked: (readonly (string | undefined)[])[];
let refusal: number | null;

async function startProxy(): Promise<number> {
  const proxy = createHttp((request, response) => {
    asked.push([request.method, request.url, request.headers['proxy-authorization']]);
    response.end(`proxied ${request.headers.host}`);
  });
  proxy.on('connect', (request, socket) => {
    asked.push([request.method, request.url, request.headers['proxy-authorization']]);
    if (refusal !== null) return void socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const through = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(through).pipe(socket);
    });
    for (const end of [socket, through]) end.on('error', () => {});
  });
  return listen(proxy);
}

describe('the way of the agent to the service', () => {
  const never = new AbortController().signal;
  let url: string;
  let proxyUrl: Secret;
  const get = (way: Way | null, from = url) => exchange(from, { method: 'GET', headers: {}, way }, never);
  beforeAll(async () => {
    writeCertificate({ key, cert: caFile, days: 3 });
    const service = createHttps({ key: readFileSync(key), cert: readFileSync(caFile) }, (_, response) =>
      response.end('answer'),
    );
    url = `https://127.0.0.1:${await listen(service as unknown as Server)}/x`;
    proxyUrl = new Secret(`http://agent:pass%40word@127.0.0.1:${await startProxy()}`);
  });
  beforeEach(() => {
    asked = [];
    refusal = null;
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) {
      await new Promise((resolve) => server.close(resolve));
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('trusts the certificates of the file beside those of the system, and no others', async () => {
    expect((await get({ proxyUrl: null, caFile })).body).toBe('answer');
    await expect(get(null)).rejects.toThrow(/self[- ]signed/);
    await expect(get({ proxyUrl: null, caFile: `${caFile}.gone` })).rejects.toThrow(
      /CentralApi\.CaFile cannot be used: ENOENT/,
    );
    await expect(get({ proxyUrl: null, caFile: key })).rejects.toThrow(/it holds no certificate/);
  });

  it('goes through the proxy, which sees the address and its login only, and keeps the connection', async () => {
    const way = { proxyUrl, caFile };
    for (let n = 0; n < 3; n++) expect((await get(way)).body).toBe('answer');
    const login = `Basic ${Buffer.from('agent:pass@word').toString('base64')}`;
    expect(asked).toEqual([['CONNECT', new URL(url).host, login]]);
    await expect(get({ proxyUrl, caFile: null })).rejects.toThrow(/self[- ]signed/);
  });

  it('asks the proxy for an address without encryption, too', async () => {
    const { body } = await get({ proxyUrl, caFile: null }, 'http://service.example:8080/health');
    expect(body).toBe('proxied service.example:8080');
    expect(asked).toEqual([['GET', 'http://service.example:8080/health', expect.stringMatching(/^Basic /)]]);
  });

  it('takes a proxy without a port at port 80, and an address of IPv6 without its brackets', () => {
    const through = (text: string) =>
      optionsOf({ proxyUrl: new Secret(text), caFile: null }, 'http://service.example/');
    expect(through('http://proxy.example')).toEqual({
      hostname: 'proxy.example',
      port: '80',
      path: 'http://service.example/',
    });
    expect(through('http://[::1]:3128')).toMatchObject({ hostname: '::1', port: '3128' });
  });

  it('asks the proxy for an address of IPv6 in brackets', async () => {
    refusal = 403;
    await expect(get({ proxyUrl, caFile }, 'https://[::1]:4443/x')).rejects.toThrow('[::1]:4443 (HTTP 403)');
    expect(asked).toEqual([['CONNECT', '[::1]:4443', expect.stringMatching(/^Basic /)]]);
  });

  it('tells what the proxy refuses, without its password', async () => {
    refusal = 407;
    const told = await get({ proxyUrl, caFile }).catch(String);
    expect(told).toContain(`the proxy refuses the way to ${new URL(url).host} (HTTP 407)`);
    const away = { proxyUrl: new Secret('http://agent:pass@127.0.0.1:1'), caFile };
    expect(await get(away).catch(String)).toMatch(/ECONNREFUSED 127\.0\.0\.1:1$/);
  });
});
