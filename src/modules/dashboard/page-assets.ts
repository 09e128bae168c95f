import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { databaseTime, type ReadTime } from '../../database/lease';
import { guarded } from '../../database/limited';
import { LIMITS } from '../../limits';
import type { CheckpointKey } from '../../store/log/evidence/note-key';

type SealKey = Pick<CheckpointKey, 'keyId' | 'mac'>;

/** The suffix of the form of an asset that the build compressed with brotli. */
const BROTLI = '.br';

/**
 * The files of the page that all instances on one database share. Each instance stores its own, and finds those of
 * other releases for a day after the last instance of that release, by the database's clock.
 */
export class PageAssets {
  /** The names that were stored at the last look. */
  #names: ReadonlySet<string> = new Set();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;
  readonly #contents: LRUCache<string, Buffer>;

  constructor(
    private readonly parts: {
      readonly service: ServiceDoor;
      readonly owner: OwnerDoor;
      /** The first one seals; the others may have sealed files of earlier releases. */
      readonly keys: readonly [SealKey, ...SealKey[]];
      /** The built page, which may be absent. */
      readonly folder: string;
      readonly nowMs: () => number;
      readonly time?: ReadTime;
    },
  ) {
    this.#contents = new LRUCache({
      maxSize: LIMITS.pageAssetsCachedBytes,
      sizeCalculation: (content) => Math.max(1, content.length),
      fetchMethod: (name) => this.#read(name),
    });
  }

  /** Stores the files of this instance's page, and removes those that no instance has had for a day. */
  async keep(): Promise<void> {
    const { owner, keys, folder } = this.parts;
    const [{ keyId }] = keys;
    const assets = path.join(folder, 'assets');
    const files = existsSync(assets) ? readdirSync(assets).filter((file) => file.endsWith(BROTLI)) : [];
    const names = files.map((file) => file.slice(0, -BROTLI.length));
    const stored = await owner.models.pageAsset.findMany({
      where: { name: { in: names }, keyId },
      select: { name: true },
    });
    const known = new Set(stored.map(({ name }) => name));
    const keptAt = await this.#time(owner.models);
    for (const name of names.filter((each) => !known.has(each))) {
      const content = new Uint8Array(await readFile(path.join(assets, name + BROTLI)));
      const row = { content, keyId, mac: new Uint8Array(macOf(keys[0], name, content)), keptAt };
      await owner.models.pageAsset.upsert({ where: { name }, create: { name, ...row }, update: row });
    }
    // A time ahead of the clock was written while the clock was ahead. Such a file is kept for a day from now.
    await owner.models.pageAsset.updateMany({
      where: { OR: [{ name: { in: names } }, { keptAt: { gt: keptAt } }] },
      data: { keptAt },
    });
    await owner.models.pageAsset.deleteMany({ where: { keptAt: { lte: endOfLife(keptAt) } } });
  }

  /**
   * The content of a file of another release, compressed with brotli; null if nobody has it.
   * @throws DomainError `service_unavailable`
   */
  async find(name: string): Promise<Buffer | null> {
    // Anybody may ask for any name, so names are looked up in memory, and read again once a second at most.
    if (Math.abs(this.parts.nowMs() - this.#lookedAtMs) >= LIMITS.pageAssetsLookMs) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = null;
      });
      await this.#looking;
    }
    if (!this.#names.has(name)) return null;
    return (await this.#contents.fetch(name)) ?? null;
  }

  async #look(): Promise<void> {
    const atMs = this.parts.nowMs();
    const { models } = this.parts.service;
    const rows = await guarded(async () =>
      models.pageAsset.findMany({
        where: { keptAt: { gt: endOfLife(await this.#time(models)) } },
        select: { name: true },
      }),
    );
    this.#names = new Set(rows.map(({ name }) => name));
    this.#lookedAtMs = atMs;
  }

  async #read(name: string): Promise<Buffer | undefined> {
    const row = await guarded(() => this.parts.service.models.pageAsset.findUnique({ where: { name } }));
    const key = row && this.parts.keys.find(({ keyId }) => keyId === row.keyId);
    return key && macOf(key, name, row.content).equals(row.mac) ? Buffer.from(row.content) : undefined;
  }

  #time: ReadTime = (client) => (this.parts.time ?? databaseTime)(client);
}

/** A file that was kept then, or before, is over. */
const endOfLife = (now: Date): Date => new Date(now.getTime() - LIMITS.pageAssetsKeptMs);

const macOf = (key: SealKey, name: string, content: Uint8Array): Buffer =>
  key.mac('page asset', name, Buffer.from(content));
