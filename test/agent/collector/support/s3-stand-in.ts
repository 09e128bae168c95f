import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { RealS3 } from './real-s3';
import { realStore } from './real-store';

interface Login {
  readonly secret: string;
  readonly token?: string;
  isExpired?: boolean;
}
interface Stored {
  readonly bytes: Buffer;
  readonly version: string;
  readonly mtimeMs: number;
}
export type StoreFault = (request: IncomingMessage, response: ServerResponse) => boolean;

const PAGE_SIZE = 1_000;
/** What s3rver does not refuse. */
const NOT_JUDGED = ['ExpiredToken', 'AuthorizationHeaderMalformed', 'SignatureDoesNotMatch'];
export const BUCKET = 'audit-trail';
export const REGION = 'eu-central-1';

/**
 * A bucket, STS and the address of an instance's role, as far as a collector uses them. It checks each signature itself. Before
 * a real server, that one has the objects and answers: the stand-in answers what that one has not, which are STS, the role
 * of an instance, credentials that end or were taken back, and the region of the bucket; and it makes stores fail.
 */
export class S3StandIn {
  readonly logins = new Map<string, Login>();
  private readonly objects = new Map<string, Stored>();
  /** The path and query of each request to the bucket. */
  readonly requests: string[] = [];
  /** Each request to STS. */
  readonly assumed: URLSearchParams[] = [];
  pageSize = PAGE_SIZE;
  bucketRegion = REGION;
  fault: StoreFault = () => false;
  /** The most requests that were here at the same time. */
  mostAtOnce = 0;
  /** Settings of a collector that may read the bucket. */
  readonly login: { readonly AccessKeyId: string; readonly SecretAccessKey: string };
  private atOnce = 0;
  private readonly server = createServer((request, response) => {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
    response.once('close', () => this.atOnce--);
    this.answer(request, response).catch(() => response.destroy());
  });

  private constructor(private readonly real: RealS3 | null) {
    const { id, secret } = real?.login ?? { id: 'AKIATEST', secret: 'a+secret/key' };
    this.login = { AccessKeyId: id, SecretAccessKey: secret };
    this.logins.set(id, { secret });
  }

