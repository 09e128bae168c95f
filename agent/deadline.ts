import { setMaxListeners } from 'node:events';

/**
 * Runs something with a signal that is aborted after `ms` (a `TimeoutError`) or with the parent. It leaves no listener
 * on the parent, which lives as long as the agent: `AbortSignal.any` would add one with every call.
 */
export async function withDeadline<T>(
  ms: number,
  parent: AbortSignal,
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(parent.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('too late', 'TimeoutError')), ms);
  parent.addEventListener('abort', abort, { once: true });
  if (parent.aborted) abort();
  try {
    return await use(controller.signal);
  } finally {
    clearTimeout(timer);
    parent.removeEventListener('abort', abort);
  }
}

/** Whether an error comes from a deadline that has passed. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';

/**
 * The result of a promise, or of `otherwise` as soon as the signal is aborted. It removes its listener itself: the option
 * `signal` of `addEventListener` fails to if memory was collected meanwhile.
 */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  otherwise: () => T,
): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<T>((resolve) => {
    abort = () => resolve(otherwise());
  });
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Each database listens to these signals, and there may be hundreds: Node.js is not to call that a leak. */
export const sharedByDatabases = (...signals: readonly AbortSignal[]): void => setMaxListeners(0, ...signals);

/** A signal that is aborted `ms` after another one. Its timer keeps no process alive. */
export function abortedAfter(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  const start = () => void setTimeout(() => controller.abort(), ms).unref();
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  return controller.signal;
}
