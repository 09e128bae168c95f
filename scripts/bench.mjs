import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { transformSync } from '@swc/core';
import { globSync } from 'tinyglobby';
import { ensureBinary, unprivilegedIds } from './lib/binaries.mjs';
import { findBrowser } from './lib/find-browser.mjs';
import serverClient from './lib/server-client.cjs';
import { ROOT, setup } from './setup.mjs';

// `npm run bench [-- NAME...] [options]`, `npm run soak [-- options]`; see bench/README.md.
// What is measured is dist/, as users run it; only the benches themselves are compiled here, beside links to it.

const WORK = join(ROOT, '.bench');
const BUILD = join(WORK, 'build');
const SOURCES = ['bench/**/*.ts', 'test/agent/sqlaudit/support/*.ts'];
const MEASURED = ['src', 'rest-facade', 'agent'];

await setup({ allowTypeErrors: true });
build();
const isSoak = process.argv[2] === '--soak';
const { main } = createRequire(import.meta.url)(join(BUILD, isSoak ? 'bench/soak.js' : 'bench/main.js'));
process.exitCode = await main({
  argv: process.argv.slice(isSoak ? 3 : 2),
  root: ROOT,
  work: WORK,
  build: BUILD,
  findBrowser,
  ensureBinary,
  unprivilegedIds,
  openServer: serverClient.openServer,
});

function build() {
  rmSync(BUILD, { recursive: true, force: true });
  for (const source of globSync(SOURCES, { cwd: ROOT })) {
    const { code } = transformSync(readFileSync(join(ROOT, source), 'utf8'), {
      filename: source,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
      sourceMaps: 'inline',
    });
    const target = join(BUILD, source.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
  }
  for (const folder of MEASURED) symlinkSync(join(ROOT, 'dist', folder), join(BUILD, folder), 'junction');
}
