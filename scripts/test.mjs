import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, sep } from 'node:path';
import { memoryFolder } from './lib/memory-folder.mjs';
import serverClient from './lib/server-client.cjs';
import { failedSuites, inGroups } from './lib/suites-together.mjs';
import { ROOT, setup } from './setup.mjs';

/** `--long`: only the long suites, in full if `TEST_SHARE` says nothing else. */
const isLong = process.argv[2] === '--long';
/** `--without-long`: all but the long suites, whose short share is a part of what `--long` runs. CI runs both. */
const isWithoutLong = process.argv[2] === '--without-long' && process.argv.length === 3;
const isWhole = process.argv.length === 2 || isWithoutLong;
const long = JSON.parse(readFileSync(join(ROOT, 'test/support/long-suites.json'), 'utf8'));
const LONG_SUITES = [...Object.keys(long.suites), ...long.only];
/**
 * Each file loads the embedded engine again, and to optimise its code takes longer than most files use it. Services in
 * processes of their own run with the usual options.
 */
const QUICK_START = isLong ? [] : ['--liftoff-only'];
/** The suites that only the long run includes. */
const LONG_ONLY = [...Object.keys(long.suites).filter((name) => long.suites[name].short === 0), ...long.only];
/** Suites that a command of their own runs: those that need a browser, and the long run's. */
const isElsewhere = (file) =>
  file.startsWith('test/browser/') || LONG_ONLY.includes(file) || (isWithoutLong && isLongSuite(file));
/**
 * In CI, if up to this number of files fail, their failed suites are run once more, one after the other and on their own.
 * Each is named even if it passes then: its first failure shows a defect of the test or of the product, which a busy
 * machine has revealed.
 */
const AGAIN_MAX = 3;
const VARIABLES = { postgres: 'TEST_DATABASE_URL', redis: 'TEST_REDIS_URL' };

await setup();
const servers = [];
const skipped = [];
/** The temporary files of this run. As in /tmp, a program of another user reaches those that a test opens to it. */
const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'audit-tests-'));
chmodSync(folder, 0o1777);
const env = { ...process.env, NODE_ENV: 'test', TMPDIR: folder };
if (isLong) env.TEST_SHARE ??= 'full';
if (isWhole) env.TEST_ENGINE ??= 'postgresql';
let code = 1;
try {
  for (const [kind, variable] of Object.entries(VARIABLES)) {
    if (env[variable]) continue;
    const server = await serverClient.openServer(kind);
    if (server.skipped) {
      skipped.push(server.skipped);
      // An empty value would count as set for a test that only checks whether the variable exists.
      delete env[variable];
      continue;
    }
    servers.push(server);
    env[variable] = server.url;
  }
  const args = isWhole
    ? inGroups(
        ROOT,
        suitesWhere((file) => !isElsewhere(file)),
        isLongSuite,
      )
    : isLong
      ? [...process.argv.slice(3), ...LONG_SUITES]
      : process.argv.slice(2);
  const run = process.env.CI === 'true' ? twiceIfNeeded : jest;
  if (process.env.CI !== 'true' || skipped.length === 0) code = await run(args);
  if (code === 0 && isLong && process.argv.length === 3) {
    env.TEST_ENGINE = 'embedded';
    env.TEST_SHARE = 'short';
    code = await run(inGroups(ROOT, suitesWhere(isOfEngines), isLongSuite));
  }
} finally {
  await Promise.all(servers.map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
for (const reason of skipped) {
  const verdict = process.env.CI === 'true' ? 'FAILED, CI needs' : 'SKIPPED the tests that need';
  process.stderr.write(`\n${verdict} ${reason}\n`);
}
if (isWithoutLong)
  process.stderr.write(`\nSKIPPED ${LONG_SUITES.length} long suites that npm run test:long runs\n`);
else if (isWhole || isLong) {
  const share = env.TEST_SHARE === 'full' ? 'in full' : 'in a short share (in full: npm run test:long)';
  const seed = env.TEST_SEED ?? long.seed;
  process.stderr.write(
    `\nRAN ${LONG_SUITES.length - (isLong ? 0 : LONG_ONLY.length)} long suites ${share}, from seed ${seed} on (TEST_SEED)\n`,
  );
}
if (isWhole) {
  if (!isWithoutLong)
    process.stderr.write(
      `SKIPPED ${LONG_ONLY.length} suites that npm run test:long runs: ${LONG_ONLY.join(' ')}\n`,
    );
  process.stderr.write(
    `RAN the tests of both engines on ${env.TEST_ENGINE} (on embedded: npm run test:long)\n`,
  );
  process.stderr.write('SKIPPED installing the packages: npm run test:installer\n');
  process.stderr.write('SKIPPED the dashboard in a browser: npm run test:browser\n');
}
process.exitCode = code;

/** Paths of the suites for which a condition holds. */
function suitesWhere(holds) {
  return readdirSync(join(ROOT, 'test'), { recursive: true })
    .map((name) => posix.join('test', String(name).replaceAll(sep, '/')))
    .filter((file) => file.endsWith('.test.ts') && holds(file))
    .sort();
}

/** Whether `npm test` ran a suite on one engine, and no run was on both. */
function isOfEngines(file) {
  return !isLongSuite(file) && /\.each\(ENGINES\)/.test(readFileSync(join(ROOT, file), 'utf8'));
}

function isLongSuite(file) {
  return LONG_SUITES.some((name) => file.startsWith(name));
}

/** Exit code of jest; that of its second run if a few suites failed in the first. */
async function twiceIfNeeded(args) {
  const results = join(folder, 'results.json');
  const code = await jest(['--json', `--outputFile=${results}`, ...args]);
  const files = code === 0 || !existsSync(results) ? [] : failedFiles(results);
  if (files.length === 0 || files.length > AGAIN_MAX) return code;
  const suites = files.flatMap((file) => failedSuites(ROOT, file));
  process.stderr.write(`\nFAILED, and run once more: ${suites.join(' ')}\n`);
  // A suite may leave something open in this process, which would wait for it for ever.
  const again = await jest(['--runInBand', '--forceExit', '--runTestsByPath', ...suites]);
  process.stderr.write(
    `\nFAILED in the first run, ${again === 0 ? 'passed' : 'failed'} in the second: ${suites.join(' ')}\n`,
  );
  return again;
}

/** The results of the files that failed, from jest's report. */
function failedFiles(report) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults.filter(({ status }) => status === 'failed');
}

/** Runs jest with our arguments, terminal and signals. @returns its exit code */
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
  // A signal that ends this process also ends jest; the servers end after jest.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
}
