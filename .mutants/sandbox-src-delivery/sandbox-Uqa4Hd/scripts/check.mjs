import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT, setup } from './setup.mjs';

/** `--without-tests`: leaves out the tests, if they have already run. */
const isWithTests = !process.argv.includes('--without-tests');

const CHECKS = [
  { name: 'types', script: 'typescript/bin/tsc', args: ['--noEmit', '-p', 'test/tsconfig.json'] },
  { name: 'types of the dashboard', script: 'typescript/bin/tsc', args: ['-p', 'dashboard/tsconfig.json'] },
  {
    name: 'lint and format',
    script: '@biomejs/biome/bin/biome',
    args: ['check', '--error-on-warnings', '.'],
  },
  ...(isWithTests
    ? [{ name: 'folder borders', script: 'jest/bin/jest.js', args: ['--testPathPatterns', 'test/contract'] }]
    : []),
];

await setup();
const results = CHECKS.map(({ name, script, args }) => {
  console.log(`\n== ${name}`);
  const command = [join(ROOT, 'node_modules', script), ...args];
  const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit' });
  return { name, passed: status === 0 };
});
results.push({ name: 'known advisories', passed: noneKnown() });
console.log('');
for (const { name, passed } of results) console.log(`${passed ? 'passed' : 'FAILED'}  ${name}`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;

/** Whether no production dependency has a known advisory. If the registry does not answer, this is skipped, with a message. */
function noneKnown() {
  console.log('\n== known advisories');
  const options = { cwd: ROOT, encoding: 'utf8', timeout: 60_000 };
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], options);
  const advisories = vulnerabilitiesIn(stdout);
  if (advisories === null) console.log('SKIPPED: the registry does not answer `npm audit`');
  else if (advisories > 0) console.log(`${advisories} found: see npm audit --omit=dev`);
  return !advisories;
}

/** The report of `npm audit`; null if there is none. */
function vulnerabilitiesIn(text) {
  try {
    return JSON.parse(text).metadata?.vulnerabilities?.total ?? null;
  } catch {
    return null;
  }
}
