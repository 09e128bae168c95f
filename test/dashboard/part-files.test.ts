import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { entryOf } from '../../dashboard/src/lib/page-entry';
import { fetchFile, PartFiles, partsIn } from '../../dashboard/src/lib/part-files';

const { isOtherVersionThere } = jest.requireActual<{ isOtherVersionThere: () => Promise<boolean> }>(
  '../../dashboard/src/api/other-version',
);

/** Files of the part `all`, of which each fails as often as stated, and the times that were waited. */
function aPage(failures: Readonly<Record<string, number>>, parts?: string) {
  const left = new Map(Object.entries(failures));
  const asked: string[] = [];
  const waited: number[] = [];
  const fetchFile = async (url: string) => {
    asked.push(url);
    const count = left.get(url) ?? 0;
    left.set(url, count - 1);
    if (count > 0) throw new Error(`lost ${url}`);
  };
  const files = new PartFiles(
    partsIn(parts ?? `all=${[...left.keys()].join()}`),
    fetchFile,
    async (ms) => void waited.push(ms),
  );
  return { files, asked, waited };
}

describe('the files of the parts of the page', () => {
  it('are fetched once, however many parts ask', async () => {
    const { files, asked, waited } = aPage({ a: 0, b: 0 });
    await Promise.all([files.fetch('all'), files.fetch('all')]);
    await files.fetch('all');
    expect([asked, waited]).toEqual([['a', 'b'], []]);
  });

  it('are fetched a second time, after a second, where the first request is lost', async () => {
    const { files, asked, waited } = aPage({ a: 1, b: 0, c: 1 });
    await files.fetch('all');
    expect(asked.sort()).toEqual(['a', 'a', 'b', 'c', 'c']);
    expect(waited).toEqual([1_000, 1_000]);
  });

  it('that fail twice make the part fail, and the next part that is opened asks again', async () => {
    const { files, asked } = aPage({ a: 5 });
    await expect(files.fetch('all')).rejects.toThrow('lost a');
    await expect(files.fetch('all')).rejects.toThrow('lost a');
    expect(asked).toHaveLength(4);
    await files.fetch('all');
    await files.fetch('all');
    expect(asked).toHaveLength(6);
  });
});

describe('a part', () => {
  const PARTS = 'alerts=/a.js,/words.js overview=/o.js,/words.js empty=';

  it('has its own files fetched, and none of another part', async () => {
    const { files, asked } = aPage({}, PARTS);
    await files.fetch('overview');
    expect(asked).toEqual(['/o.js', '/words.js']);
    await files.fetch('alerts');
    await files.fetch('empty');
    await files.fetch('in a page that was not built');
    expect(asked).toEqual(['/o.js', '/words.js', '/a.js']);
    await files.fetchAll();
    expect(asked).toHaveLength(3);
  });

  it('keeps the files that came when another one is lost', async () => {
    const { files, asked } = aPage({ '/a.js': 2 }, PARTS);
    await expect(files.fetchAll()).rejects.toThrow('lost /a.js');
    await files.fetchAll();
    expect(asked.sort()).toEqual(['/a.js', '/a.js', '/a.js', '/o.js', '/words.js']);
  });

  it('is named after the file that it imports, and no two have one name', () => {
    const folder = path.join(__dirname, '../../dashboard/src');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readFileSync(path.join(folder, name), 'utf8'));
    const parts = sources.flatMap((source) => [
      ...source.matchAll(/\bpart\((?:'([^']*)', )?\(\) => import\('(?:[^']*\/)?([^'/]+)'\)/g),
    ]);
    expect(parts.length).toBeGreaterThan(10);
    const names = parts.map(([, name]) => name);
    expect(names).toEqual(parts.map(([, , file]) => file));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a file of the page', () => {
  it('has arrived only if the service gave it, to its end', async () => {
    const ask = jest.spyOn(globalThis, 'fetch');
    try {
      const given = new Response('export {}');
      ask.mockResolvedValueOnce(given);
      await fetchFile('/a.js');
      expect(given.bodyUsed).toBe(true);
      ask.mockResolvedValueOnce(new Response('<html>', { status: 404 }));
      await expect(fetchFile('/a.js')).rejects.toThrow('/a.js was answered by 404');
    } finally {
      ask.mockRestore();
    }
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

describe('another version of the page', () => {
  let ask: jest.SpiedFunction<typeof fetch>;
  beforeAll(() => {
    ask = jest.spyOn(globalThis, 'fetch');
    const script = { getAttribute: () => '/assets/a.js' };
    Object.assign(globalThis, { document: { querySelector: () => script } });
  });
  afterAll(() => {
    Reflect.deleteProperty(globalThis, 'document');
    ask.mockRestore();
  });
  const page = (entry: string) => new Response(`<script type="module" src="/assets/${entry}.js"></script>`);

  it.each<[string, () => Promise<Response>, boolean]>([
    ['has another first file', async () => page('b'), true],
    ['is the one that is open', async () => page('a'), false],
    ['is not there, but one of a proxy', async () => new Response('<title>Sign in</title>'), false],
    ['is not given', async () => new Response(page('b').body, { status: 503 }), false],
    ['is not reached', async () => Promise.reject(new TypeError('network')), false],
  ])('is noticed or not, where the page of the service %s', async (_, answer, isThere) => {
    ask.mockImplementationOnce(answer);
    expect(await isOtherVersionThere()).toBe(isThere);
  });
});
