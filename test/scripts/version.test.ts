import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../support/imports';

/** Calls a function of a script, as the set-up and `npm run release` do. */
function call<T>(module: string, name: string, ...args: readonly unknown[]): T {
  const url = pathToFileURL(path.join(ROOT, module)).href;
  const script = `import { ${name} } from '${url}'; console.log(JSON.stringify(${name}(...${JSON.stringify(args)})));`;
  const { SOURCE_COMMIT: _, ...env } = process.env;
  const options = { encoding: 'utf8', env } as const;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', script], options)) as T;
}
const versionOf = (root: string) => call<string>('scripts/lib/version.mjs', 'versionOf', root);
const countOf = (root: string) => call<number | null>('scripts/lib/version.mjs', 'commitCountOf', root);
const refusalOf = (root: string) => call<string | null>('scripts/lib/releases.mjs', 'refusalOf', root);
const record = (root: string) => call<string | null>('scripts/lib/releases.mjs', 'record', root);

describe('the version of a build', () => {
  let folder: string;
  let clone: string;
  const git = (root: string, ...args: readonly string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false', ...args],
      {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    ).trim();
  const commit = (text: string) => {
    mkdirSync(path.join(clone, 'src'), { recursive: true });
    writeFileSync(path.join(clone, 'src/main.ts'), text);
    git(clone, 'add', '--all');
    git(clone, 'commit', '--quiet', '--message', text);
    return git(clone, 'rev-parse', 'HEAD');
  };
  const setVersion = (version: string) =>
    writeFileSync(path.join(clone, 'package.json'), JSON.stringify({ version }));

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'version-'));
    clone = path.join(folder, 'clone');
    mkdirSync(path.join(clone, 'scripts/lib'), { recursive: true });
    git(clone, 'init', '--quiet');
    for (const file of ['.gitattributes', 'scripts/lib/commit.txt'])
      cpSync(path.join(ROOT, file), path.join(clone, file));
    setVersion('3.1.4');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('ends with the commit, and another commit is another version, with a larger number', () => {
    const [first, second] = [commit('one'), commit('two')];
    expect(versionOf(clone)).toBe(`3.1.4+g${second.slice(0, 7)}`);
    expect(countOf(clone)).toBe(2);
    git(clone, 'checkout', '--quiet', first);
    expect([versionOf(clone), countOf(clone)]).toEqual([`3.1.4+g${first.slice(0, 7)}`, 1]);
  });

  it('is known without git: from an archive of the sources, or from the environment of a build', () => {
    const hash = commit('one');
    const archive = path.join(folder, 'archive.tar');
    git(clone, 'archive', '--output', archive, 'HEAD');
    // An archive that lies unpacked in another clone keeps its own version.
    const other = path.join(clone, 'unpacked');
    mkdirSync(other);
    execFileSync('tar', ['-xf', archive, '-C', other]);
    commit('two');
    expect(versionOf(other)).toBe(`3.1.4+g${hash.slice(0, 7)}`);
    expect(countOf(other)).toBeNull();
    rmSync(path.join(clone, '.git'), { recursive: true });
    expect(versionOf(clone)).toBe('3.1.4');
  });

  it('has no number in a clone without its history', () => {
    commit('one');
    commit('two');
    const shallow = path.join(folder, 'shallow');
    git(folder, 'clone', '--quiet', '--depth', '1', pathToFileURL(clone).href, shallow);
    expect([versionOf(shallow), countOf(shallow)]).toEqual([versionOf(clone), null]);
  });

  it('is refused for a release of another commit, also in a clone without tags', () => {
    const first = commit('one');
    expect(refusalOf(clone)).toBeNull();
    expect(record(clone)).toContain(first);
    // The same commit may be built again.
    expect(refusalOf(clone)).toBeNull();
    const second = commit('two');
    const bare = path.join(folder, 'without-tags');
    git(folder, 'clone', '--quiet', '--no-tags', clone, bare);
    for (const root of [clone, bare])
      expect(refusalOf(root)).toBe(
        `Version 3.1.4 is commit ${first}, says releases.json, and this is commit ${second}: raise "version" in package.json.`,
      );
    setVersion('3.1.5');
    const third = commit('three');
    expect(refusalOf(clone)).toBeNull();
    expect(record(clone)).toContain(third);
    expect(JSON.parse(readFileSync(path.join(clone, 'releases.json'), 'utf8'))).toEqual([
      { version: '3.1.4', commit: first },
      { version: '3.1.5', commit: third },
    ]);
    // Nothing is noted twice.
    expect(record(clone)).toBeNull();
  });

  it('is refused where a tag says that it is another commit', () => {
    const first = commit('one');
    git(clone, 'tag', 'v3.1.4');
    expect(refusalOf(clone)).toBeNull();
    commit('two');
    expect(refusalOf(clone)).toMatch(`Version 3.1.4 is commit ${first}, says the tag v3.1.4`);
  });

  it('is refused while the sources differ from the commit, but not for files that git does not know', () => {
    commit('one');
    writeFileSync(path.join(clone, 'src/unknown.ts'), '');
    expect(refusalOf(clone)).toBeNull();
    writeFileSync(path.join(clone, 'src/main.ts'), 'changed');
    expect(refusalOf(clone)).toMatch(/^src\/main\.ts differs? from commit .*: commit the change first\.$/);
  });
});
