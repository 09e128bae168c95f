import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './at-exit.mjs';

/** Makes a new folder that is removed when this process ends. */
export async function temporaryFolder(prefix) {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  // A process that was just killed may still write.
  atExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
