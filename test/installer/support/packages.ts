import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = join(__dirname, '../../..');
const execute = promisify(execFile);

/** Output of a program that must succeed. */
export async function run(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute(program, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Calls an exported function of a module below `installer/build`, which are modules that jest cannot load. */
export async function callBuild(module: string, name: string, argument: object | string): Promise<string> {
  const url = pathToFileURL(join(ROOT, 'installer/build', module)).href;
  const script = `import { ${name} } from '${url}'; console.log(await ${name}(${JSON.stringify(argument)}));`;
  // As one builds whose files are for nobody else.
  const strictly = ['-c', 'umask 077; exec "$@"', 'sh'];
  const output = await run('sh', ...strictly, process.execPath, '--input-type=module', '--eval', script);
  return output.trim();
}

/** Of these programs those that are not there, as a reason to skip; empty where none is missing. */
export function missingTools(...programs: readonly string[]): string {
  const missing = programs.filter((program) => spawnSync('which', [program]).status !== 0);
  return missing.length === 0 ? '' : ` (SKIPPED, missing: ${missing.join(', ')})`;
}
