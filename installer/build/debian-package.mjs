import { chmod, copyFile, cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { releaseTime } from './archive.mjs';
import { BUILD_NUMBER } from './paths.mjs';
import { inWorkFolder, requireTools, run } from './tools.mjs';

export const DEB_PACKAGES = { 'dpkg-deb': 'dpkg', du: 'coreutils' };

const SCRIPTS = ['postinst', 'prerm', 'postrm'];
export const EXECUTABLE = 0o755;
export const READABLE = 0o644;
export const OWNER_ONLY = 0o600;

/**
 * Builds a package for Debian and its kin.
 * @param source folder of `control` (with @VERSION@ and @SIZE@) and of the scripts of the package
 * @param gather writes the package's files below a folder
 * @param config path in the package of the file that administrators change
 * @param compression `none` for tests, which takes a second instead of ten
 * @returns path of the .deb
 */
export async function buildPackage({ name, version, source, gather, config, out, compression = 'xz' }) {
  requireTools(DEB_PACKAGES);
  return inWorkFolder(`${name}-`, async (work) => {
    const root = join(work, 'root');
    await chmod(work, EXECUTABLE);
    await gather(root);
    await writeControl(root, { version: debianVersion(version), source, config });
    const draft = join(work, 'package.deb');
    // Each file gets the time of the release, so that the same sources make the same bytes.
    const env = { SOURCE_DATE_EPOCH: String(releaseTime()) };
    const how = ['--root-owner-group', `-Z${compression}`, '-z2'];
    await run('dpkg-deb', [...how, '--build', root, draft], { env });
    await mkdir(out, { recursive: true });
    const target = join(out, debName(name, version));
    await copyFile(draft, `${target}.new`);
    await rename(`${target}.new`, target);
    return target;
  });
}

/**
 * The version by which Debian orders packages: `0.1.0+597.g1a2b3c4`. The number of commits stands before the commit, since
 * the commit alone has no order.
 */
export const debianVersion = (version, number = BUILD_NUMBER) =>
  number === null ? version : version.replace('+g', `+${number}.g`);

export const debName = (name, version) => `${name}_${version}_amd64.deb`;

async function writeControl(root, { version, source, config }) {
  const folder = join(root, 'DEBIAN');
  await mkdir(folder);
  // The size is that of the content: the disk's blocks differ from one file system to the next.
  const bytes = (await run('du', ['-sb', '--exclude=DEBIAN', root])).split('\t')[0];
  const template = await readFile(join(source, 'control'), 'utf8');
  const size = Math.ceil(Number(bytes) / 1024);
  await writeFile(join(folder, 'control'), template.replace('@VERSION@', version).replace('@SIZE@', size));
  await writeFile(join(folder, 'conffiles'), `/${config}\n`);
  for (const script of SCRIPTS) await put(join(source, script), join(folder, script), EXECUTABLE);
}

export async function put(from, to, mode) {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
  await chmod(to, mode);
}
