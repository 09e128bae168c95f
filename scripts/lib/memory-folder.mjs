import { existsSync, readFileSync, statfsSync } from 'node:fs';

/** Linux keeps files in memory here. */
const IN_MEMORY = '/dev/shm';
/** More than what a whole run keeps there and in its processes. */
const ROOM_BYTES = 8 * 1024 ** 3;

/**
 * The folder for files that need not outlive the machine, or null where memory is short or programs may not run in it. On
 * disk, ext4 takes ten times as long to make files while others were deleted in the last minutes, as each test does with
 * its database.
 */
export function memoryFolder() {
  return existsSync(IN_MEMORY) && hasRoom() && mayHoldPrograms() ? IN_MEMORY : null;
}

function hasRoom() {
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES;
}

function mayHoldPrograms() {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , , options] = mounts.find((line) => line.split(' ')[1] === IN_MEMORY)?.split(' ') ?? [];
  return options !== undefined && !options.split(',').includes('noexec');
}
