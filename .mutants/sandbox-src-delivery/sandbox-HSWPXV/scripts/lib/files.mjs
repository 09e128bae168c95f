import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Text of a file, or undefined if there is none. */
export function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Value of a JSON file, or undefined if it is absent or broken. */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The file is absent or was cut off by a crash. Either way the step must be done again.
    return undefined;
  }
}

/** Whether a module is the main program. It compares real paths, since a clone may be reached through a symbolic link. */
export function isProgram(moduleUrl) {
  const program = process.argv[1];
  return program !== undefined && existsSync(program) && realpathSync(program) === fileURLToPath(moduleUrl);
}
