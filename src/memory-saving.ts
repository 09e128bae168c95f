import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const EVERY_MS = 1_000;
const LEAST_BYTES = 320 * 1024 * 1024;
/** Part of the bound below which speed comes first again. */
const ENOUGH = 7 / 8;
const YOUNG = /--max[-_]semi[-_]space[-_]size=\d+/;
const YOUNG_DEFAULT = '--max-semi-space-size=0';

export interface MemorySaving {
  readonly isOn: boolean;
  /** Looks at the memory now. */
  look(): void;
  stop(): void;
}

/**
 * While the process takes more than 320 MiB, and more than half of the heap's bound, V8 collects for little memory
 * instead of speed: it moves what lives in half-empty pages together and gives the pages back. This holds for all
 * threads.
 * @param options of V8 that the process was started with
 */
export function startMemorySaving(
  options: string,
  bytesTaken: () => number = process.memoryUsage.rss,
  boundBytes = Math.max(LEAST_BYTES, getHeapStatistics().heap_size_limit / 2),
): MemorySaving {
  const young = YOUNG.exec(options)?.[0] ?? YOUNG_DEFAULT;
  let isOn = false;
  const set = (next: boolean) => {
    if (next === isOn) return;
    isOn = next;
    setFlagsFromString(next ? '--optimize-for-size' : '--no-optimize-for-size');
    // The flag also makes the young generation of threads that start later tiny.
    setFlagsFromString(young);
  };
  const look = () => {
    let taken: number;
    try {
      taken = bytesTaken();
    } catch {
      // The system tells by a file, and the process may have no file descriptor left: the next look tells.
      return;
    }
    if (taken > boundBytes) set(true);
    else if (taken < boundBytes * ENOUGH) set(false);
  };
  const timer = setInterval(look, EVERY_MS).unref();
  return {
    get isOn() {
      return isOn;
    },
    look,
    stop: () => {
      clearInterval(timer);
      set(false);
    },
  };
}
