import { awsEncode } from '../../../src/delivery/aws-signature';
import { FILETIME_UNIX_EPOCH, TICKS_PER_MS } from '../../../src/event/event-time';
import type { Environment } from '../environment';
import { objectNameOf } from '../objects/object-name';
import type { Listed, ObjectStore, StoredObject, Traffic, Wanted } from '../objects/object-store';
import { StoreError } from '../objects/store-error';
import { type StoreAnswer, StoreHttp, type StoreHttpOptions } from '../objects/store-http';
import { xmlText, xmlTexts } from '../objects/xml';
import type { AzureConfig } from './azure-config';
import { azureCode, azureError } from './azure-error';
import { AzureTokens } from './azure-tokens';
import { sharedKey } from './shared-key';

interface AzureStoreOptions extends StoreHttpOptions {
  readonly config: AzureConfig;
  readonly env: Environment;
  readonly metadataTimeoutMs: number;
}
interface Walk {
  readonly wanted: Wanted;
  /** The folder where it begins; empty: at the first one. */
  readonly from: string;
  readonly full: Set<string>;
  pages: number;
}
interface Page {
  readonly objects: readonly StoredObject[];
  readonly folders: readonly string[];
  /** Where the next page begins; empty: there is none. */
  readonly next: string;
}
type Method = 'GET' | 'HEAD';

const VERSION = '2021-12-02';
/** Pages of one listing: of each folder and day at least one. The next listing goes on where this one stopped. */
const PAGES_MAX = 1_000;
/** Server, database, audit, day and replica, and as many before them. */
const DEPTH_MAX = 10;
const DAY = /^(?:.*\/)?(\d{4}-\d\d-\d\d)\/$/;
const DAY_MS = 24 * 3_600_000;

/** A prefix of a container of Azure Blob Storage. */
export class AzureStore implements ObjectStore {
  readonly base: string;
  readonly title: string;
  private readonly http: StoreHttp;
  private readonly tokens: AzureTokens;
  private readonly endpoint: string;
  private readonly sasToken: string | null;
  private readonly accountKey: string | null;
  /** The folder where the next listing goes on. */
  private resumeAt = '';
  /** FILETIME by series of a primary: all files that were begun before it, those of replicas too, were listed. */
  private readonly listedTo = new Map<string, bigint>();
  /** Of the folders since the first one: series with files that were left out, and what `listedTo` is without them. */
  private pass = { full: new Set<string>(), to: new Map<string, bigint>() };

  constructor(private readonly options: AzureStoreOptions) {
    const { config, env } = options;
    this.endpoint = config.endpoint ?? `https://${config.account}.blob.core.windows.net`;
    this.base = `${this.endpoint}/${config.container}/`;
    this.title = this.base + config.prefix;
    this.http = new StoreHttp(options);
    const metadata = new StoreHttp({ ...options, timeoutMs: options.metadataTimeoutMs });
    const nowMs = () => options.clock.now();
    this.tokens = new AzureTokens({ config, env, http: this.http, metadata, nowMs });
    const isGiven = [config.sasToken, config.accountKey, config.clientId].some((one) => one !== null);
    const ofEnvironment = (text: string | undefined) => (isGiven ? null : text || null);
    this.sasToken = config.sasToken?.reveal() ?? ofEnvironment(env.AZURE_STORAGE_SAS_TOKEN);
    this.accountKey = config.accountKey?.reveal() ?? ofEnvironment(env.AZURE_STORAGE_KEY);
  }

  get traffic(): Traffic {
    return this.http.traffic;
  }

  async list(wanted: Wanted): Promise<Listed> {
    const from = this.resumeAt;
    if (from === '') this.pass = { full: new Set(), to: new Map() };
    const full = new Set<string>();
    const stopped = await this.walk(this.options.config.prefix, 0, {
      wanted,
      from,
      full,
      pages: 0,
    });
    this.resumeAt = stopped ?? '';
    for (const series of full) this.pass.full.add(series);
    if (stopped === null) this.notePass();
    return { isBegin: from === '', isEnd: stopped === null };
  }

  async read(object: StoredObject, offset: number, length: number): Promise<Buffer> {
    const { body, status } = await this.get(object, {
      'x-ms-range': `bytes=${offset}-${offset + length - 1}`,
    });
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
    if (answer.status !== 200) throw this.refusal(answer);
    return true;
  }

  /** @returns the folder where the pages ran out; null: everything below the prefix was listed that is wanted */
  private async walk(prefix: string, depth: number, walk: Walk): Promise<string | null> {
    if (depth > DEPTH_MAX) return null;
    for (let marker = ''; ; ) {
      if (walk.pages >= PAGES_MAX) return prefix;
      walk.pages++;
      const { folders, next, objects } = await this.page(prefix, marker);
      for (const object of objects) {
        const name = objectNameOf(object.key);
        if (name === null || walk.full.has(name.series)) continue;
        if (!walk.wanted.take(object, name)) walk.full.add(name.series);
      }
      for (const folder of folders) {
        if (isBefore(folder, walk.from) || !this.isWanted(folder, walk)) continue;
        const stopped = await this.walk(folder, depth + 1, walk);
        if (stopped !== null) return stopped;
      }
      if (next === '') return null;
      marker = next;
    }
  }

