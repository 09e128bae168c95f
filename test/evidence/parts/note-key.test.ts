import {
  CheckpointKey,
  newCheckpointKeyPem,
  readVerifierKey,
  verifierKeyOf,
} from '../../../src/store/log/evidence/note-key';

describe('a public key for verifiers', () => {
  const publicKey = Buffer.alloc(32, 7);
  const { publicKey: ours } = readVerifierKey(CheckpointKey.allOf(newCheckpointKeyPem())[0].verifierKey);

  it('is read as it was written, of a log and of a witness, also with spaces around it', () => {
    for (const kind of ['log', 'witness'] as const) {
      const read = readVerifierKey(` ${verifierKeyOf(publicKey, 'example.org/w', kind)}\n`, kind);
      expect([read.name, read.publicKey]).toEqual(['example.org/w', publicKey]);
    }
    expect(ours).toHaveLength(32);
  });

  it.each([
    ['of a witness, where a log is asked for', verifierKeyOf(publicKey, 'a', 'witness')],
    ['of 31 bytes', verifierKeyOf(publicKey.subarray(1), 'a')],
    ['of 33 bytes', verifierKeyOf(Buffer.alloc(33, 7), 'a')],
    ['under another name', verifierKeyOf(publicKey, 'a').replace('a+', 'b+')],
    ['with another key behind its id', verifierKeyOf(publicKey, 'a').replace(/[^+]+$/, () => 'A'.repeat(44))],
    ['no key', 'x'],
    ['empty', ''],
  ])('is refused if it is %s', (_, text) => {
    expect(() => readVerifierKey(text)).toThrow('--show-key');
  });
});
