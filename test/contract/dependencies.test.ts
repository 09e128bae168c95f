import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/imports';

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

it('each production dependency has a line of its own that says what it is for', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const rows = read('docs/decisions/0013-production-dependencies.md').matchAll(
    /^\| `([^`]+)` \| (.+) \| (.+) \|$/gm,
  );
  expect([...rows].map(([, name]) => name)).toEqual(Object.keys(dependencies).sort());
  // Exactly one version of each: what was tested is what runs.
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d/);
});
