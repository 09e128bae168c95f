import { newSigningSecret, publicKeyOf, type SignatureVersion } from '../../delivery/standard-webhooks';
import type { CheckedRequest } from './destination-request';
import type { SigningSecret, StoredSecrets } from './types';

export interface ShownSecret {
  /** Null if nobody may see it. */
  readonly secret: string | null;
  readonly publicKey: string | null;
}

const NO_SECRET: ShownSecret = { secret: null, publicKey: null };

export const shownOf = (signing: string | null): ShownSecret => {
  if (signing === null) return NO_SECRET;
  const publicKey = publicKeyOf(signing);
  return { secret: publicKey === null ? signing : null, publicKey };
};

/** The secrets of a new destination. A webhook gets one to sign with. */
export function secretsOfNew({ type, url, settings, secrets }: CheckedRequest) {
  const signing = type === 'webhook' ? newSigningSecret(settings.signature as SignatureVersion) : null;
  const stored: StoredSecrets = {
    ...secrets,
    ...(url.search !== '' && { query: url.search }),
    ...(signing !== null && { signing: [{ secret: signing }] }),
  };
  return { signing, stored };
}

const SIGNING_MAX = 3;

/** The previous secrets, each of which signs at most until the given time. */
export function ending(signing: readonly SigningSecret[], at: Date, nowMs: number): SigningSecret[] {
  return signing
    .filter(({ until }) => until === undefined || Date.parse(until) > nowMs)
    .map(({ secret, until }) => ({
      secret,
      until: until && until < at.toISOString() ? until : at.toISOString(),
    }))
    .slice(0, SIGNING_MAX - 1);
}
