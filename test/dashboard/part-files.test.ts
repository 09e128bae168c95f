import { entryOf } from '../../dashboard/src/lib/page-entry';
import { PartFiles } from '../../dashboard/src/lib/part-files';

/** Files of which each fails as often as stated, and the times that were waited. */
function aPage(failures: Readonly<Record<string, number>>) {
  const left = new Map(Object.entries(failures));
  const asked: string[] = [];
  const waited: number[] = [];
  const fetchFile = async (url: string) => {
    asked.push(url);
    const count = left.get(url) ?? 0;
    left.set(url, count - 1);
    if (count > 0) throw new Error(`lost ${url}`);
  };
  const files = new PartFiles([...left.keys()], fetchFile, async (ms) => void waited.push(ms));
  return { files, asked, waited };
}

describe('the files of the parts of the page', () => {
  it('are fetched once, however many parts ask', async () => {
    const { files, asked, waited } = aPage({ a: 0, b: 0 });
    await Promise.all([files.fetch(), files.fetch()]);
    await files.fetch();
    expect([asked, waited]).toEqual([['a', 'b'], []]);
  });

  it('are fetched a second time, after a second, where the first request is lost', async () => {
    const { files, asked, waited } = aPage({ a: 1, b: 0, c: 1 });
    await files.fetch();
    expect(asked.sort()).toEqual(['a', 'a', 'b', 'c', 'c']);
    expect(waited).toEqual([1_000, 1_000]);
  });

  it('that fail twice make the part fail, and the next part that is opened asks again', async () => {
    const { files, asked } = aPage({ a: 5 });
    await expect(files.fetch()).rejects.toThrow('lost a');
    await expect(files.fetch()).rejects.toThrow('lost a');
    expect(asked).toHaveLength(4);
    await files.fetch();
    await files.fetch();
    expect(asked).toHaveLength(6);
  });
});

describe('the file with which a page begins', () => {
  it.each([
    [
      '<script type="module" crossorigin src="/dashboard/assets/index-1a.js" nonce="x"></script>',
      '/dashboard/assets/index-1a.js',
    ],
    ['<script type="module" src="/src/main.tsx"></script>', '/src/main.tsx'],
    ['<title>Sign in to the proxy</title><script src="/proxy.js"></script>', null],
    ['', null],
  ])('is named by the page: %s', (html, entry) => {
    expect(entryOf(html)).toBe(entry);
  });
});
