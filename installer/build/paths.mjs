import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
export const INSTALLER = join(ROOT, 'installer');
export const DIST = join(ROOT, 'dist');

/** Folder of what is fetched or made once for all clones: runtimes, and the system in which the Windows tests run. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'audit-activity');

export const PRODUCT = readJson(join(INSTALLER, 'windows/product.json'));

/** The version number of everything that is built. */
export const VERSION = readJson(join(ROOT, 'package.json')).version;

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
