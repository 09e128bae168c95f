import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitCountOf, versionOf } from '../../scripts/lib/version.mjs';

export const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
export const INSTALLER = join(ROOT, 'installer');
export const DIST = join(ROOT, 'dist');

/** Folder of what is fetched or made once for all clones: runtimes, and the system in which the Windows tests run. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'audit-activity');

export const PRODUCT = readJson(join(INSTALLER, 'windows/product.json'));

/** The version of everything that is built: `0.1.0+g1a2b3c4`. */
export const VERSION = versionOf(ROOT);

/** The number of commits up to this one, which orders builds; null where the history is not there. */
export const BUILD_NUMBER = commitCountOf(ROOT);

/** The version for what takes no `+`: the tag of an image. */
export const tagOf = (version) => version.replace('+', '-');

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
