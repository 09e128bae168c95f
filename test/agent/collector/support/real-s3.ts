import type { IncomingMessage, ServerResponse } from 'node:http';
import { awsEncode, awsHeaders } from '../../../../src/delivery/aws-signature';
import { pass, put } from './real-store';

const NOTHING = Buffer.alloc(0);

/** A bucket of a real server. */
export class RealS3 {
  /** Times of uploads that a test states, as they stand in a listing. */
  private readonly times = new Map<string, string>();

  private constructor(
    private readonly server: URL,
    private readonly bucket: string,
    private readonly region: string,
    readonly login: { readonly id: string; readonly secret: string },
  ) {}

  /** With an empty bucket. */
  static async open(server: URL, bucket: string, region: string): Promise<RealS3> {
    const { TEST_S3_KEY_ID: id = 'S3RVER', TEST_S3_SECRET: secret = 'S3RVER' } = process.env;
    const store = new RealS3(server, bucket, region, { id, secret });
    // The bucket may exist.
    await store.send('PUT', '').catch(() => {});
    for (;;) {
      const listed = await store.send('GET', '?list-type=2');
      const keys = [...listed.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
      if (keys.length === 0) return store;
      for (const key of keys) await store.remove(key);
    }
  }

  async put(key: string, bytes: Buffer, mtimeMs: number | undefined): Promise<void> {
    if (mtimeMs !== undefined) this.times.set(key, new Date(mtimeMs).toISOString());
    else this.times.delete(key);
    await this.send('PUT', `/${awsEncode(key)}`, bytes);
  }

  async remove(key: string): Promise<void> {
    await this.send('DELETE', `/${awsEncode(key)}`);
  }

  /** Passes a request as it came, so that the server judges it. */
  async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = new URL(request.url ?? '', this.server);
    await pass(request, response, { target, headers: request.headers, ...this.changeOf(target) });
  }

  /** Passes a request that the stand-in found right, with a signature that the server knows. */
  async passSigned(request: IncomingMessage, response: ServerResponse, pageSize: number): Promise<void> {
    const target = new URL(request.url ?? '', this.server);
    if (target.searchParams.has('list-type')) target.searchParams.set('max-keys', String(pageSize));
    target.search = target.search.replaceAll('+', '%20');
    const own = Object.entries(request.headers).filter(([name]) => /^(range|if-match)$/.test(name));
    const headers = { ...Object.fromEntries(own), ...this.signed(request.method ?? 'GET', target, NOTHING) };
    await pass(request, response, { target, headers, ...this.changeOf(target) });
  }

  private changeOf(target: URL) {
    if (!target.searchParams.has('list-type')) return {};
    const timed = /(<Key>([^<]*)<\/Key><LastModified>)[^<]*/g;
    const timeOf = (key: string) => this.times.get(decodeURIComponent(key.replaceAll('+', ' ')));
    const change = (xml: string) =>
      xml.replace(timed, (all, before: string, key: string) => {
        const time = timeOf(key);
        return time === undefined ? all : before + time;
      });
    return { change };
  }

  private send(method: string, rest: string, body: Buffer = NOTHING): Promise<string> {
    const url = new URL(`/${this.bucket}${rest}`, this.server);
    const headers = this.signed(method, url, body);
    return put(url, { method, headers, ...(method === 'PUT' && { body }) });
  }

  private signed(method: string, url: URL, body: Buffer): Record<string, string> {
    const { id, secret } = this.login;
    const signer = { accessKeyId: id, secretAccessKey: secret, region: this.region, service: 's3' };
    return awsHeaders(signer, { method, url, body }, new Date());
  }
}
