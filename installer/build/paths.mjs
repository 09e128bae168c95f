import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
export const INSTALLER = join(ROOT, 'installer');
export const DIST = join(ROOT, 'dist');

/** What is fetched or made once and outlives a clone: runtimes, the system that the Windows tests run in. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'audit-activity');

export const PRODUCT = readJson(join(INSTALLER, 'windows/product.json'));

/** The one version number of everything that is built. */
export const VERSION = readJson(join(ROOT, 'package.json')).version;

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
