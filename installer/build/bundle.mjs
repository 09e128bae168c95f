import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { licensesOf } from '../../scripts/lib/licenses.mjs';
import { BUILD_NUMBER, ROOT, VERSION } from './paths.mjs';

/** The oldest Node.js that the packages ship. */
const TARGET = 'node22';

/**
 * Puts the agent with its packages into one file, and the packages' licences into another beside it.
 * @param outfile path of the `.js` file to write
 * @returns path of the licences' file
 */
export async function bundleAgent(outfile, { version = VERSION, build: number = BUILD_NUMBER ?? 0 } = {}) {
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
    // The first line says what the file is, for those who offer it as a package.
    banner: {
      js: `// audit-agent ${version} build ${number}\nconst bundleUrl = require('node:url').pathToFileURL(__filename).href;`,
    },
    define: {
      'import.meta.url': 'bundleUrl',
      AUDIT_AGENT_BUNDLE: JSON.stringify({ version, build: number }),
    },
  });
  const licenses = outfile.replace(/\.js$/, '-licenses.txt');
  const files = Object.keys(metafile.inputs).map((file) => join(ROOT, file));
  await writeFile(licenses, licensesOf(files));
  return licenses;
}
