import { join } from 'node:path';
import { FILETIME_UNIX_EPOCH, TICKS_PER_MS } from '../../../src/event/event-time';
import { grownMs, Rests } from '../../../src/rests';
import type { Clock } from '../../clock';
import { errorCode, errorText } from '../../log';
import { parseSourceName } from '../../sqlaudit/audit-file-name';
import { FileBytes, type OpenBytes, withBytes } from '../../sqlaudit/bytes';
import type { AuditSource, FoundFile, Identity, Listing, SourceState } from '../audit-source';
import { identityOf } from '../identity';
import { FileHeaders, ObjectBytes } from './object-bytes';
import { objectNameOf } from './object-name';
import type { ObjectStore } from './object-store';
import { SeenObjects } from './seen-objects';
import { StoreError } from './store-error';
import { UnzippedFiles } from './unzipped-files';
import { type Acknowledged, type KnownObject, WaitingObjects } from './waiting-objects';

interface ObjectSourceOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly bookmarks: Acknowledged;
  readonly listIntervalMs: number;
  /** The source ends when all is read, so that it gives everything at once. */
  readonly once: boolean;
  /** For what the source keeps of its own. */
  readonly folder: string;
}

/** Objects may arrive so much later than younger ones of their series. */
const LATE_TICKS = 48n * 3_600_000n * TICKS_PER_MS;
/** An append blob that has not grown for this time is not written any more: Azure begins one each day at least. */
const WRITTEN_MS = 24 * 3_600_000;
/** How many objects of a series are listed ahead, and how many of them the tail works on at once. */
const LISTED_AHEAD = 64;
const WORKED_ON = 4;
const REST_FIRST_MS = 1_000;
/** An archive that was written so long ago is not uploaded again. */
const DAMAGED_MS = 600_000;
/** Missing objects that one listing asks for. */
const ASKED_FOR_MAX = 20;

/** The audit files in an object store. They are read where they are, in the order of their beginning. */
export class ObjectSource implements AuditSource {
  private readonly waiting: WaitingObjects;
  private readonly headers = new FileHeaders();
  private readonly seen: SeenObjects;
  private readonly files: UnzippedFiles;
  private isLoaded = false;
  private newestMs: number | null = null;
  private nextListMs = 0;
  private failures = 0;
  private problem: string | null = null;
  private objectCount = 0;
  /** When the listing began that is under way or was the last one. */
  private begunAtMs = 0;
  private completeAtMs: number | null = null;
  /** The series of which the last listing left later objects out. */
  private cut: ReadonlySet<string> = new Set();
  /** Versions of objects that are no audit files, by key. */
  private readonly foreign = new Map<string, string>();
  /** Why an object could not be read, which is asked for again later. */
  private readonly failed = new Map<string, StoreError>();
  private readonly rests: Rests<string>;

  constructor(private readonly options: ObjectSourceOptions) {
    const { bookmarks, clock, folder, store } = options;
    this.waiting = new WaitingObjects(store.base, bookmarks);
    this.seen = new SeenObjects(join(folder, 'seen.json'));
    this.files = new UnzippedFiles(join(folder, 'unzipped'));
    this.rests = new Rests(() => clock.elapsed());
  }

  get title(): string {
    return this.options.store.title;
  }

  state(): SourceState {
    const ahead = this.waiting.all.filter(({ isHanded }) => !isHanded);
    const waitingBytes = ahead.reduce((sum, { object }) => sum + object.size, 0);
    const isEmpty = this.problem === null && this.isLoaded && this.objectCount === 0;
    const problem = isEmpty ? this.emptiness() : null;
    return { ...this.options.store.traffic, waitingBytes, completeAtMs: this.completeAtMs, problem };
  }

  async list(): Promise<Listing> {
    const { clock, once, store } = this.options;
    const nowMs = clock.now();
    const isDue = nowMs >= this.nextListMs || this.nextListMs - nowMs > this.options.listIntervalMs;
    if (isDue || this.isThrough) await this.refresh(nowMs);
    if (this.problem !== null) return { kind: 'unreadable', folder: store.title, reason: this.problem };
    for (const key of this.waiting.forgetAcknowledged()) await this.forget(key);
    const picked = this.waiting.next(once ? Number.POSITIVE_INFINITY : WORKED_ON);
    for (const known of picked) {
      known.isHanded = true;
      await this.measure(known);
    }
    const files = picked.map((known) => this.found(known, nowMs));
    return { kind: 'listed', files, skipped: [] };
  }

