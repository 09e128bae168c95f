import { HASH_BYTES } from '../../store/log/evidence/merkle';
import { hashOfKeyName, type NoteSigner, readVerifierKey } from '../../store/log/evidence/note-key';

/** A statement of the size and root of a tenant's log at a time. */
export interface Checkpoint {
  readonly tenantId: number;
  /** The number of entries. */
  readonly size: number;
  /** The root of the tree of these entries; 32 bytes. */
  readonly root: Buffer;
  /** 1, 2, 3, …; a removed checkpoint leaves a hole. */
  readonly number: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly time: string;
}

const ORIGIN = /^audit-activity\/tenant-([1-9]\d{0,9})$/;
const originOf = (tenantId: number) => `audit-activity/tenant-${tenantId}`;
const BODY =
  /^(\S+)\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\nnumber ([1-9]\d{0,9})\ntime (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/;
const SIGNATURE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/;
const KEY_HASH_BYTES = 4;
const SIGNATURE_BYTES = 64;

/**
 * Writes a checkpoint as text, in the form of the transparency logs' signed notes (C2SP: signed-note and
 * tlog-checkpoint): origin, size, root in Base64, number and time, an empty line, and a signature over all lines before
 * it.
 */
export function signedNote(checkpoint: Checkpoint, signer: NoteSigner): string {
  const { tenantId, size, root, number, time } = checkpoint;
  const body = `${originOf(tenantId)}\n${size}\n${root.toString('base64')}\nnumber ${number}\ntime ${time}\n`;
  const signature = Buffer.concat([hashOfKeyName(signer.publicKey), signer.sign(body)]).toString('base64');
  return `${body}\n— ${signer.name} ${signature}\n`;
}

/** @returns the checkpoint of a note, without a check of its signature; null if the text is no checkpoint */
export function parseNote(note: string): Checkpoint | null {
  const [body = ''] = splitNote(note);
  const [, origin = '', size, root = '', number, time = ''] = BODY.exec(body) ?? [];
  const [, tenantId] = ORIGIN.exec(origin) ?? [];
  const hash = Buffer.from(root, 'base64');
  if (tenantId === undefined || hash.length !== HASH_BYTES) return null;
  return { tenantId: Number(tenantId), size: Number(size), root: hash, number: Number(number), time };
}

/** Whether one of the note's signatures was made with this key. @param verifierKey as the service shows it */
export const isSignedBy = (verifierKey: string, note: string): boolean =>
  signerOf(note, [verifierKey])?.isTrusted === true;

/**
 * The key of a note, by its id (8 digits). A note of an unknown key cannot be checked.
 * @param verifierKeys the trusted keys, as the service shows them
 * @returns null: it has no signature, or one that names a trusted key and is not of that key
 */
export function signerOf(
  note: string,
  verifierKeys: readonly string[],
): { readonly keyId: string; readonly isTrusted: boolean } | null {
  const [body, lines] = splitNote(note);
  const signatures = lines.flatMap((line) => {
    const [, name, text = ''] = SIGNATURE.exec(line) ?? [];
    const bytes = Buffer.from(text, 'base64');
    const [hash, signature] = [bytes.subarray(0, KEY_HASH_BYTES), bytes.subarray(KEY_HASH_BYTES)];
    return name === undefined || signature.length !== SIGNATURE_BYTES ? [] : [{ name, hash, signature }];
  });
  const keys = verifierKeys.map(readVerifierKey);
  for (const { name, hash, signature } of signatures) {
    const key = keys.find((one) => one.name === name && one.hash.equals(hash));
    if (key) return key.verify(body, signature) ? { keyId: hash.toString('hex'), isTrusted: true } : null;
  }
  const [first] = signatures;
  return first ? { keyId: first.hash.toString('hex'), isTrusted: false } : null;
}

/** Splits a note into its text, with the line end, and its signature lines. */
function splitNote(note: string): [string, string[]] {
  const end = note.indexOf('\n\n');
  return end < 0
    ? ['', []]
    : [
        note.slice(0, end + 1),
        note
          .slice(end + 2)
          .split('\n')
          .slice(0, -1),
      ];
}
