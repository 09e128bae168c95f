import { existsSync } from 'node:fs';
import path from 'node:path';

/** @returns a folder of files that ship with the service, searched upwards from `src/` or `dist/src/` */
export function shippedFolder(name: string, file: string): string {
  for (let at = __dirname; ; at = path.dirname(at)) {
    const found = path.join(at, name);
    if (existsSync(path.join(found, file))) return found;
    if (path.dirname(at) === at) throw new Error(`the folder "${name}" is missing`);
  }
}
