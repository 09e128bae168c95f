import type { GuardedHttp } from '../../../delivery/guarded-http';
import { failureOf, type Outcome } from '../../../delivery/outcome';
import type { Batch } from '../batch';
import type { Sender } from '../runner';

/** Makes a sender of a function that makes requests. An exception becomes a failure. */
export const overHttp = (
  http: GuardedHttp,
  send: (batch: Batch, signal: AbortSignal) => Promise<Outcome>,
): Sender => ({
  send: (batch, signal) => send(batch, signal).catch(failureOf),
  close: () => http.close(),
});
