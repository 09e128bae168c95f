import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './imports';

/** Whether files of what is expected are written anew, in place of a comparison with them. */
export const WRITES_EXPECTED = process.env.TEST_WRITE_EXPECTED === '1';

/** Compares with a file of what is expected, or writes a part of it anew. @param part its name; none: it is all */
export function expectAsIn(file: string, now: object, part?: string): void {
  const place = path.join(ROOT, file);
  const kept = JSON.parse(readFileSync(place, 'utf8'));
  if (!WRITES_EXPECTED) {
    expect(now).toEqual(part === undefined ? kept : kept[part]);
    return;
  }
  writeFileSync(place, JSON.stringify(part === undefined ? now : { ...kept, [part]: now }, null, 2));
  execFileSync(path.join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', place], { cwd: ROOT });
}
