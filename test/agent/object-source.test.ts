import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bookmark } from '../../agent/bookmarks/bookmark';
import { systemClock } from '../../agent/clock';
import { objectNameOf } from '../../agent/source/objects/object-name';
import { ObjectSource } from '../../agent/source/objects/object-source';
import type { Listed, ObjectStore, StoredObject, Wanted } from '../../agent/source/objects/object-store';
import { StoreError } from '../../agent/source/objects/store-error';
import { UnzippedFiles } from '../../agent/source/objects/unzipped-files';
import { FILETIME_UNIX_EPOCH } from '../../src/event/event-time';
import { temporaryFolder } from '../support/engines';
import { zipOf } from '../support/zip';

const NOW_MS = Date.UTC(2026, 0, 5, 8);
const HOUR_MS = 3_600_000;
const LIST_MS = 70_000;
const WHOLE: Listed = { isBegin: true, isEnd: true };
const BASE = 's3://bucket/';
const filetimeOf = (ms: number) => BigInt(ms) * 10_000n + FILETIME_UNIX_EPOCH;
/** The key of a file of one audit. */
const keyOf = (ms: number) => `Made_AAAAAAAA-0000-4000-8000-00000000000A_0_${filetimeOf(ms)}.sqlaudit`;
const SERIES = objectNameOf(keyOf(NOW_MS))?.series ?? '';

function objectOf(ageMs: number, change: Partial<StoredObject> = {}): StoredObject {
  const mtimeMs = NOW_MS - ageMs;
  return { key: keyOf(mtimeMs), size: 4_096, mtimeMs, version: 'v1', canGrow: false, ...change };
}

