import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './at-exit.mjs';

/** A new folder that goes with this process. */
export async function temporaryFolder(prefix) {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  // What has just been killed may still write.
  atExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
