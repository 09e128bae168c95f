import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

// Everybody may read what is built, whatever the builder's own umask is.
process.umask(0o022);

/** A problem that the person who builds can solve: shown without a stack trace. */
export class BuildProblem extends Error {}

const OUTPUT_LINES_MAX = 40;

/** Runs a program to its end. @returns its standard output @throws BuildProblem with its output, if it fails */
export function run(program, args, { cwd, env = {} } = {}) {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      text[name] += chunk;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new BuildProblem(`${program} cannot be run: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(text.stdout);
      const output = `${text.stderr}\n${text.stdout}`
        .trim()
        .split('\n')
        .slice(0, OUTPUT_LINES_MAX)
        .join('\n');
      reject(new BuildProblem(`${program} failed (${signal ?? code}):\n${output}`));
    });
  });
}

/** Runs work in a temporary folder, which is removed when the work ends or is interrupted. */
export async function inWorkFolder(prefix, work) {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const interrupted = (signal) => {
    rmSync(folder, { recursive: true, force: true });
    // The listener is removed, so the signal now ends this process in the default way.
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    return await work(folder);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    await rm(folder, { recursive: true, force: true });
  }
}
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Whether a program is in PATH. */
export function isInPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Checks that programs are installed.
 * @param packages Debian package by program
 * @throws BuildProblem that says how to install all missing ones
 */
export function requireTools(packages) {
  const missing = missingPackages(packages);
  if (missing.length === 0) return;
  throw new BuildProblem(
    `needs ${missing.join(', ')}: apt-get install -y --no-install-recommends ${missing.join(' ')}`,
  );
}

/** Debian packages of the programs that are not in PATH. */
export function missingPackages(packages) {
  const missing = Object.entries(packages).filter(([program]) => !isInPath(program));
  return [...new Set(missing.map(([, name]) => name))];
}

/** Runs a command line: a problem becomes one line on stderr and exit code 1. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BuildProblem)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Exit code of a program that talks to the terminal itself. */
export const runAttached = (program, args, options = {}) =>
  spawnSync(program, args, { stdio: 'inherit', ...options }).status ?? 1;
