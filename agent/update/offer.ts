import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { isPackageVersion, manifestOf, SHA256, SIGNATURE, WINDOW } from '../../src/event/agent-package';
import { LIMITS } from '../../src/limits';

/** What is signed of a package, and what was said with it. It is kept too, so it has no other values. */
export const signedPackage = z.object({
  version: z.string().refine(isPackageVersion),
  build: z.int().min(0),
  size: z.int().min(1).max(LIMITS.agentPackageBytesMax),
  sha256: z.string().regex(SHA256),
  signature: z.string().regex(SIGNATURE),
  allowsOlder: z.boolean(),
});
export type SignedPackage = Readonly<z.infer<typeof signedPackage>>;

/** A package that the service offers. */
export const offer = signedPackage.extend({
  packageId: z.string().max(100),
  /** When it may begin to run, in local time. Null: at any time. */
  window: z
    .string()
    .regex(WINDOW)
    .nullish()
    .transform((window) => window ?? null),
});
export type Offer = Readonly<z.infer<typeof offer>>;

/** In the answer to a report; undefined: the service does not say, or says nothing that an agent understands. */
export const offerAnswer = z.object({ package: offer.nullish().catch(undefined) });

/** @param base64 a public key (SPKI, DER); the lines of a PEM file are this @throws if it is no Ed25519 key */
export function publicKeyOf(base64: string): KeyObject {
  const der = Buffer.from(base64.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an Ed25519 key');
  return key;
}

/** Whether the owner of a key has signed exactly this package. */
export function isSigned(given: SignedPackage, publicKey: string): boolean {
  try {
    const signature = Buffer.from(given.signature, 'base64');
    return verify(null, Buffer.from(manifestOf(given)), publicKeyOf(publicKey), signature);
  } catch {
    // The key is none: the configuration was read before with another one.
    return false;
  }
}
