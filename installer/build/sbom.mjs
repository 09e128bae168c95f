import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseTime } from './archive.mjs';
import { NODE_VERSION } from './node-runtime.mjs';
import { DIST, VERSION } from './paths.mjs';
import { dashboardPackages, productionPackages } from './production-packages.mjs';

export const sbomName = (version) => `audit-activity-${version}.cdx.json`;

/**
 * Writes the bill of materials of a release as CycloneDX 1.6: exactly the shipped packages by package-lock.json with
 * their pinned hashes, the packages in the dashboard, and the Node.js of the image and the packages.
 * @param system Debian's packages in the image
 * @returns path of the file
 */
export async function writeSbom({ version = VERSION, out = DIST, system = [] } = {}) {
  const path = join(out, sbomName(version));
  await writeFile(path, `${JSON.stringify(describe(version, system), null, 2)}\n`);
  return path;
}

function describe(version, system) {
  const { direct, packages: production } = productionPackages();
  const dashboard = dashboardPackages();
  const packages = new Map([...dashboard, ...production]);
  const own = {
    type: 'application',
    'bom-ref': `audit-activity@${version}`,
    name: 'audit-activity',
    version,
  };
  const node = {
    type: 'platform',
    'bom-ref': `node@${NODE_VERSION}`,
    name: 'node',
    version: NODE_VERSION,
    purl: `pkg:generic/node@${NODE_VERSION}`,
    licenses: [{ license: { id: 'MIT' } }],
  };
  const components = [
    ...[...packages].map(([path, entry]) => componentOf(path, entry)),
    ...system.map(systemComponent),
  ];
  const wanted = [...new Set([...direct, ...dashboard.keys()]), node['bom-ref'], ...system.map(systemPurl)];
  const content = {
    metadata: { timestamp: new Date(releaseTime() * 1000).toISOString(), component: own },
    components: [...components, node],
    dependencies: [
      { ref: own['bom-ref'], dependsOn: wanted },
      ...[...packages].map(([path, { dependencies }]) => ({ ref: path, dependsOn: dependencies })),
      { ref: node['bom-ref'] },
      ...system.map((each) => ({ ref: systemPurl(each) })),
    ],
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(content))}`;
  return { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, version: 1, ...content };
}

/** Licences of packages whose package.json names none, as their file LICENSE says. */
const UNNAMED_LICENSES = { 'png-js': 'MIT' };

function componentOf(path, { name, version, license = UNNAMED_LICENSES[name], integrity, resolved }) {
  const [algorithm, hash] = integrity?.split(/-(.*)/s) ?? [];
  return {
    type: 'library',
    'bom-ref': path,
    name,
    version,
    // A scope's @ is the only character that a package URL encodes here.
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license && { licenses: [licenseOf(license)] }),
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    }),
    ...(resolved && { externalReferences: [{ type: 'distribution', url: resolved }] }),
  };
}

const systemPurl = ({ name, version, architecture }) =>
  `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;

const systemComponent = (each) => ({
  type: 'library',
  'bom-ref': systemPurl(each),
  name: each.name,
  version: each.version,
  purl: systemPurl(each),
  description: 'Debian package, in the container image',
});

const licenseOf = (text) => (/^[\w.+-]+$/.test(text) ? { license: { id: text } } : { expression: text });

/** A UUID that depends on the content, so that the same release has the same number. */
function uuidOf(text) {
  const digits = [...createHash('sha256').update(text).digest('hex').slice(0, 32)];
  digits[12] = '8';
  digits[16] = '8';
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
