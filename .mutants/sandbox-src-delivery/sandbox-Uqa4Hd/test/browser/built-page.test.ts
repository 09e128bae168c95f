import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { World } from '../support/world';

const PAGE = path.resolve(__dirname, '../../dist/dashboard');
const ASSETS = readdirSync(path.join(PAGE, 'assets')).filter((name) => /\.(js|css)$/.test(name));
const MAX_BYTES = 400_000;

describe('the built page', () => {
  it('is under 400 kB compressed, including every part that it may load later', () => {
    const bytes = ASSETS.map(
      (name) => gzipSync(readFileSync(path.join(PAGE, 'assets', name)), { level: 9 }).length,
    );
    const sum = bytes.reduce((total, each) => total + each, 0);
    process.stderr.write(`the dashboard: ${Math.round(sum / 1000)} kB with gzip in ${ASSETS.length} files\n`);
    expect(sum).toBeGreaterThan(100_000);
    expect(sum).toBeLessThan(MAX_BYTES);
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
