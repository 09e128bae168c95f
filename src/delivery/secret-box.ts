import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const SECRETS_KEY_FILE = 'secrets.key';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;
const VERSION = 1;
const HEAD_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/** None of this instance's keys opens the secret. */
export class SealedByOtherKey extends Error {
  override readonly name = 'SealedByOtherKey';
}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts secrets for the database with AES-256-GCM. Each secret is bound to its owner, so a sealed text that was
 * moved to another row does not open. Sealed form: version (1 byte), key id (4), nonce (12), tag (16), encrypted text.
 */
export class SecretBox {
  /** @param keys the first key seals; every key opens */
  constructor(private readonly keys: readonly [Key, ...Key[]]) {}

  get keyId(): string {
    return this.keys[0].id;
  }

  seal(text: string, belongsTo: string): Buffer {
    const [key] = this.keys;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(belongsTo));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([
      ...[Buffer.of(VERSION), Buffer.from(key.id, 'hex'), nonce, cipher.getAuthTag(), sealed],
    ]);
  }

  /** @throws SealedByOtherKey; Error when the text was changed or belongs to something else */
  open(sealed: Buffer, belongsTo: string): string {
    const keyId = sealed.toString('hex', 1, 1 + KEY_ID_BYTES);
    const key = this.keys.find(({ id }) => id === keyId);
    if (!key)
      throw new SealedByOtherKey(`the secrets are sealed by the key ${keyId}, which is not in the key file`);
    const nonce = sealed.subarray(1 + KEY_ID_BYTES, HEAD_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, nonce)
      .setAAD(Buffer.from(belongsTo))
      .setAuthTag(sealed.subarray(HEAD_BYTES, HEAD_BYTES + TAG_BYTES));
    const open = [decipher.update(sealed.subarray(HEAD_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(open).toString('utf8');
  }

  /** Whether one of the keys sealed the text. */
  opens(sealed: Buffer): boolean {
    return this.keys.some(({ id }) => id === sealed.toString('hex', 1, 1 + KEY_ID_BYTES));
  }

  /** Whether a key other than the first one sealed the text. */
  isOld = (sealed: Buffer): boolean => sealed.toString('hex', 1, 1 + KEY_ID_BYTES) !== this.keyId;
}

/**
 * Loads the keys of a file: one key a line, in base64. Lines that begin with # are notes. The file in the data folder
 * is made (mode 0600) at the first start. A file that several instances share must exist.
 * @throws Error that names the file
 */
export async function loadSecretBox(dataDir: string, sharedFile: string | null): Promise<SecretBox> {
  const file = sharedFile ?? path.join(dataDir, SECRETS_KEY_FILE);
  if (sharedFile === null) await createUnlessThere(file);
  const refuse = (reason = ''): never => {
    throw new Error(
      `${file} does not hold keys for secrets (${KEY_BYTES} bytes in base64, one a line)${reason && `: ${reason}`}`,
    );
  };
  const text = await readFile(file, 'utf8').catch((error: Error) => refuse(error.message));
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => Buffer.from(line, 'base64'));
  const [first, ...others] = keys.map((bytes) => ({ id: idOf(bytes), bytes }));
  if (!first || keys.some((key) => key.length !== KEY_BYTES)) return refuse();
  return new SecretBox([first, ...others]);
}

const idOf = (key: Buffer) =>
  createHash('sha256')
    .update('audit-activity secrets key')
    .update(key)
    .digest('hex')
    .slice(0, KEY_ID_BYTES * 2);

async function createUnlessThere(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
    // Instances that share a folder may start at once. The first to link wins, and no other instance reads half a file.
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
