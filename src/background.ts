import type { Logger } from 'pino';

/** A task done again and again; `stop` resolves when it is not running any more. */
export interface BackgroundTask {
  stop(): Promise<void>;
}

/**
 * Runs a task every so often, never twice at once, and at once again while it finds work (a number above 0).
 * A failure costs one round: it is logged, and the next round tries again.
 */
export function repeat(
  name: string,
  everyMs: number,
  log: Logger,
  run: () => Promise<unknown>,
): BackgroundTask {
  let running: Promise<void> | null = null;
  let stopped = false;
  const round = async () => {
    try {
      while (!stopped && Number(await run()) > 0);
    } catch (err) {
      if (!stopped) log.warn({ err }, `${name} failed; it is tried again`);
    }
  };
  const timer = setInterval(() => {
    running ??= round().finally(() => {
      running = null;
    });
  }, everyMs);
  timer.unref();
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
