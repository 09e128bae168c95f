import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';

/** The name of the signer in every note. */
const NAME = 'audit-activity';
/** The kinds of keys in signed notes, by their numbers: of a log, and of a witness (Ed25519 both). */
export const KEY_KINDS = { log: 1, witness: 4 } as const;
type KeyKind = keyof typeof KEY_KINDS;
const RAW_KEY_BYTES = 32;
const PEM = /-----BEGIN ([^-]+)-----[\s\S]*?-----END \1-----/g;
const MAC_CONTEXT = 'audit-activity evidence log';

export interface NoteSigner {
  readonly name: string;
  /** 32 bytes. */
  readonly publicKey: Buffer;
  sign(text: string): Buffer;
}

/** The key that signs checkpoints and authenticates leaves that wait for the log. It is never in the database. */
export class CheckpointKey implements NoteSigner {
  readonly name = NAME;
  readonly publicKey: Buffer;
  /** 8 hexadecimal digits. */
  readonly keyId: string;
  /** The public key in the form for verifiers: name, key id, and the key in Base64. */
  readonly verifierKey: string;
  readonly #privateKey: KeyObject;
  readonly #macKey: Buffer;

  private constructor(privateKey: KeyObject) {
    const { x = '' } = privateKey.export({ format: 'jwk' });
    this.#privateKey = privateKey;
    this.#macKey = this.derive(MAC_CONTEXT);
    this.publicKey = Buffer.from(x, 'base64url');
    this.keyId = hashOfKeyName(this.publicKey).toString('hex');
    this.verifierKey = verifierKeyOf(this.publicKey);
  }

  /** @param text of a key file, with one key or more @throws Error when one is no Ed25519 private key */
  static allOf(text: string): readonly [CheckpointKey, ...CheckpointKey[]] {
    const [first = text, ...others] = text.match(PEM) ?? [];
    const keys = [first, ...others].map((pem) => CheckpointKey.ofPem(pem));
    return keys as [CheckpointKey, ...CheckpointKey[]];
  }

  /** @param pem PKCS #8; the first key of a text counts @throws Error when it is no Ed25519 private key */
  static ofPem(pem: string): CheckpointKey {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an Ed25519 key');
    return new CheckpointKey(key);
  }

  /** A secret of 32 bytes for another purpose. The same key always gives the same secret. */
  derive(purpose: string): Buffer {
    const { d = '' } = this.#privateKey.export({ format: 'jwk' });
    return Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', purpose, 32));
  }

  sign(text: string): Buffer {
    return sign(null, Buffer.from(text), this.#privateKey);
  }

  /** HMAC-SHA-256 of data that this service itself puts into the database. */
  mac(...parts: readonly (string | Buffer)[]): Buffer {
    const mac = createHmac('sha256', this.#macKey);
    for (const part of parts) {
      mac.update(`${part.length}\n`);
      mac.update(part);
    }
    return mac.digest();
  }
}

/** A new key, as the text of its file. */
export const newCheckpointKeyPem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** The hash by which a note names its key: the first 4 bytes of a hash over name, kind and key. */
export const hashOfKeyName = (publicKey: Buffer, name = NAME, kind: KeyKind = 'log'): Buffer =>
  createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.of(KEY_KINDS[kind]))
    .update(publicKey)
    .digest()
    .subarray(0, 4);

/** A public key in the form for verifiers: name, key id, and the key in Base64. */
export function verifierKeyOf(publicKey: Buffer, name = NAME, kind: KeyKind = 'log'): string {
  const typed = Buffer.concat([Buffer.of(KEY_KINDS[kind]), publicKey]);
  return `${name}+${hashOfKeyName(publicKey, name, kind).toString('hex')}+${typed.toString('base64')}`;
}

interface VerifierKey {
  readonly name: string;
  readonly hash: Buffer;
  /** 32 bytes. */
  readonly publicKey: Buffer;
  verify(text: string, signature: Buffer): boolean;
}

const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const NOT_A_KEY: Readonly<Record<KeyKind, string>> = {
  log: 'it is not a public key as `audit-activity verify --show-key` prints it',
  witness: 'it is not a public key as `audit-activity witness --show-key` prints it',
};

/** @throws Error when the text is no key of that kind */
export function readVerifierKey(text: string, kind: KeyKind = 'log'): VerifierKey {
  const [, name = '', id = '', base64 = ''] = VERIFIER_KEY.exec(text.trim()) ?? [];
  const typed = Buffer.from(base64, 'base64');
  const publicKey = typed.subarray(1);
  const hash = hashOfKeyName(publicKey, name, kind);
  if (typed[0] !== KEY_KINDS[kind] || publicKey.length !== RAW_KEY_BYTES || hash.toString('hex') !== id)
    throw new Error(NOT_A_KEY[kind]);
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
    format: 'jwk',
  });
  return {
    name,
    hash,
    publicKey,
    verify: (body, signature) => verify(null, Buffer.from(body), key, signature),
  };
}