  /** Folders of days that lie before what is wanted of their series are left out. A day has the files of replicas, too. */
  private isWanted(folder: string, { full, wanted }: Walk): boolean {
    const [, day] = DAY.exec(folder) ?? [];
    if (day === undefined) return true;
    const series = folder.slice(0, -day.length - 2).toLowerCase();
    if (full.has(series) && full.has(replicasOf(series))) return false;
    const froms = [series, replicasOf(series)].flatMap((one) => wanted.from(one) ?? []).sort(byValue);
    const [first, last] = [froms[0], froms.at(-1)];
    if (first === undefined || last === undefined) return true;
    // While nothing of the replicas is known, a pass may leave out days of theirs.
    if (froms.length > 1 && !this.pass.to.has(series)) this.pass.to.set(series, last);
    const listedTo = this.listedTo.get(series) ?? first;
    const endMs = Date.parse(`${day}T00:00:00Z`) + DAY_MS;
    const end = Number.isNaN(endMs) ? null : BigInt(endMs) * TICKS_PER_MS + FILETIME_UNIX_EPOCH;
    return end === null || end > later(listedTo, first);
  }

  private notePass(): void {
    const { full, to } = this.pass;
    for (const [series, last] of to)
      if (!full.has(series) && !full.has(replicasOf(series))) this.listedTo.set(series, last);
  }

  private async page(prefix: string, marker: string): Promise<Page> {
    const url = this.urlOf('');
    const parameters = { restype: 'container', comp: 'list', delimiter: '/', prefix, marker };
    for (const [name, value] of Object.entries(parameters))
      if (value !== '') url.searchParams.set(name, value);
    const answer = await this.send('GET', url);
    if (answer.status !== 200) throw this.refusal(answer);
    const xml = answer.body.toString('utf8');
    if (!xml.includes('<EnumerationResults'))
      throw new StoreError('the answer is not that of Azure Blob Storage: correct the address');
    return {
      objects: xmlTexts(xml, 'Blob').map(toObject),
      folders: xmlTexts(xml, 'BlobPrefix').map((entry) => xmlText(entry, 'Name')),
      next: xmlText(xml, 'NextMarker'),
    };
  }

  private async get(
    { canGrow, key, version }: StoredObject,
    headers: Readonly<Record<string, string>>,
    path?: string,
  ): Promise<StoreAnswer> {
    // A blob that has grown since it was listed still has what it had.
    const condition = canGrow ? headers : { ...headers, 'if-match': version };
    const answer = await this.send('GET', this.urlOf(key), condition, path);
    if (answer.status === 404 && azureCode(answer) !== 'ContainerNotFound')
      throw new StoreError('the blob is gone', 'ENOENT');
    if (answer.status === 412 || answer.status === 416)
      throw new StoreError('the blob has changed since it was listed', 'ECHANGED');
    if (answer.status !== 200 && answer.status !== 206) throw this.refusal(answer);
    return answer;
  }

  private refusal(answer: StoreAnswer): StoreError {
    const end = new URLSearchParams(this.sasToken ?? '').get('se') ?? '';
    return azureError(answer, Date.parse(end) < this.options.clock.now());
  }

  private urlOf(key: string): URL {
    const container = awsEncode(this.options.config.container);
    return new URL(
      key === '' ? `${this.endpoint}/${container}` : `${this.endpoint}/${container}/${awsEncode(key)}`,
    );
  }

  private async send(
    method: Method,
    url: URL,
    headers: Readonly<Record<string, string>> = {},
    path?: string,
  ): Promise<StoreAnswer> {
    const once = () => this.http.send(() => this.signed(method, url, headers), path);
    const answer = await once();
    if (answer.status !== 401) return answer;
    this.tokens.drop();
    return once();
  }

  private async signed(method: Method, url: URL, headers: Readonly<Record<string, string>>) {
    const at = new Date(this.options.clock.now()).toUTCString();
    const dated = { ...headers, 'x-ms-date': at, 'x-ms-version': VERSION };
    const { account } = this.options.config;
    const plain = url.href.replaceAll('+', '%20');
    if (this.sasToken !== null) {
      const sas = this.sasToken.replace(/^\?/, '');
      return { method, url: `${plain}${url.search === '' ? '?' : '&'}${sas}`, headers: dated };
    }
    const authorization =
      this.accountKey === null
        ? `Bearer ${await this.tokens.get()}`
        : sharedKey({ account, key: this.accountKey }, method, url, dated);
    return { method, url: plain, headers: { ...dated, authorization } };
  }
}

/** Whether a folder and all that is below it comes before another one. The store orders names by their bytes. */
const isBefore = (folder: string, other: string): boolean =>
  !other.startsWith(folder) && Buffer.compare(Buffer.from(folder), Buffer.from(other)) < 0;

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const byValue = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Below the folder of a day. */
const replicasOf = (series: string): string => `${series}/ro`;

function toObject(entry: string): StoredObject {
  return {
    key: xmlText(entry, 'Name'),
    size: Number(xmlText(entry, 'Content-Length')),
    mtimeMs: Date.parse(xmlText(entry, 'Last-Modified')) || 0,
    version: xmlText(entry, 'Etag'),
    canGrow: xmlText(entry, 'BlobType') === 'AppendBlob',
  };
}
