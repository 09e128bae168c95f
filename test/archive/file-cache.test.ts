import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { FileCache, type ListedFile } from '../../src/store/archive/file-cache';
import { temporaryFolder } from '../support/engines';

const contents = ['a', 'b', 'c'].map((letter) => Buffer.from(letter.repeat(100)));
const files: readonly ListedFile[] = contents.map((bytes, week) => ({
  tenantId: 7,
  week,
  sha256: createHash('sha256').update(bytes).digest('hex'),
}));
const [A, B, C] = files as [ListedFile, ListedFile, ListedFile];
/** The pieces in the database: one for each file. */
const ask = async (statement: { readonly values: readonly unknown[] }) =>
  statement.values.includes(0)
    ? contents.flatMap((bytes, week) =>
        statement.values.includes(files[week]?.sha256) ? [{ bytes: bytes as Uint8Array }] : [],
      )
    : [];

describe('copies of files on the local disk', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => rm(folder, { recursive: true }));
  const nameOf = ({ sha256 }: ListedFile) => `${sha256}.parquet`;
  const copies = async () => (await readdir(folder)).sort();
  const sorted = (...of: ListedFile[]) => of.map(nameOf).sort();
  const use = (cache: FileCache, some: readonly ListedFile[], work = async () => {}) =>
    cache.using(some, ask as never, work);
  const usedAt = (file: ListedFile, ms: number) =>
    utimes(path.join(folder, nameOf(file)), new Date(ms), new Date(ms));

  it('go when they have too many bytes together, those first that were not used for longest', async () => {
    const cache = new FileCache(folder, 250);
    await use(cache, [A]);
    await use(cache, [B]);
    expect(await copies()).toEqual(sorted(A, B));
    await usedAt(A, 2_000_000);
    await usedAt(B, 1_000_000);
    await use(cache, [C]);
    expect(await copies()).toEqual(sorted(A, C));
  });

  it('are whole, where the disk takes a part of the bytes at a time', async () => {
    const handle = await open(path.join(folder, 'other'), 'w');
    const write = jest.spyOn(Object.getPrototypeOf(handle), 'write').mockResolvedValue({ bytesWritten: 1 });
    try {
      await use(new FileCache(folder, 250), [A], async () => {
        expect(await readFile(path.join(folder, nameOf(A)))).toEqual(contents[0]);
      });
    } finally {
      write.mockRestore();
      await handle.close();
    }
  });

  it('stay while a question uses them, whatever their bytes', async () => {
    const cache = new FileCache(folder, 150);
    await use(cache, [A], async () => {
      await usedAt(A, 1_000_000);
      await use(cache, [B]);
      expect(await copies()).toEqual(sorted(A, B));
      expect(await cache.keepOnly(new Set([B.sha256]))).toBe(false);
      expect(await copies()).toEqual(sorted(A, B));
    });
    expect(await cache.keepOnly(new Set([B.sha256]))).toBe(true);
    expect(await copies()).toEqual(sorted(B));
  });

  it('stay until the last of several questions has used them', async () => {
    const cache = new FileCache(folder, 150);
    await use(cache, [A], async () => {
      await use(cache, [A]);
      await usedAt(A, 1_000_000);
      await use(cache, [B]);
      expect(await copies()).toEqual(sorted(A, B));
    });
  });

  it('are fetched once for questions that come at the same time', async () => {
    let asked = 0;
    const counting = async (statement: { readonly values: readonly unknown[] }) => {
      asked += 1;
      return ask(statement);
    };
    const cache = new FileCache(folder, 1_000);
    await Promise.all([1, 2, 3].map(() => cache.using([A], counting as never, async () => {})));
    expect(asked).toBe(1);
  });

  it('are fetched by a question of their own where the question that fetched them fails', async () => {
    const cache = new FileCache(folder, 1_000);
    let begin = () => {};
    let fail = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<never>((_, reject) => {
      fail = () => reject(new Error('the snapshot has ended'));
    });
    const asking = () => {
      begin();
      return ended;
    };
    const first = cache.using([A], asking as never, async () => 'answered');
    // On a busy machine too, the one that fails asks first.
    await begun;
    const both = Promise.allSettled([first, cache.using([A], ask as never, async () => 'answered')]);
    fail();
    const answers = await both;
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await copies()).toEqual(sorted(A));
  });

  it('go, all that no question uses, where the disk has no room for another one', async () => {
    const cache = new FileCache(folder, 1_000);
    await use(cache, [A]);
    await use(cache, [B], async () => {
      const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
      let attempts = 0;
      const once = async (statement: { readonly values: readonly unknown[] }) => {
        if (++attempts === 1) throw full;
        return ask(statement);
      };
      await cache.using([C], once as never, async () => {});
      expect(await copies()).toEqual(sorted(B, C));
    });
  });

  it('are waited for no longer together than the question has the patience', async () => {
    const place = {
      read: async function* (file: ListedFile) {
        yield contents[file.week] as Uint8Array;
      },
    };
    const outside = async ({ values }: { readonly values: readonly unknown[] }) =>
      values.length > 2 ? [] : [{ sha256: 'there' }];
    let ms = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
      ms += 40;
      return ms;
    });
    const timers = jest.spyOn(globalThis, 'setTimeout');
    try {
      const cache = new FileCache(folder, 1_000, place as never);
      await cache.using([A, B, C], outside as never, async () => {}, 90_000);
      const waits = timers.mock.calls.map(([, wait]) => wait ?? 0).filter((wait) => wait > 80_000);
      expect(waits).toEqual([90_000, 89_960, 89_920]);
    } finally {
      clock.mockRestore();
      timers.mockRestore();
    }
  });

  it('are damaged where their bytes are not those that the list names', async () => {
    const other = { ...A, sha256: B.sha256 };
    const wrong = async () => [{ bytes: contents[0] as Uint8Array }];
    await expect(
      new FileCache(folder, 1_000).using([other], wrong as never, async () => {}),
    ).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await copies()).toEqual([]);
  });
});
