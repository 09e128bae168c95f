import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ensureBinary, unprivilegedIds } from './lib/binaries.mjs';
import { compileBeside } from './lib/compile-beside.mjs';
import { findBrowser } from './lib/find-browser.mjs';
import serverClient from './lib/server-client.cjs';
import { ROOT, setup } from './setup.mjs';

// `npm run bench [-- NAME...] [options]`, `npm run soak [-- options]`, `npm run bench -- --cluster`; see bench/README.md.
// The benches measure dist/, as users run it. Only the benches themselves are compiled here, beside links to dist/.

const WORK = join(ROOT, '.bench');
const BUILD = join(WORK, 'build');
const SOURCES = [
  ...['bench/**/*.ts', 'test/agent/sqlaudit/support/*.ts', 'test/database/citus/support/*.ts'],
  ...['citus', 'until'].map((name) => `test/support/${name}.ts`),
];
const PROGRAMS = { '--soak': 'soak', '--cluster': 'cluster' };

await setup();
rmSync(BUILD, { recursive: true, force: true });
await compileBeside({ root: ROOT, folder: BUILD, patterns: SOURCES });
const program = PROGRAMS[process.argv[2]];
const { main } = createRequire(import.meta.url)(join(BUILD, 'bench', `${program ?? 'main'}.js`));
process.exitCode = await main({
  argv: process.argv.slice(program ? 3 : 2),
  root: ROOT,
  work: WORK,
  build: BUILD,
  findBrowser,
  ensureBinary,
  unprivilegedIds,
  openServer: serverClient.openServer,
});
