import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProgram } from './lib/files.mjs';
import { withLock } from './lib/lock.mjs';
import { STEPS } from './lib/setup-steps.mjs';

export const ROOT = resolve(fileURLToPath(import.meta.url), '../..');

const OUTPUT_LINES_MAX = 40;
const NODE_MIN = [20, 19];

/**
 * Makes a clone runnable: packages, commands, Prisma client, dist/. Does only what is not up to date, prints on
 * stderr only, and ends the process with exit code 1 if a step fails.
 * @param quiet reports only the slow first install
 * @param without the dashboard, if it is not needed
 * @param steps others than those of a clone
 */
export async function setup({ quiet = false, root = ROOT, without = [], steps = STEPS } = {}) {
  try {
    assertNodeVersion();
    await doSteps(
      steps.filter(({ name }) => !without.includes(name)),
      { root, quiet },
    );
  } catch (error) {
    if (error.output) warn(error.output.split('\n').slice(0, OUTPUT_LINES_MAX).join('\n'));
    warn(`set-up failed: ${error.message}`);
    process.exit(1);
  }
}

const warn = (line) => process.stderr.write(`${line}\n`);

/** Does the steps that are not up to date. @throws SetupFailure */
export async function doSteps(steps, { root = ROOT, quiet = true } = {}) {
  // The first check runs without the lock, since the usual start changes nothing and must work in a read-only clone too.
  if (steps.every((step) => step.isFresh(root))) return;
  const onWait = (pid) => quiet || warn(`set-up: waiting for another set-up (process ${pid ?? 'unknown'})`);
  await withLock(join(root, '.setup/lock'), () => runSteps(steps, { root, warn, quiet }), { onWait });
}

async function runSteps(steps, { quiet, ...project }) {
  for (const step of steps) {
    // The check is repeated under the lock, since another set-up may have done the step meanwhile.
    if (step.isFresh(project.root)) continue;
    if (!quiet || step.slow) project.warn(`set-up: ${step.title}`);
    await step.run(project);
  }
}

function assertNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new Error(`Node.js >= ${NODE_MIN.join('.')} is needed, this is ${process.version}.`);
}

if (isProgram(import.meta.url)) await setup();
