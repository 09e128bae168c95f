import type { Logger } from 'pino';

/** A task done again and again; `stop` resolves when it is not running any more. */
interface BackgroundTask {
  stop(): Promise<void>;
}

/** The first round of a task that is rare: what was due while no service ran does not wait for long. */
const FIRST_MS = 5_000;

/**
 * Runs a task soon after the start and then every so often, never twice at once, and at once again while it finds work
 * (a number above 0). A failure costs one round: it is logged, and the next round tries again.
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
  const begin = () => {
    running ??= round().finally(() => {
      running = null;
    });
  };
  const timer = setInterval(begin, everyMs).unref();
  const first = setTimeout(begin, Math.min(everyMs, FIRST_MS)).unref();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(first);
      clearInterval(timer);
      await running;
    },
  };
}

/** Work in the background. */
export interface Task {
  /** As logs and the metric `background_last_round_timestamp_seconds` name it. */
  readonly name: string;
  readonly everyMs: number;
  /** A result above 0 says that work is left: the next round begins at once. */
  run(): Promise<unknown>;
}

/** Starts tasks. @param onRound told when one of them came to the end of a round */
export function startTasks(
  tasks: readonly Task[],
  log: Logger,
  onRound: (name: string) => void,
): BackgroundTask {
  const running = tasks.map(({ name, everyMs, run }) =>
    repeat(name, everyMs, log, async () => {
      const left = await run();
      onRound(name);
      return left;
    }),
  );
  return {
    stop: async () => {
      await Promise.all(running.map((task) => task.stop()));
    },
  };
}
