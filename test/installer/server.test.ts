import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { BUILD_VERSION } from '../../src/generated/version';
import { ChildService } from '../support/child-service';
import { createEmptyDatabase, ENGINES } from '../support/engines';
import { C_LIBRARY_BOUNDS, HEAP_BOUNDS } from '../support/npm-start';
import { callBuild, missingTools } from './support/packages';
import { expectPublicCalls } from './support/public-calls';
import { MAKE_A_FILE } from './support/sealed-file';
import { deadLinksOf, searchIndexOf } from './support/site-checks';

jest.setTimeout(600_000);

const version = BUILD_VERSION;
const MISSING = missingTools('tar');
const execute = promisify(execFile);

(MISSING ? describe.skip : describe)(`the archive of the service${MISSING}`, () => {
  let folder: string;
  let archive: string;
  let server: string;

  beforeAll(async () => {
    // The folder is outside the repository, so that no package of the repository's node_modules is found.
    folder = await mkdtemp(path.join(tmpdir(), 'server-'));
    archive = await callBuild('server.mjs', 'buildServer', { out: folder });
    await execute('tar', ['-xzf', archive, '-C', folder]);
    server = path.join(folder, `audit-activity-server-${version}`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const inFolder = async (...args: readonly string[]) =>
    (await execute(process.execPath, args, { cwd: '/', env: { PATH: process.env.PATH } })).stdout;

  it('is one folder of at most 55 MB, without packages for development', async () => {
    expect((await readdir(folder)).sort()).toEqual([path.basename(archive), path.basename(server)].sort());
    expect((await readFile(archive)).length).toBeLessThan(55_000_000);
    const packages = await readdir(path.join(server, 'node_modules'));
    for (const name of ['jest', 'typescript', 'prisma', '@types', 'vite', 'esbuild'])
      expect(packages).not.toContain(name);
    const described = JSON.parse(await readFile(path.join(server, 'package.json'), 'utf8'));
    expect(described).toMatchObject({ version, main: 'main.js' });
    expect(described).not.toHaveProperty('devDependencies');
    // The folder itself must explain how the service is started and set up.
    const readme = await readFile(path.join(server, 'README.md'), 'utf8');
    expect(readme.match(/docs\/\w+\.md/g)).not.toBeNull();
    expect(readme).toMatch('node main.js');
  });

  it('makes and reads files of sealed weeks with its own library, which is there with its licence for this platform only', async () => {
    const bindings = await readdir(path.join(server, 'node_modules/@duckdb'));
    const own = `node-bindings-${process.platform}-${process.arch}`;
    expect(bindings.sort()).toEqual(['node-api', 'node-bindings', own]);
    expect(await readdir(path.join(server, 'node_modules/@duckdb', own))).toContain('LICENSE');
    const scratch = await mkdtemp(path.join(folder, 'file-'));
    expect(await inFolder('--eval', MAKE_A_FILE, server, scratch)).toBe('1\n');
  });

  it('says which package is missing where the library is not there', async () => {
    const libraries = path.join(server, 'node_modules/@duckdb');
    const aside = path.join(server, 'aside');
    await rename(libraries, aside);
    try {
      const failed = await inFolder('--eval', MAKE_A_FILE, server, folder).catch(({ stderr }) => stderr);
      expect(failed).toMatch(`need the package @duckdb/node-bindings-${process.platform}-${process.arch}`);
      expect(await inFolder(path.join(server, 'main.js'), '--version')).toBe(`${version}\n`);
    } finally {
      await rename(aside, libraries);
    }
  });

  it('has what its documents lead to: pictures, decisions and files for operators', async () => {
    const names = await readdir(server, { recursive: true });
    const documents = names.filter((name) => name.endsWith('.md') && !name.startsWith('node_modules/'));
    expect(documents.length).toBeGreaterThan(30);
    const missing = (
      await Promise.all(
        documents.map(async (document) => {
          const text = await readFile(path.join(server, document), 'utf8');
          const links = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)|src="([^"]+)"/g)]
            .map(([, link, picture]) => link ?? picture ?? '')
            .filter((link) => !/^https?:/.test(link))
            .map((link) => path.join(path.dirname(document), link));
          const mentioned = text.match(/(?<![\w/])(?:docs|deploy)\/[\w./-]*\w/g) ?? [];
          return [...links, ...mentioned].filter((name) => !existsSync(path.join(server, name)));
        }),
      )
    ).flat();
    expect(missing).toEqual([]);
  });

  it('has the documents as pages: with a search, without dead links, without scripts in a page, with licences', async () => {
    const site = path.join(server, 'dist/site');
    expect(deadLinksOf(site)).toEqual([]);
    for (const word of ['restore', 'gmsa', '1603']) expect(searchIndexOf(site)).toContain(`"${word}"`);
    const names = await readdir(site, { recursive: true });
    const pages = names.filter((name) => name.endsWith('.html'));
    expect(pages).toEqual(expect.arrayContaining(['index.html', 'operate.html', 'changelog.html']));
    for (const page of pages) {
      const text = await readFile(path.join(site, page), 'utf8');
      expect(text).not.toMatch(/<script\b(?![^>]*\bsrc="\/docs\/)|<style|\son[a-z]+="/);
      expect(text).not.toMatch(/(?:src|<link[^>]* href)="(?!\/docs\/|data:)/);
    }
    const licenses = await readFile(path.join(site, 'licenses.txt'), 'utf8');
    expect(licenses).toMatch(/^vue \d/m);
    expect(licenses).toMatch(/^minisearch \d/m);
    const all = await readFile(path.join(server, 'third-party-licenses.txt'), 'utf8');
    for (const name of ['express', '@duckdb/node-api', 'react', 'vue']) expect(all).toContain(`\n${name} `);
  });

  it('has documents and programs that never have npx look for a command in a public registry', async () => {
    const asking = ['README.md', 'docs', 'dist', 'deploy'].map((name) => path.join(server, name));
    // dist/site is made of the documents.
    const { stdout } = await execute('grep', [
      '-rhoE',
      '--exclude-dir=site',
      'npx [a-z-]+.{0,60}',
      ...asking,
    ]);
    // The table of the ways to call it names npx for a checkout.
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.slice(0, 40)),
    ).toEqual([expect.stringMatching(/^npx audit-activity …`, in its folder/)]);
  });

  it.each(['compose.yaml', 'collector/compose.yaml'])('names its own image in %s', async (name) => {
    const compose = await readFile(path.join(server, 'deploy', name), 'utf8');
    expect(compose).toContain(`localhost/audit-activity:\${VERSION:-${version.replace('+', '-')}}`);
  });

  it('has the same bytes when it is built again', async () => {
    const again = path.join(folder, 'again');
    await mkdir(again);
    const second = await callBuild('server.mjs', 'buildServer', { out: again });
    const hashOf = async (file: string) =>
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex');
    expect(await hashOf(second)).toBe(await hashOf(archive));
  });

  it.each(['main.js', 'bin/audit-activity', 'bin/audit-agent'])('%s prints its version', async (file) => {
    expect(await inFolder(path.join(server, file), '--version')).toBe(`${version}\n`);
  });

  it.each(ENGINES)(
    'serves on %s: migrations, the three calls, dashboard and API description, within the memory bounds of npm start',
    async (engine) => {
      const database = await createEmptyDatabase(engine);
      const { dataDir, databaseUrl } = database;
      const service = await ChildService.of(path.join(server, 'main.js'), {
        DATA_DIR: dataDir,
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
        METRICS_PORT: '0',
      });
      try {
        await expectPublicCalls(service);
        expect(await (await fetch(`${service.url}/health`)).text()).toBe('Healthy');
        const page = await (await fetch(`${service.url}/dashboard`)).text();
        const [, script] = /src="([^"]+\.js)"/.exec(page) ?? [];
        expect((await fetch(new URL(script ?? 'none', service.url))).status).toBe(200);
        for (const asset of ['', '/assets/swagger-ui-bundle.js', '/assets/swagger-ui.css'])
          expect((await fetch(`${service.url}/swagger${asset}`)).status).toBe(200);
        expect((await fetch(`${service.url}/docs`)).status).toBe(200);
        expect(await (await fetch(`${service.url}/docs/operate`)).text()).toContain(
          '<title>Operating the service',
        );
        const env = { PATH: process.env.PATH, AUDIT_ACTIVITY_OPERATOR_KEY: service.operatorKey };
        const command = [
          path.join(server, 'bin/audit-activity'),
          'sources',
          '--service',
          service.url,
          '--json',
        ];
        const { stdout } = await execute(process.execPath, command, { cwd: '/', env });
        expect(JSON.parse(stdout)).toEqual([]);
        expect(await memoryBoundsOf(service.process.pid ?? 0)).toEqual([...HEAP_BOUNDS, ...C_LIBRARY_BOUNDS]);
      } finally {
        expect(await service.stop()).toEqual([0, null]);
        await database.drop();
      }
    },
  );
});

/** @returns the memory bounds of the process or of its child, in the words of `npm start` */
async function memoryBoundsOf(pid: number): Promise<string[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const ids = [pid, ...children.trim().split(' ').filter(Boolean)];
  const files = ids.flatMap((id) => [`/proc/${id}/cmdline`, `/proc/${id}/environ`]);
  const words = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).flatMap((text) =>
    text.split('\0'),
  );
  return [...HEAP_BOUNDS, ...C_LIBRARY_BOUNDS].filter((bound) => words.includes(bound));
}
