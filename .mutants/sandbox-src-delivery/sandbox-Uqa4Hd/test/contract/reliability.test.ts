import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/imports';

it('docs/RELIABILITY.md names a test for each promise, and only tests that exist', () => {
  const text = readFileSync(path.join(ROOT, 'docs/RELIABILITY.md'), 'utf8');
  const [, promises = ''] = text.split(/^## /m);
  const rows = promises
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(row).toMatch(/`(test\/\S+\.test\.ts|npm run soak)`/);
  const named = [...text.matchAll(/`(test\/\S+)`/g)].map(([, name]) => name ?? '');
  expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
});
