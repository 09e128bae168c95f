import { readFileSync } from 'node:fs';
import path from 'node:path';

interface LockEntry {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = readFileSync(path.resolve(__dirname, '../../package-lock.json'), 'utf8');
const { packages }: { packages: Record<string, LockEntry> } = JSON.parse(text);

describe('package-lock.json', () => {
  // `npm ci` fails in every fresh clone if the lock file lacks packages, as some registries leave it.
  it('has the packages of every platform (otherwise run scripts/lib/complete-lock.mjs)', () => {
    const known = Object.keys(packages);
    const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(wanted.filter((name) => !known.some((at) => at.endsWith(`node_modules/${name}`)))).toEqual([]);
  });
});
