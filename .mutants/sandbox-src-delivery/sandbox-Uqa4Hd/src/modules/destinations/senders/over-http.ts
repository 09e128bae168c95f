import type { GuardedHttp } from '../../../delivery/guarded-http';
import { failed, type Outcome } from '../../../delivery/outcome';
import type { Batch } from '../batch';
import type { Sender } from '../runner';

/** Makes a sender of a function that makes requests. An exception becomes a failure. */
export const overHttp = (
  http: GuardedHttp,
  send: (batch: Batch, signal: AbortSignal) => Promise<Outcome>,
): Sender => ({
  send: (batch, signal) => send(batch, signal).catch((error: unknown) => failed(reasonOf(error))),
  close: () => http.close(),
});

/** If all addresses of a name fail, the error has a code and no message. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
