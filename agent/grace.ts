/** A signal that is aborted `ms` after another one. It keeps no process alive. */
export function abortedAfter(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  const start = () => void setTimeout(() => controller.abort(), ms).unref();
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  return controller.signal;
}
