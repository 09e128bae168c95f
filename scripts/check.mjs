import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT, setup } from './setup.mjs';

const CHECKS = [
  { name: 'types', script: 'typescript/bin/tsc', args: ['--noEmit', '-p', 'test/tsconfig.json'] },
  {
    name: 'lint and format',
    script: '@biomejs/biome/bin/biome',
    args: ['check', '--error-on-warnings', '.'],
  },
  { name: 'folder borders', script: 'jest/bin/jest.js', args: ['--testPathPatterns', 'test/contract'] },
];

// The first check tells of type errors, in the tests too.
await setup({ allowTypeErrors: true });
const results = CHECKS.map(({ name, script, args }) => {
  console.log(`\n== ${name}`);
  const command = [join(ROOT, 'node_modules', script), ...args];
  const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit' });
  return { name, passed: status === 0 };
});
console.log('');
for (const { name, passed } of results) console.log(`${passed ? 'passed' : 'FAILED'}  ${name}`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
