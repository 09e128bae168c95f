import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './paths.mjs';

/** The oldest Node.js that the packages ship. */
const TARGET = 'node22';

/**
 * Puts the agent with its packages into one file, and the packages' licences into another beside it.
 * @param outfile path of the `.js` file to write
 * @returns path of the licences' file
 */
export async function bundleAgent(outfile) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['agent/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: TARGET,
    format: 'cjs',
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
    // Packages that are ES modules read their own URL.
    banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': 'bundleUrl' },
  });
  const licenses = outfile.replace(/\.js$/, '-licenses.txt');
  await writeFile(licenses, packagesIn(metafile).map(licenseOf).join('\n'));
  return licenses;
}

/** The folders of the packages whose code is in the bundle. */
function packagesIn({ inputs }) {
  const folders = Object.keys(inputs).map(
    (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1],
  );
  return [...new Set(folders.filter(Boolean))].sort();
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(ROOT, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const path = file && join(ROOT, folder, file);
  const text = path && existsSync(path) ? readFileSync(path, 'utf8') : `${license}\n`;
  return `${name} ${version}\n\n${text}\n${'-'.repeat(79)}\n`;
}
