import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { hashOfKeyName, readVerifierKey, verifierKeyOf } from './note-key';
import { signaturesOf, splitNote } from './signed-note';

/**
 * Cosignatures of checkpoints (C2SP: tlog-cosignature, Ed25519). With one, a witness states that it saw no larger
 * checkpoint of the log until then, and that this one goes on from the last one it saw.
 */
const TIME_BYTES = 8;
const COSIGNATURE_BYTES = TIME_BYTES + 64;
/** A name of a key has neither white space nor a plus sign. */
const NAME = /^[^\s+]{1,200}$/;

const textToSign = (body: string, seconds: bigint) => `cosignature/v1\ntime ${seconds}\n${body}`;

/** The key by which a witness signs. */
export class WitnessKey {
  readonly name: string;
  readonly verifierKey: string;
  readonly #privateKey: KeyObject;
  readonly #hash: Buffer;

  /** @param pem Ed25519, PKCS #8 @throws Error when it is no such key, or no such name */
  constructor(name: string, pem: string) {
    if (!NAME.test(name))
      throw new Error('the name must have 1 to 200 characters, without white space and without +');
    const privateKey = createPrivateKey(pem);
    if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('it is not an Ed25519 key');
    const publicKey = Buffer.from(privateKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    this.name = name;
    this.#privateKey = privateKey;
    this.#hash = hashOfKeyName(publicKey, name, 'witness');
    this.verifierKey = verifierKeyOf(publicKey, name, 'witness');
  }

  /** @param body of a checkpoint, with its last line end @returns a signature line, with its line end */
  cosign(body: string, at: Date): string {
    const seconds = BigInt(Math.floor(at.getTime() / 1_000));
    const time = Buffer.alloc(TIME_BYTES);
    time.writeBigUInt64BE(seconds);
    const signature = sign(null, Buffer.from(textToSign(body, seconds)), this.#privateKey);
    return `— ${this.name} ${Buffer.concat([this.#hash, time, signature]).toString('base64')}\n`;
  }
}

/** A new key, as PEM. */
export const newWitnessKeyPem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A witness, as those know it who verify what it signs. */
export interface KnownWitness {
  readonly name: string;
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** What every signature line of this key begins with. */
  readonly linePrefix: string;
  /** @returns the witness's line among the note's signatures, with its line end; null: it has none that is sound */
  lineIn(note: string): string | null;
}

/** Characters of Base64 that the hash of the key alone decides. */
const PREFIX_CHARS = 5;

/** @param verifierKey as `audit-activity witness --show-key` prints it @throws Error */
export function readWitnessKey(verifierKey: string): KnownWitness {
  const { name, hash, publicKey, verify } = readVerifierKey(verifierKey, 'witness');
  return {
    name,
    publicKey,
    linePrefix: `— ${name} ${hash.toString('base64').slice(0, PREFIX_CHARS)}`,
    lineIn: (note) => {
      const [body, lines] = splitNote(note);
      const sound = signaturesOf(lines).find((one) => {
        if (one.name !== name || !one.hash.equals(hash) || one.bytes.length !== COSIGNATURE_BYTES)
          return false;
        const seconds = one.bytes.readBigUInt64BE();
        return verify(textToSign(body, seconds), one.bytes.subarray(TIME_BYTES));
      });
      return sound ? `— ${name} ${Buffer.concat([sound.hash, sound.bytes]).toString('base64')}\n` : null;
    },
  };
}
