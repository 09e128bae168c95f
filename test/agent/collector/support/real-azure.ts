import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { awsEncode } from '../../../../src/delivery/aws-signature';
import { pass, put } from './real-store';

/** What an account signs of a request, as Microsoft's documents state it. */
export function sharedKeySignature(
  { account, key }: { readonly account: string; readonly key: string },
  method: string,
  url: URL,
  headers: IncomingMessage['headers'],
): string {
  const own = Object.keys(headers).filter((name) => name.startsWith('x-ms-'));
  const length = headers['content-length'] === '0' ? '' : (headers['content-length'] ?? '');
  const lines = [
    `${method}\n\n\n${length}\n\n${headers['content-type'] ?? ''}\n\n\n${headers['if-match'] ?? ''}\n\n\n`,
    ...own.sort().map((name) => `${name}:${headers[name]}`),
    `/${account}${url.pathname}`,
    ...[...url.searchParams].map(([name, value]) => `${name}:${value}`).sort(),
  ];
  const signed = createHmac('sha256', Buffer.from(key, 'base64')).update(lines.join('\n')).digest('base64');
  return `SharedKey ${account}:${signed}`;
}

const VERSION = '2021-12-02';
/** The account that azurite has, as its document says. */
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** A container of a real server, whose address ends with the name of its account. */
export class RealAzure {
  readonly account: string;
  readonly key = process.env.TEST_AZURE_KEY ?? KEY;
  private readonly blobs = new Set<string>();
  /** Times of changes that a test states, as they stand in a listing. */
  private readonly times = new Map<string, string>();

  private constructor(
    private readonly server: URL,
    private readonly container: string,
  ) {
    this.account = server.pathname.replaceAll('/', '');
  }

  /** With an empty container. */
  static async open(server: URL, container: string): Promise<RealAzure> {
    const store = new RealAzure(server, container);
    // The container may exist.
    await store.send('PUT', '?restype=container').catch(() => {});
    const listed = await store.send('GET', '?restype=container&comp=list');
    for (const [, name = ''] of listed.matchAll(/<Blob><Name>([^<]*)<\/Name>/g)) store.blobs.add(name);
    await store.clear();
    return store;
  }

  async append(name: string, bytes: Buffer, mtimeMs: number | undefined): Promise<void> {
    if (mtimeMs !== undefined) this.times.set(name, new Date(mtimeMs).toUTCString());
    const path = `/${awsEncode(name)}`;
    if (!this.blobs.has(name))
      await this.send('PUT', path, Buffer.alloc(0), { 'x-ms-blob-type': 'AppendBlob' });
    this.blobs.add(name);
    await this.send('PUT', `${path}?comp=appendblock`, bytes);
  }

  async clear(): Promise<void> {
    for (const name of this.blobs) await this.send('DELETE', `/${awsEncode(name)}`);
    this.blobs.clear();
  }

  /** A token for the container. */
  sas(endMs: number): string {
    const asked = { sp: 'rl', se: `${new Date(endMs).toISOString().slice(0, 19)}Z`, sv: VERSION, sr: 'c' };
    const resource = `/blob/${this.account}/${this.container}`;
    const text = [
      asked.sp,
      '',
      asked.se,
      resource,
      '',
      '',
      '',
      asked.sv,
      asked.sr,
      '',
      '',
      '',
      '',
      '',
      '',
      '',
    ];
    const key = Buffer.from(this.key, 'base64');
    const sig = createHmac('sha256', key).update(text.join('\n')).digest('base64');
    return `?${new URLSearchParams({ ...asked, sig })}`;
  }

  /** Passes a request as it came, so that the server judges it. */
  pass(request: IncomingMessage, response: ServerResponse): Promise<number> {
    const target = new URL(request.url ?? '', this.server);
    return pass(request, response, { target, headers: request.headers, ...this.changeOf(target) });
  }

  /** Passes a request that the stand-in found right, with a signature that the server knows. */
  passSigned(request: IncomingMessage, response: ServerResponse, pageSize: number): Promise<number> {
    const target = new URL(request.url ?? '', this.server);
    if (target.searchParams.get('comp') === 'list') target.searchParams.set('maxresults', String(pageSize));
    const { authorization: _, ...headers } = request.headers;
    const authorization = sharedKeySignature(this, request.method ?? 'GET', target, headers);
    return pass(request, response, {
      target,
      headers: { ...headers, authorization },
      ...this.changeOf(target),
    });
  }

  private changeOf(target: URL) {
    if (target.searchParams.get('comp') !== 'list') return {};
    const timed = /(<Blob><Name>([^<]*)<\/Name>.*?<Last-Modified>)[^<]*/g;
    const change = (xml: string) =>
      xml.replace(timed, (all, before: string, name: string) => {
        const time = this.times.get(name);
        return time === undefined ? all : before + time;
      });
    return { change };
  }

  private send(
    method: string,
    rest: string,
    body: Buffer = Buffer.alloc(0),
    more: Record<string, string> = {},
  ) {
    const url = new URL(`/${this.account}/${this.container}${rest}`, this.server);
    const dated = { ...more, 'x-ms-date': new Date().toUTCString(), 'x-ms-version': VERSION };
    const isPut = method === 'PUT';
    const headers = {
      ...dated,
      ...(isPut && { 'content-type': 'application/octet-stream', 'content-length': String(body.length) }),
    };
    const authorization = sharedKeySignature(this, method, url, headers);
    return put(url, { method, headers: { ...headers, authorization }, ...(isPut && { body }) });
  }
}
