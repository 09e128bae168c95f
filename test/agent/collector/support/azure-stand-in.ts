import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { RealAzure, sharedKeySignature } from './real-azure';
import { realStore } from './real-store';

interface Blob {
  bytes: Buffer;
  version: number;
  mtimeMs: number;
}

const ACCOUNT = 'auditaccount';
const ACCOUNT_KEY = Buffer.from('the key of the account').toString('base64');
const PAGE_SIZE = 5_000;
const HOUR_MS = 3_600_000;
export const CONTAINER = 'sqldbauditlogs';
const SAS = '?sv=2022-11-02&sr=c&sp=rl&sig=a%2Bgood%2Fsignature%3D';

/**
 * A container of append blobs, Microsoft Entra and the address of a managed identity, as far as a collector uses them. Before
 * a real server, that one has the blobs and answers; the stand-in judges what it issues itself, which are Entra's tokens.
 */
export class AzureStandIn {
  private readonly blobs = new Map<string, Blob>();
  /** The path and query of each request to the container. */
  readonly requests: string[] = [];
  /** Each range that was read, with its blob. */
  readonly ranges: string[] = [];
  readonly logins: URLSearchParams[] = [];
  token = 'token-1';
  isSasExpired = false;
  pageSize = PAGE_SIZE;
  fault: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch(() => response.destroy());
  });

  private constructor(private readonly real: RealAzure | null) {}

  static async start(): Promise<AzureStandIn> {
    const server = realStore('TEST_AZURE_URL');
    const store = new AzureStandIn(server && (await RealAzure.open(server, CONTAINER)));
    await new Promise<void>((resolve) => store.server.listen(0, '127.0.0.1', resolve));
    return store;
  }

  get account(): string {
    return this.real?.account ?? ACCOUNT;
  }

  get accountKey(): string {
    return this.real?.key ?? ACCOUNT_KEY;
  }

  get sas(): string {
    return this.real?.sas(Date.now() + (this.isSasExpired ? -1 : 1) * HOUR_MS) ?? SAS;
  }

  /** The address of the account. A real server that stands for many accounts has it in the path. */
  get endpoint(): string {
    return this.real ? `${this.url}/${this.account}` : this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** @param time of the change, as the container states it; by default now */
  async append(name: string, bytes: Buffer, time?: number): Promise<void> {
    if (this.real) return this.real.append(name, bytes, time);
    const blob = this.blobs.get(name) ?? { bytes: Buffer.alloc(0), version: 0, mtimeMs: time ?? Date.now() };
    this.blobs.set(name, { ...blob, bytes: Buffer.concat([blob.bytes, bytes]), version: blob.version + 1 });
  }

  /** Removes all blobs. */
  async clear(): Promise<void> {
    await this.real?.clear();
    this.blobs.clear();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    const body = await text(request);
    if (url.pathname.endsWith('/oauth2/v2.0/token')) {
      const asked = new URLSearchParams(body);
      this.logins.push(asked);
      if (asked.get('client_secret') === 'ended')
        return void json(response, 401, {
          error: 'invalid_client',
          error_description: 'AADSTS7000222: the keys',
        });
      return void json(response, 200, { access_token: this.token, expires_in: 3600 });
    }
    if (url.pathname === '/metadata/identity/oauth2/token')
      return void json(response, request.headers.metadata === 'true' ? 200 : 400, {
        access_token: this.token,
        expires_in: '3600',
      });
    this.requests.push(request.url ?? '');
    if (this.fault(request, response)) return;
    const problem = this.problemOf(request, url);
    const isToken = request.headers.authorization?.startsWith('Bearer ') ?? false;
    if (this.real && !(isToken && problem !== null)) return this.pass(this.real, request, url, response);
    if (problem !== null)
      return void refuse(
        response,
        problem === 'InvalidAuthenticationInfo' ? 401 : 403,
        problem,
        this.isSasExpired,
      );
    const [, container, ...rest] = url.pathname.split('/').map(decodeURIComponent);
    if (container !== CONTAINER) return void refuse(response, 404, 'ContainerNotFound');
    if (rest.length === 0) return void this.list(url.searchParams, response);
    this.get(request, rest.join('/'), response);
  }

  private async pass(real: RealAzure, request: IncomingMessage, url: URL, response: ServerResponse) {
    const isToken = request.headers.authorization?.startsWith('Bearer ');
    const length =
      isToken || this.pageSize !== PAGE_SIZE
        ? await real.passSigned(request, response, this.pageSize)
        : await real.pass(request, response);
    const range = /^bytes=(\d+)-/.exec(String(request.headers['x-ms-range']));
    const name = decodeURIComponent(url.pathname).split('/').slice(3).join('/');
    if (range && response.statusCode === 206) this.ranges.push(`${name} ${range[1]}+${length}`);
  }

  private list(asked: URLSearchParams, response: ServerResponse): void {
    const prefix = asked.get('prefix') ?? '';
    const entries = new Map<string, string>();
    for (const [name, { bytes, version, mtimeMs }] of this.blobs) {
      if (!name.startsWith(prefix)) continue;
      const slash = name.indexOf('/', prefix.length);
      const folder = name.slice(0, slash + 1);
      if (slash >= 0) entries.set(folder, `<BlobPrefix><Name>${folder}</Name></BlobPrefix>`);
      else
        entries.set(
          name,
          `<Blob><Name>${name}</Name><Properties><Last-Modified>${new Date(mtimeMs).toUTCString()}</Last-Modified><Etag>0x${version}</Etag><Content-Length>${bytes.length}</Content-Length><BlobType>AppendBlob</BlobType></Properties></Blob>`,
        );
    }
    const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
    const left = sorted.filter(([name]) => name >= (asked.get('marker') ?? ''));
    const next = left[this.pageSize]?.[0] ?? '';
    const shown = left.slice(0, this.pageSize).map(([, entry]) => entry);
    response.end(
      `\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="${this.url}" ContainerName="${CONTAINER}"><Blobs>${shown.join('')}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`,
    );
  }

  private get({ headers, method }: IncomingMessage, name: string, response: ServerResponse): void {
    const blob = this.blobs.get(name);
    if (!blob) return void refuse(response, 404, 'BlobNotFound');
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-ms-range'])) ?? [];
    if (Number(from) >= blob.bytes.length) return void refuse(response, 416, 'InvalidRange');
    const part = blob.bytes.subarray(Number(from), Number(to) + 1);
    if (method !== 'HEAD') this.ranges.push(`${name} ${from}+${part.length}`);
    response.writeHead(method === 'HEAD' ? 200 : 206, {
      'content-length': part.length,
      etag: `0x${blob.version}`,
    });
    response.end(method === 'HEAD' ? undefined : part);
  }

  private problemOf({ headers, method = 'GET' }: IncomingMessage, url: URL): string | null {
    if (headers['x-ms-version'] === undefined) return 'MissingRequiredHeader';
    const { authorization = '' } = headers;
    if (url.searchParams.has('sig')) {
      const isGood = !this.isSasExpired && url.searchParams.get('sig') === 'a+good/signature=';
      return isGood ? null : 'AuthenticationFailed';
    }
    if (authorization.startsWith('Bearer '))
      return authorization === `Bearer ${this.token}` ? null : 'InvalidAuthenticationInfo';
    if (!authorization.startsWith('SharedKey ')) return 'NoAuthenticationInformation';
    const account = { account: this.account, key: this.accountKey };
    const expected = sharedKeySignature(account, method, url, headers);
    return authorization === expected ? null : 'AuthenticationFailed';
  }
}

function json(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}

function refuse(response: ServerResponse, status: number, code: string, isExpired = false): void {
  const detail = isExpired ? 'Signature not valid in the specified time frame' : 'The signature differs';
  response
    .writeHead(status, { 'x-ms-error-code': code })
    .end(
      `<Error><Code>${code}</Code><AuthenticationErrorDetail>${detail}</AuthenticationErrorDetail></Error>`,
    );
}
