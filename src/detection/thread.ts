import { parentPort } from 'node:worker_threads';
import { LocalHost } from './host';
import type { Question, Reply } from './thread-host';

/** The thread on which engines run: answers questions one after the other. */
const host = new LocalHost();

parentPort?.on('message', ({ id, method, values }: Question) => {
  const answer = (reply: Omit<Reply, 'id'>) => parentPort?.postMessage({ id, ...reply });
  // The arguments are those of the method of the same name, which the other side gave it by its type.
  const call = host[method] as (...given: readonly unknown[]) => Promise<unknown>;
  call.apply(host, values as unknown[]).then(
    (value) => answer({ value }),
    (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});
