import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The resources that an ended process used. */
export interface Usage {
  /** Processor time, user and system, in milliseconds. */
  readonly processorMs: number;
  /** Its peak memory. */
  readonly peakMb: number;
}

/** A script that is loaded before the program. When the process ends, it writes the used resources. */
const TELL_USAGE = join(__dirname, 'tell-usage.js');

/**
 * Runs a program of Node to its end.
 * @param options options for Node itself
 * @throws Error with the end of the program's log if it fails
 */
export async function runMeasured(
  folder: string,
  args: readonly string[],
  options: readonly string[] = [],
): Promise<Usage> {
  const file = join(folder, 'usage.json');
  const child = spawn(process.execPath, [...options, '--require', TELL_USAGE, ...args], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', USAGE_FILE: file },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-2_000);
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${log}`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Usage;
  } finally {
    rmSync(file, { force: true });
  }
}
