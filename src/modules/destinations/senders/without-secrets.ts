import { secretBlanker } from '../../../delivery/blank-secrets';
import type { Outcome } from '../../../delivery/outcome';
import type { Sender } from '../runner';
import type { StoredSecrets } from '../types';

/** A sender whose outcomes hold none of its secrets, and texts that can be stored and shown. */
export function withoutSecrets(sender: Sender, secrets: StoredSecrets): Sender {
  const blank = secretBlanker(textsOf(secrets));
  const shown = <T extends { readonly message: string }>(one: T): T => ({
    ...one,
    message: blank(one.message),
  });
  const shownOutcome = (outcome: Outcome): Outcome => {
    if (outcome.kind !== 'accepted') return shown(outcome);
    return outcome.refused ? { ...outcome, refused: outcome.refused.map(shown) } : outcome;
  };
  const { put } = sender;
  return {
    ...(put && { put: async (...file: Parameters<typeof put>) => shownOutcome(await put(...file)) }),
    send: async (batch, signal) => shownOutcome(await sender.send(batch, signal)),
    close: () => sender.close(),
  };
}

/** Every text within, except certificates and their keys, which no request holds. */
const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return value.startsWith('-----BEGIN ') ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
};
