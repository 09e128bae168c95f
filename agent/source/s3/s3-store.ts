import { awsEncode, awsHeaders } from '../../../src/delivery/aws-signature';
import { FILETIME_UNIX_EPOCH } from '../../../src/event/event-time';
import type { Environment } from '../environment';
import { objectNameOf } from '../objects/object-name';
import type { Listed, ObjectStore, StoredObject, Traffic, Wanted } from '../objects/object-store';
import { StoreError } from '../objects/store-error';
import { type StoreAnswer, StoreHttp, type StoreHttpOptions } from '../objects/store-http';
import { xmlText, xmlTexts } from '../objects/xml';
import { AwsChain } from './aws-credentials';
import type { S3Config } from './s3-config';
import { isOfCredentials, s3Error } from './s3-error';

interface S3StoreOptions extends StoreHttpOptions {
  readonly config: S3Config;
  readonly env: Environment;
  readonly metadataTimeoutMs: number;
}

/** Pages of one listing. The next listing goes on where this one stopped. */
const PAGES_MAX = 100;
/** Behind every digit of a time. */
const BEHIND_DIGITS = ':';
const NOTHING = Buffer.alloc(0);

/** A prefix of a bucket, through the interface of S3. */
export class S3Store implements ObjectStore {
  readonly base: string;
  readonly title: string;
  private readonly http: StoreHttp;
  private readonly chain: AwsChain;
  private readonly region: string;
  private readonly endpoint: string;
  /** Where the next listing goes on. */
  private resumeAfter = '';

  constructor(private readonly options: S3StoreOptions) {
    const { config, env } = options;
    this.base = `s3://${config.bucket}/`;
    this.title = this.base + config.prefix;
    this.http = new StoreHttp(options);
    const metadata = new StoreHttp({ ...options, timeoutMs: options.metadataTimeoutMs });
    this.region = config.region ?? (env.AWS_REGION || env.AWS_DEFAULT_REGION || '');
    const domain = this.region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    this.endpoint = config.endpoint ?? `https://s3.${this.region}.${domain}`;
    const nowMs = () => options.clock.now();
    this.chain = new AwsChain({ config, env, region: this.region, http: this.http, metadata, nowMs });
  }

  get traffic(): Traffic {
    return this.http.traffic;
  }

  async list(wanted: Wanted): Promise<Listed> {
    let after = this.resumeAfter;
    const isBegin = after === '';
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const { objects, isLast } = await this.page(after);
      let skipTo = '';
      for (const object of objects) {
        if (object.key <= skipTo) continue;
        const name = objectNameOf(object.key);
        if (name === null) continue;
        const { created, series, seriesKey } = name;
        const from = created === null ? null : wanted.from(series);
        if (created !== null && from !== null && created < from) {
          if (seriesKey !== null) skipTo = seriesKey + digitsOf(from);
        } else if (!wanted.take(object, name) && seriesKey !== null) skipTo = seriesKey + BEHIND_DIGITS;
      }
      if (isLast) {
        this.resumeAfter = '';
        return { isBegin, isEnd: true };
      }
      const last = objects.at(-1)?.key ?? after;
      after = skipTo > last ? skipTo : last;
      this.resumeAfter = after;
    }
    return { isBegin, isEnd: false };
  }

  async read(object: StoredObject, offset: number, length: number): Promise<Buffer> {
    const range = { range: `bytes=${offset}-${offset + length - 1}` };
    const { body, status } = await this.get(object, range);
    // A store that knows no ranges sends everything.
    const bytes = status === 206 ? body : body.subarray(offset, offset + length);
    if (bytes.length !== length) throw new StoreError('the store answers with another range', 'ECHANGED');
    return bytes;
  }

  async download(object: StoredObject, path: string): Promise<void> {
    await this.get(object, {}, path);
  }

  async exists({ key }: StoredObject): Promise<boolean> {
    const answer = await this.send('HEAD', this.urlOf(key));
    if (answer.status === 404) return false;
    if (answer.status !== 200) throw s3Error(answer, this.options.config.bucket);
    return true;
  }

  private async get(
    { key, version }: StoredObject,
    headers: Readonly<Record<string, string>>,
    path?: string,
  ): Promise<StoreAnswer> {
    const answer = await this.send('GET', this.urlOf(key), { ...headers, 'if-match': version }, path);
    if (answer.status === 404 && xmlText(answer.body.toString('utf8'), 'Code') !== 'NoSuchBucket')
      throw new StoreError('the object is gone', 'ENOENT');
    if (answer.status === 412 || answer.status === 416)
      throw new StoreError('the object has changed since it was listed', 'ECHANGED');
    if (answer.status !== 200 && answer.status !== 206) throw s3Error(answer, this.options.config.bucket);
    return answer;
  }

  private async page(after: string): Promise<{ objects: StoredObject[]; isLast: boolean }> {
    const url = this.urlOf('');
    const parameters = { 'list-type': '2', 'encoding-type': 'url', prefix: this.options.config.prefix };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    if (after !== '') url.searchParams.set('start-after', after);
    const answer = await this.send('GET', url);
    if (answer.status !== 200) throw s3Error(answer, this.options.config.bucket);
    const xml = answer.body.toString('utf8');
    const isEncoded = xmlText(xml, 'EncodingType') === 'url';
    const objects = xmlTexts(xml, 'Contents').map((entry) => toObject(entry, isEncoded));
    const isWhole = /<IsTruncated>(true|false)<\/IsTruncated>/.exec(xml);
    if (isWhole === null) throw new StoreError('the answer is not that of S3: correct the address');
    return { objects, isLast: isWhole[1] === 'false' || objects.length === 0 };
  }

  private urlOf(key: string): URL {
    const { bucket } = this.options.config;
    const path = key === '' ? awsEncode(bucket) : `${awsEncode(bucket)}/${awsEncode(key)}`;
    return new URL(`${this.endpoint}/${path}`);
  }

  /** @param path of a file to which the body of an answer goes, if that is the object */
  private async send(
    method: 'GET' | 'HEAD',
    url: URL,
    headers: Readonly<Record<string, string>> = {},
    path?: string,
  ): Promise<StoreAnswer> {
    if (this.region === '')
      throw new StoreError('no region: set S3.Region, or AWS_REGION in the environment');
    const signed = async () => {
      const signer = { ...(await this.chain.get()), region: this.region, service: 's3' };
      const at = new Date(this.options.clock.now());
      const own = awsHeaders(signer, { method, url, body: NOTHING }, at);
      return { method, url: withQuery(url), headers: { ...headers, ...own } };
    };
    const once = () => this.http.send(signed, path);
    const answer = await once();
    if (!isOfCredentials(answer)) return answer;
    // They may have ended before their time, or the host may have got others.
    this.chain.drop();
    return once();
  }
}

/** Some stores do not read `+` as a blank. */
const withQuery = (url: URL): string => url.href.replaceAll('+', '%20');

function toObject(entry: string, isEncoded: boolean): StoredObject {
  const key = xmlText(entry, 'Key');
  return {
    key: isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key,
    size: Number(xmlText(entry, 'Size')),
    mtimeMs: Date.parse(xmlText(entry, 'LastModified')) || 0,
    version: xmlText(entry, 'ETag'),
    canGrow: false,
  };
}

const digitsOf = (filetime: bigint): string =>
  String(filetime < FILETIME_UNIX_EPOCH ? FILETIME_UNIX_EPOCH : filetime);
