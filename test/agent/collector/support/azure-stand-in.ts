import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Blob {
  bytes: Buffer;
  version: number;
  mtimeMs: number;
}

export const ACCOUNT = 'auditaccount';
export const ACCOUNT_KEY = Buffer.from('the key of the account').toString('base64');
export const CONTAINER = 'sqldbauditlogs';
export const SAS = '?sv=2022-11-02&sr=c&sp=rl&sig=a%2Bgood%2Fsignature%3D';

/** A container of append blobs, Microsoft Entra and the address of a managed identity, as far as a collector uses them. */
export class AzureStandIn {
  readonly blobs = new Map<string, Blob>();
  /** The path and query of each request to the container. */
  readonly requests: string[] = [];
  /** Each range that was read, with its blob. */
  readonly ranges: string[] = [];
  readonly logins: URLSearchParams[] = [];
  token = 'token-1';
  isSasExpired = false;
  pageSize = 5_000;
  fault: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<AzureStandIn> {
    const store = new AzureStandIn();
    await new Promise<void>((resolve) => store.server.listen(0, '127.0.0.1', resolve));
    return store;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  append(name: string, bytes: Buffer, mtimeMs = Date.now()): void {
    const blob = this.blobs.get(name) ?? { bytes: Buffer.alloc(0), version: 0, mtimeMs };
    this.blobs.set(name, { bytes: Buffer.concat([blob.bytes, bytes]), version: blob.version + 1, mtimeMs });
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

  private problemOf({ headers, method }: IncomingMessage, url: URL): string | null {
    if (headers['x-ms-version'] === undefined) return 'MissingRequiredHeader';
    const { authorization = '' } = headers;
    if (url.searchParams.has('sig')) {
      const isGood = !this.isSasExpired && url.searchParams.get('sig') === 'a+good/signature=';
      return isGood ? null : 'AuthenticationFailed';
    }
    if (authorization.startsWith('Bearer '))
      return authorization === `Bearer ${this.token}` ? null : 'InvalidAuthenticationInfo';
    if (!authorization.startsWith('SharedKey ')) return 'NoAuthenticationInformation';
    const own = Object.keys(headers)
      .filter((name) => name.startsWith('x-ms-'))
      .sort();
    const lines = [
      `${method}\n\n\n\n\n\n\n\n${headers['if-match'] ?? ''}\n\n\n`,
      ...own.map((name) => `${name}:${headers[name]}`),
      `/${ACCOUNT}${url.pathname}`,
      ...[...url.searchParams].map(([name, value]) => `${name}:${value}`).sort(),
    ];
    const key = Buffer.from(ACCOUNT_KEY, 'base64');
    const signature = createHmac('sha256', key).update(lines.join('\n')).digest('base64');
    return authorization === `SharedKey ${ACCOUNT}:${signature}` ? null : 'AuthenticationFailed';
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
