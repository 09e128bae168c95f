import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = join(__dirname, '../../..');
const execute = promisify(execFile);

/** Runs a program that must succeed. @returns its output */
export async function run(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute(program, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Calls an exported function of a module below `installer/build`. Jest cannot load these modules itself. */
export async function callBuild(module: string, name: string, argument: object | string): Promise<string> {
  const url = pathToFileURL(join(ROOT, 'installer/build', module)).href;
  const script = `import { ${name} } from '${url}'; console.log(await ${name}(${JSON.stringify(argument)}));`;
  // Builds with the umask of a user whose files nobody else may read.
  const strictly = ['-c', 'umask 077; exec "$@"', 'sh'];
  const output = await run('sh', ...strictly, process.execPath, '--input-type=module', '--eval', script);
  return output.trim();
}

/** @returns a reason to skip that names the missing programs; empty if none is missing */
export function missingTools(...programs: readonly string[]): string {
  const missing = programs.filter((program) => spawnSync('which', [program]).status !== 0);
  return missing.length === 0 ? '' : ` (SKIPPED, missing: ${missing.join(', ')})`;
}
