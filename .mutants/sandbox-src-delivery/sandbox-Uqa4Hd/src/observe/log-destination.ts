import { type DestinationStream, pino } from 'pino';

/** Lines are written together. One write for each would cost a request more time than the line itself. */
const TOGETHER = { minLength: 4_096, periodicFlush: 250 };
/**
 * Lines that nobody reads are kept up to this number of characters. Further lines are dropped, so that they do not fill
 * the memory.
 */
const WAITING_CHARS_MAX = 8 * 1024 * 1024;
/** How long the last lines have to be written. */
const LAST_LINES_MS = 1_000;

interface LogDestination extends DestinationStream {
  /** Writes the last lines, for a limited time. Later lines are lost. */
  end(): Promise<void>;
}

/** Opens the destination of log lines: stderr, because scripts wait for the one line on stdout. */
export function openLogDestination(): LogDestination {
  // Touching stderr makes a pipe non-blocking. A reader that does not read must not block the service or its end.
  process.stderr.on('error', () => {});
  // At the end of the process pino writes the remaining lines. Without this limit pino would try forever while the
  // reader does not read.
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
