import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const PAGE = path.resolve(__dirname, '../../dist/dashboard');
const ASSETS = readdirSync(path.join(PAGE, 'assets')).filter((name) => /\.(js|css)$/.test(name));
const MAX_BYTES = 350_000;

describe('the built page', () => {
  it('is under 350 kB compressed, with every part it may load later', () => {
    const bytes = ASSETS.map(
      (name) => gzipSync(readFileSync(path.join(PAGE, 'assets', name)), { level: 9 }).length,
    );
    const sum = bytes.reduce((total, each) => total + each, 0);
    process.stderr.write(`the dashboard: ${Math.round(sum / 1000)} kB with gzip in ${ASSETS.length} files\n`);
    expect(sum).toBeGreaterThan(100_000);
    expect(sum).toBeLessThan(MAX_BYTES);
  });

  it('has no script or style of its own in the page', () => {
    const html = readFileSync(path.join(PAGE, 'index.html'), 'utf8');
    expect(html.match(/<script[^>]*>/g)).toEqual([expect.stringMatching(/ src="\/dashboard\/assets\//)]);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|https?:/);
  });
});
