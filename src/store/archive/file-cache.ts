import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { Prisma } from '../../database/clients';
import { hadNoRoom } from '../../database/disk-room';
import { within } from '../../deadline';
import { DomainError } from '../../errors';
import type { Ask } from '../columns/ask';
import { startOfWeek } from '../rows/partitions';
import { type FileName, type FilePlace, NoSuchFile, pathOf } from './file-place';
import { needRoom } from './full-disk';

const PIECES_PER_READ = 16;
const ENDING = '.parquet';

/** A file as the list names it. */
export interface ListedFile extends FileName {
  readonly week: number;
}

/**
 * Files on local disk, copied from the database or from their place, and compared with their hash. The least recently used ones go when all
 * together have more than a number of bytes. A file has a name that only the list tells, so a caller that does not see
 * the list's row cannot name it.
 */
export class FileCache {
  readonly #fetching = new Map<string, Fetching>();
  /** The files that this process has compared with their hash. */
  readonly #proven = new Set<string>();
  /** How many questions use each file now. */
  readonly #used = new Map<string, number>();

  constructor(
    private readonly folder: string,
    private readonly bytesMax: number,
    /** Where the files lie that have no pieces in the database; null: nowhere. */
    private readonly place: FilePlace | null = null,
    /** Left free on the disk of the folder. */
    private readonly roomBytes?: number,
  ) {}

  /**
   * Uses files while some work lasts.
   * @param ask reads the pieces, in the snapshot that read the list: they are there then
   * @param waitMs for files that lie in the place of files; null: as long as it takes. A file that is not here by then is
   * fetched on, for the next question. Pieces in the database are read to the end, since nobody can read them on
   * @throws DomainError `service_unavailable` for a file that is gone, is not what the list says, or is not here in time
   */
  async using<T>(
    files: readonly ListedFile[],
    ask: Ask,
    work: (paths: readonly string[]) => Promise<T>,
    waitMs: number | null = null,
  ): Promise<T> {
    for (const { sha256 } of files) this.#used.set(sha256, (this.#used.get(sha256) ?? 0) + 1);
    try {
      return await work(await this.#paths(files, ask, waitMs));
    } finally {
      for (const { sha256 } of files) {
        const count = (this.#used.get(sha256) ?? 1) - 1;
        if (count > 0) this.#used.set(sha256, count);
        else this.#used.delete(sha256);
      }
    }
  }

  async #paths(files: readonly ListedFile[], ask: Ask, waitMs: number | null): Promise<readonly string[]> {
    const patience = new Patience(waitMs);
    const paths: string[] = [];
    for (const file of files) paths.push(await this.#path(file, ask, patience));
    return paths;
  }

  async #path(file: ListedFile, ask: Ask, patience: Patience): Promise<string> {
    const { sha256 } = file;
    const target = path.join(this.folder, sha256 + ENDING);
    const now = new Date();
    const isThere = await utimes(target, now, now).then(
      () => true,
      () => false,
    );
    if (isThere && (await this.#isWhole(file, target))) return target;
    const known = this.#fetching.get(sha256);
    if (known)
      try {
        return await patience.wait(file, known);
      } catch (error) {
        if (patience.isOver) throw error;
        // Another question's snapshot may have ended, or have failed: this one has pieces of its own.
        return patience.wait(file, this.#begin(file, target, ask));
      }
    const fetching = this.#begin(file, target, ask);
    this.#fetching.set(sha256, fetching);
    const forget = () => void this.#fetching.delete(sha256);
    fetching.path.then(forget, forget);
    return patience.wait(file, fetching);
  }

  #begin(file: ListedFile, target: string, ask: Ask): Fetching {
    let onPlace = () => {};
    const atPlace = new Promise<void>((resolve) => {
      onPlace = resolve;
    });
    return { path: this.#fetchWithRoom(file, target, ask, onPlace), atPlace };
  }

  /** Compares a copy of an earlier run with its hash, once. A copy that differs is fetched again. */
  async #isWhole({ sha256 }: ListedFile, target: string): Promise<boolean> {
    if (this.#proven.has(sha256)) return true;
    const hash = createHash('sha256');
    try {
      for await (const bytes of createReadStream(target)) hash.update(bytes);
    } catch {
      return false;
    }
    if (hash.digest('hex') !== sha256) return false;
    this.#proven.add(sha256);
    return true;
  }

  /** Without room, all other copies go first. */
  async #fetchWithRoom(file: ListedFile, target: string, ask: Ask, onPlace: () => void): Promise<string> {
    try {
      return await this.#fetch(file, target, ask, onPlace);
    } catch (error) {
      if (!hadNoRoom(error)) throw error;
    }
    await this.#makeRoom(0);
    return this.#fetch(file, target, ask, onPlace).catch((error: unknown) => {
      throw hadNoRoom(error) ? without(file, error) : error;
    });
  }

  async #fetch(file: ListedFile, target: string, ask: Ask, onPlace: () => void): Promise<string> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    needRoom(this.folder, this.roomBytes);
    const draft = path.join(this.folder, `${randomUUID()}.part`);
    const handle = await open(draft, 'wx', 0o600);
    const hash = createHash('sha256');
    try {
      for await (const bytes of this.#bytes(file, ask, onPlace)) {
        hash.update(bytes);
        // Unlike `write`, this never ends after a part of the bytes, as where the disk is nearly full.
        await handle.writeFile(bytes);
      }
      await handle.close();
      if (hash.digest('hex') !== file.sha256) throw damaged(file);
      await rename(draft, target);
      this.#proven.add(file.sha256);
    } catch (error) {
      await handle.close().catch(() => {});
      await rm(draft, { force: true });
      throw error;
    }
    await this.#makeRoom(this.bytesMax);
    return target;
  }

