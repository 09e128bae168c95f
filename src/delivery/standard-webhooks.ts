import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

/**
 * Signatures of Standard Webhooks 1.0.0 (https://www.standardwebhooks.com): `v1` by a shared secret, `v1a` by a key
 * pair.
 */
export const SIGNATURES = ['v1', 'v1a'] as const;
export type SignatureVersion = (typeof SIGNATURES)[number];

const SECRET_PREFIX = 'whsec_';
const PRIVATE_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
/** The specification asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;
/** The bytes that stand before an Ed25519 key's 32 bytes in PKCS #8. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519_BYTES = 32;

/** A new secret: `whsec_` (v1) or `whsk_` (v1a). */
export function newSigningSecret(version: SignatureVersion): string {
  if (version === 'v1') return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  const { privateKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  return PRIVATE_PREFIX + der.subarray(-ED25519_BYTES).toString('base64');
}

/** The public key `whpk_…` by which receivers verify signatures of a `whsk_` secret; null: the secret is shared. */
export function publicKeyOf(secret: string): string | null {
  if (!secret.startsWith(PRIVATE_PREFIX)) return null;
  const { x = '' } = createPublicKey(privateKeyOf(secret)).export({ format: 'jwk' });
  return PUBLIC_PREFIX + Buffer.from(x, 'base64url').toString('base64');
}

const privateKeys = new Map<string, KeyObject>();
const PRIVATE_KEYS_MAX = 1_000;

function privateKeyOf(secret: string): KeyObject {
  const known = privateKeys.get(secret);
  if (known) return known;
  if (privateKeys.size >= PRIVATE_KEYS_MAX) privateKeys.clear();
  const raw = Buffer.from(secret.slice(PRIVATE_PREFIX.length), 'base64');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, raw]), format: 'der', type: 'pkcs8' });
  privateKeys.set(secret, key);
  return key;
}

/**
 * The three headers of a message.
 * @param secrets each one signs; during a rotation these are the new secret and the one before it
 */
export function signedHeaders(
  id: string,
  at: Date,
  body: Buffer,
  secrets: readonly string[],
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const head = Buffer.from(`${id}.${timestamp}.`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureBy(secret, head, body)).join(' '),
  };
}

function signatureBy(secret: string, head: Buffer, body: Buffer): string {
  if (secret.startsWith(PRIVATE_PREFIX)) {
    const signature = sign(null, Buffer.concat([head, body]), privateKeyOf(secret));
    return `v1a,${signature.toString('base64')}`;
  }
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
}
