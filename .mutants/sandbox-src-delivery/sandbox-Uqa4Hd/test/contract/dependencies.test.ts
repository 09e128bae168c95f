import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/imports';

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

it('each production dependency is listed with its purpose, and pinned to one version', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const rows = read('docs/decisions/0013-production-dependencies.md').matchAll(
    /^\| `([^`]+)` \| (.+) \| (.+) \|$/gm,
  );
  expect([...rows].map(([, name]) => name)).toEqual(Object.keys(dependencies).sort());
  // A pinned version makes sure that the tested version is the one that runs.
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d/);
});