  async *#bytes(file: ListedFile, ask: Ask, onPlace: () => void): AsyncIterable<Uint8Array> {
    for (let part = 0; ; part += PIECES_PER_READ) {
      const pieces = await ask<{ bytes: Uint8Array }>(piecesStatement(file, part));
      if (part === 0 && pieces.length === 0) break;
      for (const { bytes } of pieces) yield bytes;
      if (pieces.length < PIECES_PER_READ) return;
    }
    const [outside] = await ask(outsideStatement(file));
    if (!outside) throw damaged(file);
    if (this.place === null) throw elsewhere(file, 'ARCHIVE_URL is not set for this instance');
    onPlace();
    try {
      yield* this.place.read(file);
    } catch (error) {
      if (!(error instanceof NoSuchFile)) throw unreachable(file, error);
      throw elsewhere(file, 'it is not in the place that ARCHIVE_URL names');
    }
  }

  /** Removes the copies of files that no list has any more. @returns whether none is left: some may be in use */
  async keepOnly(listed: ReadonlySet<string>): Promise<boolean> {
    const names = await readdir(this.folder).catch(() => []);
    let isClean = true;
    for (const name of names.filter((one) => one.endsWith(ENDING))) {
      const sha256 = name.slice(0, -ENDING.length);
      if (listed.has(sha256)) continue;
      if (this.#used.has(sha256) || this.#fetching.has(sha256)) isClean = false;
      else {
        await rm(path.join(this.folder, name), { force: true });
        this.#proven.delete(sha256);
      }
    }
    return isClean;
  }

  async #makeRoom(bytesMax: number): Promise<void> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith(ENDING));
    const files = await Promise.all(
      names.map(async (name) => {
        const { size, atimeMs } = await stat(path.join(this.folder, name)).catch(() => ({
          size: 0,
          atimeMs: 0,
        }));
        return { name, size, atimeMs };
      }),
    );
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of files.sort((a, b) => a.atimeMs - b.atimeMs)) {
      if (bytes <= bytesMax) return;
      if (this.#used.has(name.slice(0, -ENDING.length))) continue;
      await rm(path.join(this.folder, name), { force: true });
      this.#proven.delete(name.slice(0, -ENDING.length));
      bytes -= size;
    }
  }
}

/** A file on its way to local disk. */
interface Fetching {
  readonly path: Promise<string>;
  /** Ends when its place is asked for it. From then on it needs no snapshot. */
  readonly atPlace: Promise<void>;
}

/** For how long a question waits for the place of files. */
class Patience {
  #leftMs: number;
  #isOver = false;

  /** @param ms null: as long as it takes */
  constructor(private readonly ms: number | null) {
    this.#leftMs = ms ?? 0;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async wait(file: ListedFile, { path: arrived, atPlace }: Fetching): Promise<string> {
    if (this.ms === null) return arrived;
    await Promise.race([arrived, atPlace]);
    const began = performance.now();
    const late = () => {
      this.#isOver = true;
      return notInTime(file);
    };
    try {
      return await within(this.#leftMs, late, () => arrived);
    } finally {
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - began));
    }
  }
}

const piecesStatement = ({ tenantId, sha256 }: ListedFile, part: number): Prisma.Sql => Prisma.sql`
  SELECT p.bytes FROM audit_sealed_piece p
  WHERE p.tenant_id = ${tenantId}::int AND p.sha256 = ${sha256} AND p.part >= ${part}::int
    AND p.part < ${part + PIECES_PER_READ}::int ORDER BY p.part`;

const outsideStatement = ({ tenantId, sha256 }: ListedFile): Prisma.Sql => Prisma.sql`
  SELECT f.sha256 FROM audit_sealed_file f WHERE f.tenant_id = ${tenantId}::int AND f.sha256 = ${sha256}`;

const damaged = ({ tenantId, week }: ListedFile) =>
  new DomainError('service_unavailable', {
    public: `The file of the sealed week that begins on ${mondayOf(week)} of tenant ${tenantId} is damaged or incomplete. Questions about that week cannot be answered.`,
    retryAfterSeconds: 60,
  });

/** @param why for the log */
const elsewhere = ({ tenantId, week, sha256 }: ListedFile, why: string) =>
  new DomainError('service_unavailable', {
    public: `The file of the sealed week that begins on ${mondayOf(week)} of tenant ${tenantId} does not lie where this instance of the service reads files. Questions about that week cannot be answered here.`,
    internal: { why, file: pathOf({ tenantId, sha256 }) },
    retryAfterSeconds: 60,
  });

const without = ({ tenantId, week }: ListedFile, cause: unknown) =>
  new DomainError('service_unavailable', {
    public: `The disk of the service is full, so the sealed week that begins on ${mondayOf(week)} of tenant ${tenantId} cannot be read now.`,
    retryAfterSeconds: 60,
    cause,
  });

const unreachable = ({ tenantId, week }: ListedFile, cause: unknown) =>
  new DomainError('service_unavailable', {
    public: `The store of the sealed week that begins on ${mondayOf(week)} of tenant ${tenantId} does not answer. Questions about that week cannot be answered now.`,
    retryAfterSeconds: 30,
    cause,
  });

const notInTime = ({ tenantId, week, sha256 }: ListedFile) =>
  new DomainError('service_unavailable', {
    public: `The file of the sealed week that begins on ${mondayOf(week)} of tenant ${tenantId} was not read in time. Questions about that week cannot be answered now.`,
    internal: { file: pathOf({ tenantId, sha256 }) },
    retryAfterSeconds: 10,
  });

/** The first day of a week. */
const mondayOf = (week: number) => new Date(startOfWeek(week)).toISOString().slice(0, 10);
