import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import serverClient from './lib/server-client.cjs';
import { ROOT, setup } from './setup.mjs';

/** `--long`: the long suites alone, as a whole. */
const isLong = process.argv[2] === '--long';
const isWhole = process.argv.length === 2;
const long = JSON.parse(readFileSync(join(ROOT, 'test/support/long-suites.json'), 'utf8'));
const LONG_SUITES = [...Object.keys(long.suites), ...long.only];
/**
 * Each file loads the embedded engine anew: making its code fast takes longer than most files use it. Services in
 * processes of their own run as they always do.
 */
const QUICK_START = isLong ? [] : ['--liftoff-only'];
/** They belong to the long run alone. */
const LONG_ONLY = [...Object.keys(long.suites).filter((name) => long.suites[name].short === 0), ...long.only];
/** They need a browser, or have a run of their own. */
const ELSEWHERE = [
  '/node_modules/',
  '<rootDir>/test/browser/',
  ...LONG_ONLY.map((name) => `<rootDir>/${name}`),
];
const VARIABLES = { postgres: 'TEST_DATABASE_URL', redis: 'TEST_REDIS_URL' };

await setup();
const servers = [];
const skipped = [];
const env = { ...process.env, NODE_ENV: 'test', ...(isLong && { TEST_SHARE: 'full' }) };
let code = 1;
try {
  for (const [kind, variable] of Object.entries(VARIABLES)) {
    if (env[variable]) continue;
    const server = await serverClient.openServer(kind);
    if (server.skipped) {
      skipped.push(server.skipped);
      // Empty would count as set where a test only asks whether the variable exists.
      delete env[variable];
      continue;
    }
    servers.push(server);
    env[variable] = server.url;
  }
  if (skipped.length === 0 || process.env.CI !== 'true')
    code = await jest(
      isWhole
        ? ['--testPathIgnorePatterns', ...ELSEWHERE]
        : isLong
          ? [...process.argv.slice(3), ...LONG_SUITES]
          : process.argv.slice(2),
    );
} finally {
  await Promise.all(servers.map((server) => server.close()));
}
for (const reason of skipped) {
  const verdict = process.env.CI === 'true' ? 'FAILED, CI needs' : 'SKIPPED the tests that need';
  process.stderr.write(`\n${verdict} ${reason}\n`);
}
if (isWhole || isLong) {
  const share = env.TEST_SHARE === 'full' ? 'in full' : 'in a short share (in full: npm run test:long)';
  const seed = env.TEST_SEED ?? long.seed;
  process.stderr.write(
    `\nRAN ${LONG_SUITES.length - (isLong ? 0 : LONG_ONLY.length)} long suites ${share}, from seed ${seed} on (TEST_SEED)\n`,
  );
}
if (isWhole) {
  process.stderr.write(
    `SKIPPED ${LONG_ONLY.length} suites that npm run test:long runs: ${LONG_ONLY.join(' ')}\n`,
  );
  process.stderr.write('SKIPPED installing the packages: npm run test:installer\n');
  process.stderr.write('SKIPPED the dashboard in a browser: npm run test:browser\n');
}
process.exitCode = code;

/** Exit code of jest, which gets our arguments, terminal and signals. */
function jest(args) {
  const child = spawn(
    process.execPath,
    [...QUICK_START, join(ROOT, 'node_modules/jest/bin/jest.js'), ...args],
    {
      cwd: ROOT,
      env,
      stdio: 'inherit',
    },
  );
  // Whoever ends us ends jest; the servers go after it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
}
