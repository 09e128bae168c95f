import { fromBase64, hexOf, isSame, utf8 } from './bytes';

/** What a verifier computes with: Node.js has it, and a page brings it along. */
export interface Crypto {
  /** A hash while bytes are added to it. */
  readonly sha256: () => { update(bytes: Uint8Array): unknown; digest(): Uint8Array };
  /** An Ed25519 signature. @param publicKey 32 bytes */
  readonly verify: (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;
}

export function sha256Of(crypto: Crypto, ...parts: readonly Uint8Array[]): Uint8Array {
  const hash = crypto.sha256();
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export interface PublicKey {
  readonly name: string;
  /** 4 bytes. */
  readonly id: Uint8Array;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

const KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)\s*$/;
const ED25519 = 1;
const [ID_BYTES, KEY_BYTES, SIGNATURE_BYTES] = [4, 32, 64];

/** @param text as `audit-activity verify --show-key` prints it @returns null: it is no such key */
export function publicKeyOf(text: string, crypto: Crypto): PublicKey | null {
  const [, name = '', id = '', base64 = ''] = KEY.exec(text) ?? [];
  const typed = fromBase64(base64);
  if (typed?.[0] !== ED25519 || typed.length !== 1 + KEY_BYTES) return null;
  const own = sha256Of(crypto, utf8(`${name}\n`), typed).subarray(0, ID_BYTES);
  return hexOf(own) === id ? { name, id: own, bytes: typed.subarray(1) } : null;
}

const SIGNATURE = /^\u2014 (\S+) ([A-Za-z0-9+/]+={0,2})$/;

/** A signed note (C2SP: signed-note): its text with the line end, and its lines of signatures. */
export function splitNote(note: string): { readonly body: string; readonly lines: readonly string[] } {
  const end = note.indexOf('\n\n');
  if (end < 0) return { body: '', lines: [] };
  const lines = note.slice(end + 2).split('\n');
  return { body: note.slice(0, end + 1), lines: lines.slice(0, -1) };
}

/**
 * Whether one of the keys has signed a note. Lines of other signers, such as those of witnesses, are passed over.
 * @returns the text of the note; null: none of them has
 */
export function signedBody(note: string, keys: readonly PublicKey[], crypto: Crypto): string | null {
  const { body, lines } = splitNote(note);
  const isSigned = lines.some((line) => {
    const [, name = '', base64 = ''] = SIGNATURE.exec(line) ?? [];
    const bytes = fromBase64(base64);
    if (bytes?.length !== ID_BYTES + SIGNATURE_BYTES) return false;
    const key = keys.find((one) => one.name === name && isSame(one.id, bytes.subarray(0, ID_BYTES)));
    return key !== undefined && crypto.verify(bytes.subarray(ID_BYTES), utf8(body), key.bytes);
  });
  return isSigned ? body : null;
}

export interface CheckpointText {
  readonly tenantId: string;
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
  readonly number: number;
  readonly time: string;
}

const CHECKPOINT =
  /^audit-activity\/tenant-([1-9]\d{0,9})\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\nnumber ([1-9]\d{0,9})\ntime (\S+)\n/;

/** @returns null: the text is no checkpoint */
export function checkpointIn(body: string): CheckpointText | null {
  const [, tenantId = '', size, base64 = '', number, time = ''] = CHECKPOINT.exec(body) ?? [];
  const root = fromBase64(base64);
  return root?.length === KEY_BYTES
    ? { tenantId, size: Number(size), root, number: Number(number), time }
    : null;
}

const PAIR = Uint8Array.of(1);
const LEAF = Uint8Array.of(0);

export const pairHash =
  (crypto: Crypto) =>
  (left: Uint8Array, right: Uint8Array): Uint8Array =>
    sha256Of(crypto, PAIR, left, right);

export const leafHash = (crypto: Crypto, entry: Uint8Array): Uint8Array => sha256Of(crypto, LEAF, entry);