  async open(path: string): Promise<OpenBytes> {
    const { store } = this.options;
    const key = path.slice(store.base.length);
    const known = this.waiting.at(key);
    if (known === null) throw new StoreError('the object is gone', 'ENOENT');
    if (known.name.isZip) return FileBytes.open(await this.trying(key, () => this.unzipped(known)));
    const bytes = new ObjectBytes(store, known.object, this.headers);
    return {
      size: () => bytes.size(),
      read: (offset, length) => this.trying(key, () => bytes.read(offset, length)),
      close: () => bytes.close(),
    };
  }

  async identify(path: string): Promise<Identity> {
    const known = this.waiting.at(path.slice(this.options.store.base.length));
    if (known?.fileGuid && this.waiting.isAcknowledged(known))
      return { kind: 'file', fileGuid: known.fileGuid };
    const identity = await withBytes(() => this.open(path), identityOf).catch((error: unknown) =>
      this.damageOf(known, error),
    );
    if (known === null) return identity;
    const { key, version } = known.object;
    if (identity.kind === 'file') known.fileGuid = identity.fileGuid;
    if (identity.kind === 'foreign') {
      this.foreign.set(key, version);
      this.waiting.delete(key);
    }
    return identity;
  }

  /** Whether there is room for the later objects of a series. */
  private get isThrough(): boolean {
    if (this.cut.size === 0 || this.problem !== null) return false;
    const open = this.waiting.all.filter((known) => !this.waiting.isAcknowledged(known));
    const countOf = (series: string) => open.filter(({ name }) => name.series === series).length;
    return [...this.cut].some((series) => countOf(series) <= WORKED_ON);
  }

  private unzipped({ object }: KnownObject): Promise<string> {
    return this.files.pathOf(object, (path) => this.options.store.download(object, path));
  }

  /** Unpacks an archive before it is listed, since its own size is not that of the file. */
  private async measure(known: KnownObject): Promise<void> {
    const { name, object } = known;
    if (!name.isZip || this.waiting.isAcknowledged(known) || this.files.sizeOf(object) !== null) return;
    try {
      await this.trying(object.key, () => this.unzipped(known));
    } catch (error) {
      // It is listed all the same: whoever opens it is told the same.
      if (errorCode(error) === null) throw error;
    }
  }

  /** An archive that stays damaged is none. One that is young may be uploaded again. */
  private damageOf(known: KnownObject | null, error: unknown): Identity {
    const isDamaged = error instanceof StoreError && error.code === 'EDAMAGED';
    const ageMs = this.options.clock.now() - (known?.object.mtimeMs ?? 0);
    if (!isDamaged || ageMs < DAMAGED_MS) throw error;
    return { kind: 'foreign', offset: 0, reason: error.message };
  }

