import type { Logger } from 'pino';

/** A task that repeats. `stop` resolves when the task no longer runs. */
interface BackgroundTask {
  stop(): Promise<void>;
}

/** The first round of a rare task begins this soon: its work may be overdue, because no service ran. */
const FIRST_MS = 5_000;

/**
 * Runs a task soon after the start and then at an interval, never twice at once. A result above 0 means that work is
 * left: the task then runs again at once. A failure is logged and ends the round. The next round tries again.
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
      if (!stopped) log.warn({ err }, `${name} failed; it will be retried`);
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
  /** A slug: the task in logs and in the metric `background_task_last_round_timestamp_seconds`. */
  readonly name: string;
  /** What the task does, in words of a log line. It is the task's label in the metrics of builds before 0.1.0. */
  readonly doc: string;
  readonly everyMs: number;
  /** A result above 0 says that work is left: the next round begins at once. */
  run(): Promise<unknown>;
}

/** Starts tasks. @param onRound called with a task after each run of it that did not fail */
export function startTasks(
  tasks: readonly Task[],
  log: Logger,
  onRound: (task: Task) => void,
): BackgroundTask {
  const running = tasks.map((task) =>
    repeat(task.doc, task.everyMs, log.child({ task: task.name }), async () => {
      const left = await task.run();
      onRound(task);
      return left;
    }),
  );
  return {
    stop: async () => {
      await Promise.all(running.map((each) => each.stop()));
    },
  };
}