  static async start(): Promise<S3StandIn> {
    const server = realStore('TEST_S3_URL');
    const store = new S3StandIn(server && (await RealS3.open(server, BUCKET, REGION)));
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

  /** @param time of the upload, as the bucket states it; by default now */
  async put(key: string, bytes: Buffer, time?: number): Promise<void> {
    if (this.real) return this.real.put(key, bytes, time);
    const mtimeMs = time ?? Date.now();
    const version = `"${createHash('md5').update(bytes).digest('hex')}"`;
    this.objects.set(key, { bytes, version, mtimeMs });
  }

  async remove(key: string): Promise<void> {
    if (this.real) return this.real.remove(key);
    this.objects.delete(key);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    if (url.pathname.startsWith('/latest/')) return void this.answerInstance(request, url, response);
    const body = await text(request);
    if (url.pathname === '/' && request.method === 'POST')
      return void this.answerSts(request, body, response);
    this.requests.push(request.url ?? '');
    if (this.fault(request, response)) return;
    const problem = this.problemOf(request, body, 's3');
    if (this.real && !this.mustJudge(request, problem)) {
      const isKnown = idOf(request) === this.real.login.id && this.pageSize === PAGE_SIZE;
      return isKnown || problem !== null
        ? this.real.pass(request, response)
        : this.real.passSigned(request, response, this.pageSize);
    }
    if (problem !== null)
      return void refuse(
        response,
        problem === 'AuthorizationHeaderMalformed' ? 400 : 403,
        problem,
        this.bucketRegion,
      );
    const [, bucket, ...rest] = url.pathname.split('/').map(decodeURIComponent);
    if (bucket !== BUCKET) return void refuse(response, 404, 'NoSuchBucket');
    if (rest.length === 0) return void this.list(url.searchParams, response);
    this.get(request, rest.join('/'), response);
  }

  /** Whether a request is refused for what the real server does not know. */
  private mustJudge(request: IncomingMessage, problem: string | null): boolean {
    if (problem !== null && NOT_JUDGED.includes(problem)) return true;
    const { id, secret } = this.real?.login ?? { id: '', secret: '' };
    return problem !== null && idOf(request) === id && this.logins.get(id)?.secret !== secret;
  }

  private list(asked: URLSearchParams, response: ServerResponse): void {
    const prefix = asked.get('prefix') ?? '';
    const after = asked.get('start-after') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const entries = keys.slice(0, this.pageSize).map((key) => {
      const { bytes, version, mtimeMs } = this.objects.get(key) as Stored;
      const time = new Date(mtimeMs).toISOString();
      const name = encodeURIComponent(key).replaceAll('%20', '+');
      return `<Contents><Key>${name}</Key><LastModified>${time}</LastModified><ETag>${version.replaceAll('"', '&quot;')}</ETag><Size>${bytes.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
    });
    const isCut = keys.length > this.pageSize;
    response.end(
      `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${BUCKET}</Name><EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${entries.join('')}</ListBucketResult>`,
    );
  }

  private get({ headers, method }: IncomingMessage, key: string, response: ServerResponse): void {
    const stored = this.objects.get(key);
    if (!stored) return void refuse(response, 404, 'NoSuchKey');
    const { bytes, version } = stored;
    if (headers['if-match'] !== undefined && headers['if-match'] !== version)
      return void refuse(response, 412, 'PreconditionFailed');
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const part = from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1);
    response.writeHead(from === undefined ? 200 : 206, { 'content-length': part.length, etag: version });
    response.end(method === 'HEAD' ? undefined : part);
  }

  private answerSts(request: IncomingMessage, body: string, response: ServerResponse): void {
    const asked = new URLSearchParams(body);
    this.assumed.push(asked);
    const isByToken = asked.get('Action') === 'AssumeRoleWithWebIdentity';
    const problem = isByToken ? null : this.problemOf(request, body, 'sts');
    if (problem !== null) return void refuse(response, 403, problem);
    const id = `ASIA${this.assumed.length}`;
    this.logins.set(id, { secret: `secret of ${id}`, token: `token of ${id}` });
    const end = new Date(Date.now() + 3_600_000).toISOString();
    response.end(
      `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>secret of ${id}</SecretAccessKey><SessionToken>token of ${id}</SessionToken><Expiration>${end}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  }

  private answerInstance(
    { headers, method }: IncomingMessage,
    { pathname }: URL,
    response: ServerResponse,
  ): void {
    if (method === 'PUT') return void response.end('IMDS-TOKEN');
    if (headers['x-aws-ec2-metadata-token'] !== 'IMDS-TOKEN') return void response.writeHead(401).end();
    if (pathname.endsWith('/security-credentials/')) return void response.end('collector-role');
    this.logins.set('ASIAHOST', { secret: 'of the host', token: 'token of the host' });
    const Expiration = new Date(Date.now() + 3_600_000).toISOString();
    const AccessKeyId = 'ASIAHOST';
    response.end(
      JSON.stringify({ AccessKeyId, SecretAccessKey: 'of the host', Token: 'token of the host', Expiration }),
    );
  }

  /** Computes the signature as Amazon's documents state it. @returns the code of the refusal, or null */
  private problemOf(
    { headers, method, url = '' }: IncomingMessage,
    body: string,
    service: string,
  ): string | null {
    const [, id = '', day = '', region = '', names = '', signature = ''] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/\w+\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    const login = this.logins.get(id);
    if (!login) return 'InvalidAccessKeyId';
    if (login.isExpired || (headers['x-amz-security-token'] ?? undefined) !== login.token)
      return 'ExpiredToken';
    if (service === 's3' && region !== this.bucketRegion) return 'AuthorizationHeaderMalformed';
    const [path = '', query = ''] = url.split('?');
    const hash = createHash('sha256').update(body).digest('hex');
    if (headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch';
    const canonical = [
      method,
      path,
      query.split('&').sort().join('&'),
      ...names.split(';').map((name) => `${name}:${headers[name]}`),
      '',
      names,
      hash,
    ].join('\n');
    const scope = `${day}/${region}/${service}/aws4_request`;
    const time = String(headers['x-amz-date']);
    const sign = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
    const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(sign, `AWS4${login.secret}`);
    const digest = createHash('sha256').update(canonical).digest('hex');
    const expected = sign(key, ['AWS4-HMAC-SHA256', time, scope, digest].join('\n')).toString('hex');
    return expected === signature ? null : 'SignatureDoesNotMatch';
  }
}

const idOf = ({ headers }: IncomingMessage): string =>
  /Credential=([^/]+)/.exec(headers.authorization ?? '')?.[1] ?? '';

export function refuse(response: ServerResponse, status: number, code: string, region?: string): void {
  if (region !== undefined) response.setHeader('x-amz-bucket-region', region);
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>told ${code}</Message></Error>`);
}
