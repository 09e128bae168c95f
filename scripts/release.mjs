import { mkdir, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BuildProblem, main, missingPackages } from '../installer/build/tools.mjs';
import { record, refusalOf } from './lib/releases.mjs';
import { ROOT, setup } from './setup.mjs';

// `npm run release -- [PART...] [--out FOLDER]`: builds a release, or these parts of it, into dist/release. With --fetch it
// only fetches what npm does not install, so that later releases can be built without a network.
await main(async () => {
  const { values, positionals } = parseArgs({
    options: {
      out: { type: 'string', default: join(ROOT, 'dist/release') },
      fetch: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const out = resolve(values.out);
  await setup({ quiet: true });
  // Imported after the set-up, which may have to install the bundler first.
  const { PARTS, fetchParts, signingKey, writeSums } = await import('../installer/build/release-parts.mjs');
  if (values.fetch) return fetchParts();
  const unknown = positionals.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0)
    throw new BuildProblem(
      `not a part of a release: ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join(', ')}`,
    );
  const refusal = refusalOf(ROOT);
  if (refusal) throw new BuildProblem(refusal);
  // A wrong key is told before the release is built.
  await signingKey();
  // The folder is replaced as a whole, so that no file of another version stays in it.
  if (positionals.length === 0) await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const leftOut = [];
  const built = {};
  for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
    const problem = await build(name, PARTS[name], out, built);
    if (problem) leftOut.push(`${name}: ${problem}`);
  }
  await writeSums({ out });
  for (const line of leftOut) process.stderr.write(`LEFT OUT ${line}\n`);
  const note = positionals.length === 0 && leftOut.length === 0 ? record(ROOT) : null;
  if (note) process.stdout.write(`${note}\n`);
  if (leftOut.length > 0 && (positionals.length > 0 || process.env.CI === 'true')) process.exitCode = 1;
});

/** @returns why the part cannot be built here, or null */
async function build(name, { build, tools }, out, built) {
  const missing = missingPackages(tools);
  if (missing.length > 0) return `needs ${missing.join(', ')} (apt-get install ${missing.join(' ')})`;
  try {
    const path = await build(out, built);
    built[name] = path;
    const { size } = await stat(path);
    process.stdout.write(`${(size / 1e6).toFixed(1).padStart(6)} MB  ${basename(path)}\n`);
    return null;
  } catch (error) {
    if (!(error instanceof BuildProblem)) throw error;
    return error.message;
  }
}
