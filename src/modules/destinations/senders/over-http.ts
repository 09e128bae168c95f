import type { GuardedHttp } from '../../../delivery/guarded-http';
import { failed, type Outcome } from '../../../delivery/outcome';
import type { Batch } from '../batch';
import type { Sender } from '../runner';

/** A sender of requests: what is thrown on the way is a failure. */
export const overHttp = (
  http: GuardedHttp,
  send: (batch: Batch, signal: AbortSignal) => Promise<Outcome>,
): Sender => ({
  send: (batch, signal) => send(batch, signal).catch((error: unknown) => failed(reasonOf(error))),
  close: () => http.close(),
});

/** Where a name has several addresses, the error has a code and no message. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
