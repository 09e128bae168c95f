import { hashOfKeyName, type NoteSigner, readVerifierKey } from './note-key';

const SIGNATURE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/;
const KEY_HASH_BYTES = 4;
const SIGNATURE_BYTES = 64;

/** A signed note (C2SP: signed-note): a text of lines, an empty line, and a signature over the text. */
export function signed(body: string, signer: NoteSigner): string {
  const signature = Buffer.concat([hashOfKeyName(signer.publicKey), signer.sign(body)]).toString('base64');
  return `${body}\n— ${signer.name} ${signature}\n`;
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
  const signatures = signaturesOf(lines).filter(({ bytes }) => bytes.length === SIGNATURE_BYTES);
  const keys = verifierKeys.map((key) => readVerifierKey(key));
  for (const { name, hash, bytes } of signatures) {
    const key = keys.find((one) => one.name === name && one.hash.equals(hash));
    if (key) return key.verify(body, bytes) ? { keyId: hash.toString('hex'), isTrusted: true } : null;
  }
  const [first] = signatures;
  return first ? { keyId: first.hash.toString('hex'), isTrusted: false } : null;
}

/** A signature line: the name of its key, the hash of name and key, and the signature. */
interface SignatureLine {
  readonly name: string;
  readonly hash: Buffer;
  readonly bytes: Buffer;
}

/** @returns the lines that have the form of a signature */
export const signaturesOf = (lines: readonly string[]): SignatureLine[] =>
  lines.flatMap((line) => {
    const [, name, text = ''] = SIGNATURE.exec(line) ?? [];
    const bytes = Buffer.from(text, 'base64');
    return name === undefined || bytes.length <= KEY_HASH_BYTES
      ? []
      : [{ name, hash: bytes.subarray(0, KEY_HASH_BYTES), bytes: bytes.subarray(KEY_HASH_BYTES) }];
  });

/** Splits a note into its text, with the line end, and its signature lines. */
export function splitNote(note: string): [string, string[]] {
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
