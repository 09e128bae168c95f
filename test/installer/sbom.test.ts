import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BUILD_VERSION } from '../../src/generated/version';
import { callBuild, ROOT } from './support/packages';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly object[];
}

describe('the bill of materials of a release', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sbom-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let bom: {
    readonly bomFormat: string;
    readonly metadata: { readonly component: Component };
    readonly components: readonly Component[];
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
  };
  beforeAll(async () => {
    bom = JSON.parse(readFileSync(await callBuild('sbom.mjs', 'writeSbom', { out: folder }), 'utf8'));
  });
  const manifest = (file: string) => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
  const { dependencies, devDependencies } = manifest('package.json');
  const { 'audit-activity-event': _, ...ofAgent } = manifest('agent/package.json').dependencies;
  const page = manifest('dashboard/package.json');

  it('names the version and every locked production dependency, and no dependency for development only', () => {
    expect([bom.bomFormat, bom.metadata.component.version]).toEqual(['CycloneDX', BUILD_VERSION]);
    const named = new Map(bom.components.map((each) => [each['bom-ref'], each]));
    for (const [name, locked] of Object.entries({ ...dependencies, ...ofAgent }))
      expect(named.get(`node_modules/${name}`)).toMatchObject({ name, version: locked });
    for (const name of ['jest', 'typescript', 'vite', 'prisma'])
      expect([
        name,
        name in { ...devDependencies, ...page.devDependencies },
        named.has(`node_modules/${name}`),
      ]).toEqual([name, true, false]);
  });

  it('names the library of sealed weeks with its hash, for the platform of the release only', () => {
    const found = bom.components.filter(({ name }) => name.startsWith('@duckdb/node-bindings-'));
    const own = `@duckdb/node-bindings-${process.platform}-${process.arch}`;
    expect(found.map(({ name }) => name)).toEqual([own]);
    expect(found[0]).toMatchObject({ licenses: [{ license: { id: 'MIT' } }], hashes: [{ alg: 'SHA-512' }] });
  });

  it("names the packages in the dashboard's code, in their locked versions", () => {
    const named = new Map(bom.components.map((each) => [each['bom-ref'], each]));
    for (const name of ['react', 'react-dom', '@mantine/core', 'urql', 'sql-formatter'])
      expect(named.get(`node_modules/${name}`)).toMatchObject({ name, version: page.dependencies[name] });
    const { dependsOn } = bom.dependencies.find(({ ref }) => ref === bom.metadata.component['bom-ref']) ?? {};
    expect(dependsOn).toContain('node_modules/react');
  });

  it('names the system packages of the image, if it has any', async () => {
    const system = [{ name: 'libstdc++6', version: '14.2.0-19', architecture: 'amd64' }];
    const file = await callBuild('sbom.mjs', 'writeSbom', { out: folder, system });
    const { components } = JSON.parse(readFileSync(file, 'utf8')) as typeof bom;
    expect(components).toContainEqual(
      expect.objectContaining({ purl: 'pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=amd64' }),
    );
  });

  it('has each component once with a package URL and a licence, and every dependency names a known component', () => {
    const refs = bom.components.map((each) => each['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    expect(bom.components.filter(({ purl }) => !/^pkg:(npm|generic)\//.test(purl))).toEqual([]);
    expect(bom.components.filter(({ licenses }) => !licenses?.length).map(({ name }) => name)).toEqual([]);
    const known = new Set([...refs, bom.metadata.component['bom-ref']]);
    const unknown = bom.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]);
    expect(unknown.filter((ref) => !known.has(ref))).toEqual([]);
  });
});

describe('the checksums of a release', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sums-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const sumsWith = (signKey: string) => callBuild('release-parts.mjs', 'writeSums', { out: folder, signKey });
  const CHECK = [
    ...['pkeyutl', '-verify', '-pubin', '-inkey', 'release.pub', '-rawin', '-in', 'SHA256SUMS'],
    ...['-sigfile', 'SHA256SUMS.sig'],
  ];

  it('are signed where a key is given, as SECURITY.md checks it, and no older signature stays without one', async () => {
    openssl('genpkey', '-algorithm', 'ed25519', '-out', 'release.key');
    openssl('pkey', '-in', 'release.key', '-pubout', '-out', 'release.pub');
    await sumsWith(at('release.key'));
    expect(readFileSync(at('SHA256SUMS'), 'utf8')).toMatch(
      /^[0-9a-f]{64} {2}release\.key\n[0-9a-f]{64} {2}release\.pub\n$/,
    );
    expect(readFileSync(path.join(ROOT, 'SECURITY.md'), 'utf8')).toContain(`openssl ${CHECK.join(' ')}`);
    expect(openssl(...CHECK)).toMatch('Signature Verified Successfully');
    writeFileSync(at('SHA256SUMS'), 'other');
    expect(() => openssl(...CHECK)).toThrow();
    await sumsWith('');
    expect(existsSync(at('SHA256SUMS.sig'))).toBe(false);
  });

  it('are not written with a key that is none, or of another kind', async () => {
    openssl('genpkey', '-algorithm', 'RSA', '-out', 'rsa.key');
    await expect(sumsWith(at('rsa.key'))).rejects.toThrow(/must name a private Ed25519 key/);
    await expect(sumsWith(at('nothing'))).rejects.toThrow(/RELEASE_SIGN_KEY cannot be read/);
  });
});