  /** Reads an object, unless that has just failed. */
  private async trying<T>(key: string, read: () => Promise<T>): Promise<T> {
    const before = this.failed.get(key);
    if (before !== undefined && this.rests.isResting(key)) throw before;
    try {
      const result = await read();
      this.failed.delete(key);
      this.rests.end(key);
      return result;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === 'ENOENT') await this.gone(key);
      else {
        if (error.code === 'ECHANGED') this.nextListMs = 0;
        this.failed.set(key, error);
        this.rests.failed(key, (failures) => this.waitMs(failures));
      }
      throw error;
    }
  }

  private async gone(key: string): Promise<void> {
    this.waiting.delete(key);
    await this.forget(key);
  }

  private async forget(key: string): Promise<void> {
    this.headers.forget(key);
    this.failed.delete(key);
    this.rests.end(key);
    await this.files.forget(key);
  }

  private waitMs(failures: number): number {
    const mostMs = this.options.listIntervalMs;
    return grownMs({ firstMs: Math.min(REST_FIRST_MS, mostMs), mostMs }, failures);
  }

  private async refresh(nowMs: number): Promise<void> {
    const { listIntervalMs } = this.options;
    try {
      this.waiting.readBookmarks(filetimeOf(nowMs));
      await this.load();
      while (!(await this.relist(nowMs)) && this.options.once);
      this.problem = null;
      this.failures = 0;
      this.nextListMs = nowMs + listIntervalMs;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.problem = errorText(error);
      this.failures++;
      this.nextListMs = nowMs + this.waitMs(this.failures);
    }
  }

  private async load(): Promise<void> {
    if (this.isLoaded) return;
    const { newestMs, waiting } = await this.seen.load();
    this.newestMs = newestMs;
    for (const object of waiting) {
      const name = objectNameOf(object.key);
      if (name !== null) this.waiting.saw(object, name);
    }
    this.isLoaded = true;
  }

  /** @returns whether it has come to the end */
  private async relist(nowMs: number): Promise<boolean> {
    const { store, once } = this.options;
    const before = new Set(this.waiting.all.map(({ object }) => object.key));
    const counts = new Map<string, number>();
    const found: string[] = [];
    const [seen, cut] = [new Set<string>(), new Set<string>()];
    this.waiting.forgetNewest();
    const { isBegin, isEnd } = await store.list({
      from: (series) => {
        const newest = this.waiting.newestBookmarked(series);
        return newest === null ? null : newest - LATE_TICKS;
      },
      take: (object, name) => {
        found.push(object.key);
        seen.add(name.series);
        this.newestMs = Math.max(this.newestMs ?? 0, object.mtimeMs);
        if (this.foreign.get(object.key) === object.version) return true;
        const known = this.waiting.saw(object, name);
        if (this.waiting.isAcknowledged(known)) return true;
        const count = (counts.get(name.series) ?? 0) + 1;
        counts.set(name.series, count);
        if (once || count < LISTED_AHEAD) return true;
        cut.add(name.series);
        return false;
      },
    });
    const isWhole = isBegin && isEnd;
    if (isBegin) this.begunAtMs = nowMs;
    for (const series of this.cut) if (!isWhole && !seen.has(series)) cut.add(series);
    this.cut = cut;
    this.objectCount = Math.max(found.length, isWhole ? 0 : this.objectCount);
    for (const key of found) before.delete(key);
    if (isWhole) {
      const listed = new Set(found);
      for (const key of this.foreign.keys()) if (!listed.has(key)) this.foreign.delete(key);
      await this.lookFor([...before].slice(0, ASKED_FOR_MAX));
    }
    const objects = this.waiting.all.map(({ object }) => object);
    await this.seen.save(this.newestMs, objects);
    if (isEnd && cut.size === 0) this.completeAtMs = this.begunAtMs;
    return isEnd;
  }

  /**
   * Asks for objects that a listing did not show. One that the tail does not know yet stays: when its turn comes, it is
   * found to be gone, and a gap has its name.
   */
  private async lookFor(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const known = this.waiting.at(key);
      if (known?.isHanded && !(await this.options.store.exists(known.object))) await this.gone(key);
    }
  }

  private found(known: KnownObject, nowMs: number): FoundFile {
    const { name, object, path } = known;
    const told = parseSourceName(name.name);
    const isWritten =
      object.canGrow && !this.waiting.isFollowed(known) && nowMs - object.mtimeMs < WRITTEN_MS;
    return {
      path,
      name: name.name,
      size: this.sizeOf(known),
      mtimeMs: object.mtimeMs,
      inode: path,
      version: object.version,
      audit: told?.audit ?? null,
      created: told?.created ?? filetimeOf(object.mtimeMs),
      isSpooled: false,
      isWhole: !isWritten,
    };
  }

  private sizeOf(known: KnownObject): number {
    const { name, object } = known;
    if (!name.isZip) return object.size;
    return this.files.sizeOf(object) ?? this.waiting.acknowledgedSize(known) ?? object.size;
  }

  private emptiness(): string {
    const { newestMs } = this;
    return newestMs === null
      ? `no audit file in ${this.title}`
      : `no file since ${new Date(newestMs).toISOString()}: no audit file is left in ${this.title}`;
  }
}

const filetimeOf = (ms: number): bigint => BigInt(Math.trunc(ms)) * TICKS_PER_MS + FILETIME_UNIX_EPOCH;