describe('a source of objects', () => {
  let folder: string;
  let source: ObjectSource;
  let nowMs: number;
  /** What the store has, whether it lists all of it at once, and how reads fail. */
  let objects: readonly StoredObject[];
  let part: Listed;
  let readError: Error | null;
  let bookmarks: Map<string, Bookmark>;
  let froms: (bigint | null)[];
  /** Whether the source wants more objects of the series, behind each that it took. */
  let taken: boolean[];
  let isOnce: boolean;
  let onListed: () => void;
  beforeEach(async () => {
    folder = await temporaryFolder();
    nowMs = NOW_MS;
    [objects, part, readError, froms, taken, isOnce] = [[], WHOLE, null, [], [], false];
    bookmarks = new Map();
    onListed = () => {};
    const store: ObjectStore = {
      base: BASE,
      title: BASE,
      traffic: { requests: 0, bytes: 0 },
      list: async (wanted: Wanted) => {
        froms.push(wanted.from(SERIES));
        let isWanted = true;
        for (const object of objects) {
          const name = objectNameOf(object.key);
          if (!name || !isWanted) continue;
          isWanted = wanted.take(object, name);
          taken.push(isWanted);
        }
        const given = part;
        onListed();
        return given;
      },
      read: async (_, __, length) => {
        if (readError) throw readError;
        return Buffer.alloc(length, 0xee);
      },
      download: async (_, path) => writeFile(path, await zipOf([['file', Buffer.alloc(10)]])),
      exists: async ({ key }) => objects.some((one) => one.key === key),
    };
    source = new ObjectSource({
      ...{ store, folder, listIntervalMs: LIST_MS },
      get once() {
        return isOnce;
      },
      clock: { ...systemClock, now: () => nowMs, elapsed: () => nowMs },
      bookmarks: { of: (guid) => bookmarks.get(guid) ?? null, all: () => bookmarks },
    });
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** The keys that the next listing gives to the tail. */
  async function listed(...next: readonly StoredObject[]): Promise<string[]> {
    objects = next;
    nowMs += LIST_MS;
    return (await files()).map(({ path }) => path.slice(BASE.length));
  }
  async function files() {
    const listing = await source.list();
    if (listing.kind === 'unreadable') throw new Error(listing.reason);
    return listing.files;
  }
  const bookmarkAt = (ms: number): Bookmark => ({
    file: keyOf(ms),
    path: BASE + keyOf(ms),
    ...{ blockOffset: 0, index: 0 },
  });

  it('asks for what comes up to two days late, whatever a name of a wrong clock states', async () => {
    bookmarks.set('a', bookmarkAt(NOW_MS - 5 * HOUR_MS));
    bookmarks.set('b', bookmarkAt(NOW_MS - 9 * HOUR_MS));
    bookmarks.set('c', bookmarkAt(NOW_MS + 900 * HOUR_MS));
    await listed();
    expect(froms).toEqual([filetimeOf(NOW_MS - 53 * HOUR_MS)]);
  });

  it('passes a file that is none over until another one has its name', async () => {
    const [wrong, own] = [objectOf(9 * HOUR_MS), objectOf(HOUR_MS)];
    expect(await listed(wrong, own)).toEqual([wrong.key, own.key]);
    expect((await source.identify(BASE + wrong.key)).kind).toBe('foreign');
    expect(await listed(wrong, own)).toEqual([own.key]);
    expect(await listed({ ...wrong, version: 'v2' }, own)).toEqual([wrong.key, own.key]);
  });

  it('gives again what is uploaded again under the key of a file that is acknowledged, also at the same size', async () => {
    const [again, other] = [objectOf(9 * HOUR_MS), objectOf(HOUR_MS)];
    const read = { blockOffset: 4_096, endSize: 4_096, version: 'v1' };
    bookmarks.set('a', { ...bookmarkAt(NOW_MS - 9 * HOUR_MS), ...read });
    expect(await listed(again, other)).toEqual([other.key]);
    expect(await listed({ ...again, version: 'v2' }, other)).toEqual([again.key, other.key]);
  });

  it('keeps what it has not begun although a listing lacks it, and forgets what it has begun and is gone', async () => {
    const all = [6, 5, 4, 3, 2].map((hours) => objectOf(hours * HOUR_MS, { size: 4_096 * hours }));
    const keys = all.map(({ key }) => key);
    expect(await listed(...all)).toEqual(keys.slice(0, 4));
    expect(source.state().waitingBytes).toBe(8_192);
    expect(await listed(...all.slice(0, 4))).toEqual(keys.slice(0, 4));
    expect(source.state().waitingBytes).toBe(8_192);
    expect(await listed(...all.slice(1, 4))).toEqual(keys.slice(1));
  });

  it.each([
    [false, 4, 63],
    [true, 70, 70],
  ])(
    'gives some objects of a series ahead, and all of them in a single run: %s',
    async (once, given, ahead) => {
      isOnce = once;
      const all = Array.from({ length: 70 }, (_, i) => objectOf((70 - i) * HOUR_MS));
      expect(await listed(...all)).toHaveLength(given);
      expect(taken.filter(Boolean)).toHaveLength(ahead);
    },
  );

  it('is complete once it has listed all of a series, and lists again when it is nearly through with what it has', async () => {
    const all = Array.from({ length: 70 }, (_, i) => objectOf((80 - i) * HOUR_MS));
    await listed(...all);
    expect([taken.length, source.state().completeAtMs]).toEqual([64, null]);
    // Each is no audit file, so the source is through with it.
    for (const { key } of all.slice(0, 59)) await source.identify(BASE + key);
    await files();
    expect([froms.length, source.state().completeAtMs]).toEqual([1, null]);
    await source.identify(BASE + (all[59]?.key ?? ''));
    const picked = (await files()).map(({ path }) => path.slice(BASE.length));
    expect([froms.length, source.state().completeAtMs]).toEqual([2, nowMs]);
    expect(picked).toEqual(all.slice(60, 64).map(({ key }) => key));
  });

  it('is complete as of the beginning of the last listing that came to its end', async () => {
    const complete = () => source.state().completeAtMs;
    const parts: Listed[] = [
      { isBegin: true, isEnd: false },
      { isBegin: false, isEnd: false },
      { isBegin: false, isEnd: true },
    ];
    const [begun, found] = [[] as number[], [] as (number | null)[]];
    for (const next of [WHOLE, ...parts, ...parts.slice(0, 1)]) {
      part = next;
      await listed(objectOf(HOUR_MS));
      if (part.isBegin) begun.push(nowMs);
      // Between two listings nothing new is known.
      nowMs += LIST_MS / 2;
      await files();
      found.push(complete());
    }
    const [first, second] = begun;
    expect(found).toEqual([first, first, first, second, second]);
  });

  it('lists all parts in a single run', async () => {
    isOnce = true;
    part = { isBegin: true, isEnd: false };
    const [older, newer] = [objectOf(2 * HOUR_MS), objectOf(HOUR_MS)];
    onListed = () => {
      part = { isBegin: false, isEnd: true };
      objects = [newer];
    };
    expect(await listed(older)).toEqual([older.key, newer.key]);
  });

  it('keeps nothing on the disk of an archive that it has begun and is gone', async () => {
    const archive = objectOf(HOUR_MS, { key: `${keyOf(NOW_MS - HOUR_MS)}.zip` });
    const [file] = (await listed(archive)) && (await files());
    expect(file?.size).toBe(10);
    expect(await readdir(join(folder, 'unzipped'))).toHaveLength(1);
    expect(await listed()).toEqual([]);
    expect(await readdir(join(folder, 'unzipped'))).toEqual([]);
  });

  it('goes on with a file that it has begun when older ones come late', async () => {
    const [begun, ...late] = [2, 7, 6, 5, 4, 3].map((hours) => objectOf(hours * HOUR_MS));
    if (!begun) throw new Error('there is one');
    expect(await listed(begun)).toEqual([begun.key]);
    const wanted = [...late.slice(0, 4), begun].map(({ key }) => key);
    expect(await listed(...late, begun)).toEqual(wanted);
  });

  it('says that nothing is left once it has seen all of the store, and not a part', async () => {
    await listed(objectOf(HOUR_MS));
    part = { isBegin: true, isEnd: false };
    await listed();
    expect(source.state().problem).toBeNull();
    part = WHOLE;
    await listed();
    expect(source.state().problem).toContain('no file since');
  });

  it('takes a blob that may grow for whole once another one follows it, or a day after its last change', async () => {
    const [old, before, last] = [30, 3, 2].map((hours) => objectOf(hours * HOUR_MS, { canGrow: true }));
    if (!old || !before || !last) throw new Error('there are three');
    await listed(old, before, last);
    expect((await files()).map(({ isWhole: whole }) => whole)).toEqual([true, true, false]);
    nowMs += 22 * HOUR_MS;
    expect((await files()).map(({ isWhole: whole }) => whole)).toEqual([true, true, true]);
  });

  it('lists at once when an object is another one than was listed', async () => {
    const one = objectOf(HOUR_MS);
    await listed(one);
    await files();
    expect(froms).toHaveLength(1);
    const bytes = await source.open(BASE + one.key);
    for (const code of ['ESTORE', 'ECHANGED'] as const) {
      nowMs += 1_000;
      readError = new StoreError('it cannot be read', code);
      await expect(bytes.read(0, 512)).rejects.toThrow('it cannot be read');
      await files();
    }
    expect(froms).toHaveLength(2);
  });
});

it('keeps the unzipped files that were used last', async () => {
  const folder = await temporaryFolder();
  const downloads: string[] = [];
  const files = new UnzippedFiles(join(folder, 'unzipped'), 25);
  const use = async (key: string) => {
    await files.pathOf(objectOf(0, { key }), async (path) => {
      downloads.push(key);
      await writeFile(path, await zipOf([['file', Buffer.alloc(10)]]));
    });
  };
  try {
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await use(key);
    expect(downloads).toEqual(['a', 'b', 'c', 'b']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
