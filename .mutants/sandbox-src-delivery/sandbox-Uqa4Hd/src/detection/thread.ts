import { parentPort } from 'node:worker_threads';
import { LocalHost } from './host';
import type { Question, Reply } from './thread-host';

/** Engines run on this thread. It answers one question after the other. */
const host = new LocalHost();

parentPort?.on('message', ({ id, method, values }: Question) => {
  const answer = (reply: Omit<Reply, 'id'>) => parentPort?.postMessage({ id, ...reply });
  // The other side took the arguments from the type of the method of this name, so they fit.
  const call = host[method] as (...given: readonly unknown[]) => Promise<unknown>;
  call.apply(host, values as unknown[]).then(
    (value) => answer({ value }),
    (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});
