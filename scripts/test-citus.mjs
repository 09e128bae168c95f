import { spawn } from 'node:child_process';
import { join } from 'node:path';
import serverClient from './lib/server-client.cjs';
import { ROOT, setup } from './setup.mjs';

const HOW_TO_RUN = `Set TEST_CITUS_URL to a superuser's URL of the coordinator of a Citus cluster, such as
  TEST_CITUS_URL=postgres://postgres@127.0.0.1:15700/postgres npm run test:citus
Its workers are at the next two ports, or at TEST_CITUS_WORKERS=HOST:PORT,HOST:PORT. On each node Citus stands in
shared_preload_libraries, and logins without a password are let in. The tests make databases test_citus_* and the logins
audit_owner and audit_app. Where the workers run on this machine, one of them is killed and started again.`;

/** The suites: those that also test the other engines, and those for a cluster only. */
const SUITES = [
  ...[
    'list-audit-activity',
    'get-audit-activity/answers',
    'summarise-audit-activity/answers',
    'export',
    'tail',
  ].map((name) => `test/rest/${name}`),
  'test/(store|explore)/(list|counts|explore|explore-export).property',
  'test/(access-log/entries|ingest/ingest|keys/life-cycle|keys/disabled-tenant|explore/saved-searches).test',
  'test/graphql/operator',
  'test/notes',
  'test/metrics/metrics',
  'test/isolation',
  ...['tail', 'detection', 'destinations'].map((name) => `test/${name}`),
  'test/evidence/(sequencer|concurrent|backlog|verify|eras|time-stamps)',
  'test/(ingest/writer|store/indexer|store/partitions|database/row-security).test',
  'test/retention',
  'test/(archive|compliance|reports|masking)',
  'test/sources',
  'test/graphql/masking',
  'test/rest/reports',
  'test/end-to-end/wrong-clocks',
  'test/database/citus',
];

// `npm run test:citus [-- PATTERN...]`
if (process.env.TEST_CITUS_URL) {
  await setup();
  const redis = process.env.TEST_REDIS_URL ? null : await serverClient.openServer('redis');
  try {
    process.exitCode = await jest(redis?.url ?? process.env.TEST_REDIS_URL);
  } finally {
    await redis?.close?.();
  }
} else process.stderr.write(`SKIPPED the distributed engine: TEST_CITUS_URL is not set.\n${HOW_TO_RUN}\n`);

function jest(redisUrl) {
  const { TEST_DATABASE_URL: _, ...env } = process.env;
  const given = process.argv.slice(2);
  // The suites run one at a time, since one of them kills a worker, which would disturb the others.
  const args = ['--runInBand', '--testTimeout=180000', ...(given.length > 0 ? given : SUITES)];
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: ROOT,
    env: { ...env, NODE_ENV: 'test', ...(redisUrl && { TEST_REDIS_URL: redisUrl }) },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
