import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { licensesOf } from '../../scripts/lib/licenses.mjs';
import { ensureSite } from '../../scripts/lib/site-steps.mjs';
import { packTgz } from './archive.mjs';
import { EXECUTABLE, put, READABLE } from './debian-package.mjs';
import { DIST, INSTALLER, ROOT, tagOf, VERSION } from './paths.mjs';
import {
  dashboardPackages,
  isShipped,
  productionDependencies,
  productionPackages,
} from './production-packages.mjs';
import { BuildProblem, inWorkFolder, run } from './tools.mjs';

export const SERVER_PACKAGES = { tar: 'tar' };
/** The licences of all packages in the service and in its pages, beside the programs. */
export const LICENSES = 'third-party-licenses.txt';
export const serverName = (version) => `audit-activity-server-${version}`;

/** The shipped parts of the compiled sources, and of the files beside them. */
const PARTS = [
  'dist/agent',
  'dist/dashboard',
  'dist/rest-facade',
  'dist/site',
  'dist/src',
  'prisma/migrations',
  'rules',
  'compliance',
  'reports',
];

/** The files for the people who run the service, to which the documents lead. */
const FOR_PEOPLE = [
  'docs',
  'deploy/collector',
  'deploy/compose',
  'deploy/compose.yaml',
  'deploy/elastic',
  'deploy/monitoring',
  'deploy/nginx.conf',
  'deploy/sentinel',
  'deploy/splunk',
  'CHANGELOG.md',
  'SECURITY.md',
];

/** The commands by the compiled file that each runs. */
const COMMANDS = { 'audit-activity': '../dist/src/cli/main.js', 'audit-agent': '../dist/agent/main.js' };

/**
 * Builds the service as one archive that needs nothing but Node.js. The set-up must have compiled it.
 * @returns path of the .tgz
 */
export async function buildServer({ version = VERSION, out = DIST } = {}) {
  return inWorkFolder('server-', async (work) => {
    const name = serverName(version);
    await gatherServer(join(work, name), version);
    await mkdir(out, { recursive: true });
    return packTgz(work, name, join(out, `${name}.tgz`));
  });
}

/** Writes the folder of the service: `main.js`, both commands in `bin`, what they need, and the documents. */
export async function gatherServer(folder, version = VERSION) {
  await buildSite();
  await mkdir(join(folder, 'bin'), { recursive: true });
  for (const part of PARTS) await copyShipped(part, folder);
  const { packages } = productionPackages();
  for (const path of packages.keys()) await copyShipped(path, folder);
  await writeFile(
    join(folder, LICENSES),
    await licensesOfAll([...packages.keys(), ...dashboardPackages().keys()]),
  );
  const described = JSON.stringify(await description(version), null, 2);
  await writeFile(join(folder, 'package.json'), `${described}\n`);
  // The compiled sources read this file beside them.
  await writeFile(join(folder, 'dist/package.json'), `${described}\n`);
  for (const [command, file] of Object.entries(COMMANDS)) {
    const path = join(folder, 'bin', command);
    await writeFile(path, `#!/usr/bin/env node\nrequire('${file}');\n`);
    await chmod(path, EXECUTABLE);
  }
  for (const file of ['main.js', 'healthcheck.js'])
    await put(join(INSTALLER, 'service', file), join(folder, file), READABLE);
  await put(join(INSTALLER, 'service', 'quick-start.md'), join(folder, 'README.md'), READABLE);
  for (const name of FOR_PEOPLE) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of ['compose.yaml', 'collector/compose.yaml'])
    await nameImage(join(folder, 'deploy', name), version);
  // In a checkout, the modes of files depend on the person who made it.
  await run('chmod', ['-R', 'u=rwX,go=rX', folder]);
}

/** Builds the pages at /docs, which the set-up of a checkout does not. */
async function buildSite() {
  await ensureSite().catch(({ message, output = '' }) => {
    throw new BuildProblem(`${message}\n${output}`.trim());
  });
}

/** @param paths the folders of packages, from the root of the repository */
async function licensesOfAll(paths) {
  const files = [...new Set(paths)].map((path) => join(ROOT, path, 'package.json'));
  return `${licensesOf(files)}\n${await readFile(join(ROOT, 'dist/site/licenses.txt'), 'utf8')}`;
}

/** Names this release's image where the file of a checkout names the one that it builds. */
async function nameImage(compose, version) {
  const text = await readFile(compose, 'utf8');
  await writeFile(
    compose,
    text.replace(/(image: localhost\/audit-activity:\$\{VERSION:-)[^}]*/, `$1${tagOf(version)}`),
  );
}

/** The package.json of the repository, without what is only for builds and tests. */
async function description(version) {
  const { name, description: text, license, engines, scripts } = await ownPackage();
  const start = scripts.start.replace('scripts/start.mjs', 'main.js');
  const bin = Object.fromEntries(Object.keys(COMMANDS).map((command) => [command, `bin/${command}`]));
  return {
    name,
    version,
    private: true,
    description: text,
    license,
    engines,
    main: 'main.js',
    bin,
    scripts: { start },
    dependencies: productionDependencies(),
  };
}

const ownPackage = async () => JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

/** Copies a folder of the repository, without packages within a package, which are copied separately. */
async function copyShipped(part, folder) {
  const source = join(ROOT, part);
  await cp(source, join(folder, part), {
    recursive: true,
    dereference: true,
    filter: (file) => {
      const path = relative(ROOT, file);
      return isShipped(path) && !path.slice(part.length + 1).match(/(^|\/)node_modules(\/|$)/);
    },
  });
}
