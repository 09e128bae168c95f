import { type DestinationStream, pino } from 'pino';

/** Lines leave together, as a write for each would cost a request more than the line. */
const TOGETHER = { minLength: 4_096, periodicFlush: 250 };
/** Lines that nobody reads are kept up to this, then dropped: they must not fill the memory. */
const WAITING_CHARS_MAX = 8 * 1024 * 1024;
/** The last lines get this long to leave. */
const LAST_LINES_MS = 1_000;

interface LogDestination extends DestinationStream {
  /** Lets the last lines leave, for a bounded time; after it none does. */
  end(): Promise<void>;
}

/** Where log lines go: stderr, as stdout has the one line that scripts wait for. */
export function openLogDestination(): LogDestination {
  // Makes a pipe one that does not block: a reader that stands still must stop neither the service nor its end.
  process.stderr.on('error', () => {});
  // However the process ends, pino writes out what is left: a reader that stands still would have it try for ever.
  let retriedUntil = Number.POSITIVE_INFINITY;
  process.once('exit', () => {
    retriedUntil = Math.min(retriedUntil, performance.now() + LAST_LINES_MS);
  });
  const destination = pino.destination({
    ...TOGETHER,
    dest: 2,
    sync: false,
    maxLength: WAITING_CHARS_MAX,
    retryEAGAIN: () => performance.now() < retriedUntil,
  });
  return Object.assign(destination, {
    end: async () => {
      const left = new Promise<void>((resolve) => destination.flush(() => resolve()));
      const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_LINES_MS));
      await Promise.race([left, late]);
      retriedUntil = 0;
      destination.on('error', () => {});
      destination.destroy();
    },
  });
}
