import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { findBrowser } from './lib/find-browser.mjs';
import { ROOT, setup } from './setup.mjs';

const HOW_TO_RUN =
  'To run them, as root on Debian: apt-get install -y --no-install-recommends chromium-headless-shell && npm run test:browser';

// `npm run test:browser [-- FILE…]`: the dashboard in a real browser, on a real service with real data.
const browser = findBrowser();
if (browser === undefined) {
  process.stderr.write(`SKIPPED the dashboard's tests: no Chromium was found.\n${HOW_TO_RUN}\n`);
  process.exitCode = process.env.CI === 'true' ? 1 : 0;
} else {
  // The page must be built from the current sources: the set-up fails if that is not possible.
  await setup({ quiet: true });
  const given = process.argv.slice(2);
  // The files run one at a time, since a browser and a service are enough for two cores.
  const args = ['--maxWorkers=1', ...(given.length > 0 ? given : ['test/browser'])];
  const child = spawn(process.execPath, [join(ROOT, 'scripts/test.mjs'), ...args], {
    cwd: ROOT,
    env: { ...process.env, TEST_BROWSER: browser },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
