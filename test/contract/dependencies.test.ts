import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesOf, importsOf, ROOT, sourcesOf } from '../support/imports';

/** The packages of others that a package.json asks for. */
function listed(file: string): Record<string, string> {
  const { dependencies } = JSON.parse(read(file));
  return Object.fromEntries(Object.entries<string>(dependencies).filter(([name]) => name !== EVENT));
}
const EVENT = 'audit-activity-event';

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

it('each production dependency is listed with its purpose, and pinned to one version', () => {
  const dependencies = { ...listed('package.json'), ...listed('agent/package.json') };
  const rows = read('docs/decisions/0013-production-dependencies.md').matchAll(
    /^\| `([^`]+)` \| (.+) \| (.+) \|$/gm,
  );
  expect([...rows].map(([, name]) => name)).toEqual(Object.keys(dependencies).sort());
  // A pinned version makes sure that the tested version is the one that runs.
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d/);
});

it.each([
  ['agent', 'agent'],
  ['client', 'client/src'],
  ['dashboard', 'dashboard/src'],
  ['src/event', 'src/event'],
])('%s lists what its sources import, and nothing else', (folder, sources) => {
  const { dependencies = {} } = JSON.parse(read(`${folder}/package.json`));
  const targets = sourcesOf(sources).flatMap(importsOf);
  const fetched = filesOf(sources, /\.css$/).flatMap((file) =>
    [...read(file).matchAll(/url\("(@[^/"]+\/[^/"]+)/g)].map(([, name]) => name as string),
  );
  const packages = targets.flatMap(({ target, isFile }) => {
    if (isFile) return target.startsWith('src/event/') && folder !== 'src/event' ? [EVENT] : [];
    return target.startsWith('node:') ? [] : [target.split('/', target.startsWith('@') ? 2 : 1).join('/')];
  });
  expect(Object.keys(dependencies)).toEqual([...new Set([...packages, ...fetched])].sort());
});
