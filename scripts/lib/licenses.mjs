import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The licences of packages, each with its name and version.
 * @param files paths of files, of which those in `node_modules` are of packages
 */
export const licensesOf = (files) => packagesIn(files).map(licenseOf).join('\n');

function packagesIn(files) {
  const folders = files.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(folders.filter(Boolean))].sort();
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const path = file && join(folder, file);
  const text = path && existsSync(path) ? readFileSync(path, 'utf8') : `${license}\n`;
  return `${name} ${version}\n\n${text}\n${'-'.repeat(79)}\n`;
}
