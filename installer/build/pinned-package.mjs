import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE } from './paths.mjs';
import { BuildProblem, run } from './tools.mjs';

/**
 * Fetches an npm package that is a tool or a part of the build, but not a dependency at run time. It is fetched once,
 * kept for later builds, and checked against its hash.
 * @param integrity as npm states it, `sha512-...`
 * @param wanted the needed files, such as `package/bin/node`; all if none is named
 * @returns folder of the unpacked package, with `package` in it
 */
export async function pinnedPackage({ name, version, integrity, wanted = [] }) {
  const parent = join(CACHE, 'packages');
  const folder = join(parent, `${name.replace('/', '-')}-${version}`);
  const isWhole = () =>
    (wanted.length > 0 ? wanted : ['package']).every((file) => existsSync(join(folder, file)));
  if (isWhole()) return folder;
  await mkdir(parent, { recursive: true });
  // The package is unpacked elsewhere first, since another build may be doing the same.
  const draft = await mkdtemp(join(parent, 'draft-'));
  try {
    await run('npm', ['pack', '--silent', `${name}@${version}`, '--pack-destination', draft]);
    const [file] = await readdir(draft);
    await assertHash(join(draft, file), 'sha512', integrity.replace(/^sha512-/, ''), 'base64');
    await run('tar', ['-xzf', join(draft, file), '-C', draft, ...wanted]);
    await rm(join(draft, file));
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return folder;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (isWhole()) return folder;
    throw error;
  }
}

/** @throws BuildProblem if the file is not the pinned one */
export async function assertHash(path, algorithm, expected, encoding = 'hex') {
  const found = createHash(algorithm)
    .update(await readFile(path))
    .digest(encoding);
  if (found !== expected)
    throw new BuildProblem(`${path} is not the pinned file: ${algorithm} ${found}, not ${expected}`);
}
