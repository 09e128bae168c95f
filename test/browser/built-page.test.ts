import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { World } from '../support/world';

const PAGE = path.resolve(__dirname, '../../dist/dashboard');
const ASSETS = readdirSync(path.join(PAGE, 'assets')).filter((name) => /\.(js|css)$/.test(name));
const FIRST_MAX_BYTES = 350_000;
const ALL_MAX_BYTES = 500_000;
const bytesOf = (names: readonly string[]) =>
  names
    .map((name) => gzipSync(readFileSync(path.join(PAGE, 'assets', name)), { level: 9 }).length)
    .reduce((total, each) => total + each, 0);

describe('the built page', () => {
  it('is under 350 kB compressed until its first view, and under 500 kB with every part that it loads later', () => {
    const html = readFileSync(path.join(PAGE, 'index.html'), 'utf8');
    const isNamed = (name: string) => new RegExp(`(src|href)="/dashboard/assets/${name}"`).test(html);
    const [first, sum] = [bytesOf(ASSETS.filter(isNamed)), bytesOf(ASSETS)];
    process.stderr.write(
      `the dashboard: ${Math.round(first / 1000)} kB with gzip at first, ${Math.round(sum / 1000)} kB in ${ASSETS.length} files\n`,
    );
    expect(first).toBeGreaterThan(100_000);
    expect(first).toBeLessThan(FIRST_MAX_BYTES);
    expect(sum).toBeLessThan(ALL_MAX_BYTES);
  });

  it('is run in two tasks: the file that begins it, which imports the libraries, and the application', () => {
    const html = readFileSync(path.join(PAGE, 'index.html'), 'utf8');
    const preloaded = [
      ...html.matchAll(/<link rel="modulepreload"[^>]* href="\/dashboard\/assets\/([^"]+)"/g),
    ];
    // Each further file takes a browser 10 ms or more.
    expect(preloaded.length).toBeLessThan(5);
    const [begin = '', app = ''] = ['begin', 'app'].map((name) => {
      const file = preloaded.map(([, found = '']) => found).find((found) => found.startsWith(`${name}-`));
      return file ? readFileSync(path.join(PAGE, 'assets', file), 'utf8') : '';
    });
    const entry = ASSETS.filter((name) => html.includes(`src="/dashboard/assets/${name}"`));
    expect(entry).toHaveLength(1);
    const text = readFileSync(path.join(PAGE, 'assets', entry[0] ?? ''), 'utf8');
    // An import in the head of a file is run in the same task, an import by a call is not.
    expect(text).toMatch(/import\(`\.\/app-/);
    for (const each of [text, begin]) expect(each).not.toMatch(/from"\.\/app-|import"\.\/app-/);
    expect(app).toContain('auditEvents');
    expect(begin).not.toContain('auditEvents');
  });

  it('is sent compressed to a browser that accepts that, with the same content for every browser', async () => {
    const world = await World.open();
    try {
      for (const name of ASSETS) {
        for (const [accepted, encoding] of [
          ['gzip, br', 'br'],
          ['gzip', 'gzip'],
          ['identity', null],
        ] as const) {
          const headers = { 'Accept-Encoding': accepted };
          const answer = await world.fetch(`/dashboard/assets/${name}`, { headers });
          expect(answer.headers.get('Content-Encoding')).toBe(encoding);
          expect(answer.headers.get('Content-Type')).toMatch(name.endsWith('.js') ? /javascript/ : /css/);
          expect(answer.headers.get('Cache-Control')).toContain('immutable');
          // fetch has already decompressed the answer.
          expect(answer.text).toBe(readFileSync(path.join(PAGE, 'assets', name), 'utf8'));
        }
      }
    } finally {
      await world.close();
    }
  });

  it('has no inline script and no inline style', () => {
    const html = readFileSync(path.join(PAGE, 'index.html'), 'utf8');
    expect(html.match(/<script[^>]*>/g)).toEqual([expect.stringMatching(/ src="\/dashboard\/assets\//)]);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|https?:/);
  });
});
