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
