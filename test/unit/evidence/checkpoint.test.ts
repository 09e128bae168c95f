import { createPublicKey, verify } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { isSignedBy, parseNote, signedNote } from '../../../src/evidence/checkpoint';
import { CHECKPOINT_KEY_FILE, loadCheckpointKey } from '../../../src/evidence/checkpoint-key-file';
import { CheckpointFiles } from '../../../src/evidence/checkpoint-memory';
import { CheckpointKey, newCheckpointKeyPem } from '../../../src/evidence/note-key';
import { temporaryFolder } from '../../support/engines';
import { KEY } from './log-copies';

const OTHER = CheckpointKey.ofPem(newCheckpointKeyPem());
const CHECKPOINT = {
  ...{ tenantId: 7, size: 12, root: Buffer.alloc(32, 9), number: 3 },
  time: '2026-01-05T08:00:00.123Z',
};

describe('a checkpoint', () => {
  it('is a signed note that any implementation of them can read', () => {
    const note = signedNote(CHECKPOINT, KEY);
    const [body = '', signatures = ''] = note.split('\n\n');
    expect(body).toBe(
      `audit-activity/tenant-7\n12\n${CHECKPOINT.root.toString('base64')}\nnumber 3\ntime 2026-01-05T08:00:00.123Z`,
    );
    const [dash, name, base64 = ''] = signatures.trim().split(' ');
    expect([dash, name]).toEqual(['—', 'audit-activity']);
    const bytes = Buffer.from(base64, 'base64');
    const [, keyId, publicKey = ''] = /^[^+]+\+(\w+)\+(.+)$/.exec(KEY.verifierKey) ?? [];
    expect(bytes.subarray(0, 4).toString('hex')).toBe(keyId);
    const raw = Buffer.from(publicKey, 'base64').subarray(1);
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
      format: 'jwk',
    });
    expect(verify(null, Buffer.from(`${body}\n`), key, bytes.subarray(4))).toBe(true);
  });

  it('is read as it was signed, by its key and no other', () => {
    const note = signedNote(CHECKPOINT, KEY);
    expect(parseNote(note)).toEqual(CHECKPOINT);
    expect(isSignedBy(KEY.verifierKey, note)).toBe(true);
    expect(isSignedBy(OTHER.verifierKey, note)).toBe(false);
  });

  it('is not signed any more once any character of it is another', () => {
    const note = signedNote(CHECKPOINT, KEY);
    const end = note.trimEnd().length - 1;
    fc.assert(
      fc.property(fc.nat(end), fc.constantFrom('0', 'A', '\n', '='), (at, other) => {
        fc.pre(note[at] !== other);
        // The last characters of Base64 have bits that say nothing.
        fc.pre(at < end - 2);
        expect(isSignedBy(KEY.verifierKey, note.slice(0, at) + other + note.slice(at + 1))).toBe(false);
      }),
    );
  });

  it.each(['', 'x', 'a\n1\n\n— b c', signedNote(CHECKPOINT, KEY).replace('tenant-7', 'tenant-0')])(
    'is not read from other texts: %j',
    (text) => {
      expect(parseNote(text)).toBeNull();
    },
  );

  it.each(['', 'audit-activity+00000000+AAAA', `${KEY.verifierKey.slice(0, -4)}AAA=`])(
    'is not verified with what is no key: %j',
    (key) => {
      expect(() => isSignedBy(key, signedNote(CHECKPOINT, KEY))).toThrow('it is not a public key');
    },
  );
});

describe('the checkpoint key', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is made at the first start, for its owner alone, and stays the same', async () => {
    const dataDir = path.join(folder, 'new');
    const keys = await Promise.all([1, 2, 3].map(() => loadCheckpointKey(dataDir, null)));
    expect(new Set(keys.map(({ verifierKey }) => verifierKey)).size).toBe(1);
    expect(await readdir(dataDir)).toEqual([CHECKPOINT_KEY_FILE]);
    expect((await stat(path.join(dataDir, CHECKPOINT_KEY_FILE))).mode & 0o777).toBe(0o600);
  });

  it('is that of the file that instances share, and none is made there', async () => {
    const shared = path.join(folder, 'shared.key');
    await expect(loadCheckpointKey(folder, shared)).rejects.toThrow(
      `${shared} does not hold a checkpoint key`,
    );
    await writeFile(shared, newCheckpointKeyPem());
    const [a, b] = await Promise.all([
      loadCheckpointKey(folder, shared),
      loadCheckpointKey('elsewhere', shared),
    ]);
    expect(a.verifierKey).toBe(b.verifierKey);
    expect(await readdir(folder)).toEqual(['shared.key']);
    await writeFile(shared, 'not a key');
    await chmod(shared, 0o600);
    await expect(loadCheckpointKey(folder, shared)).rejects.toThrow('does not hold a checkpoint key');
  });

  it('authenticates what it was given, part by part', () => {
    expect(KEY.mac('a', 'bc')).toEqual(KEY.mac('a', 'bc'));
    for (const other of [KEY.mac('ab', 'c'), KEY.mac('abc'), KEY.mac('a', 'bd'), OTHER.mac('a', 'bc')])
      expect(other).not.toEqual(KEY.mac('a', 'bc'));
  });

  it('remembers its last checkpoint of a tenant over a restart, and takes no other for it', async () => {
    const note = signedNote(CHECKPOINT, KEY);
    await new CheckpointFiles(folder, KEY.verifierKey).remember(7, note);
    expect(await new CheckpointFiles(folder, KEY.verifierKey).last(7)).toEqual(CHECKPOINT);
    expect(await new CheckpointFiles(folder, KEY.verifierKey).last(8)).toBeNull();
    expect(await new CheckpointFiles(folder, OTHER.verifierKey).last(7)).toBeNull();
    expect(await readFile(path.join(folder, 'checkpoints/tenant-7'), 'utf8')).toBe(note);
    await mkdir(path.join(folder, 'checkpoints/tenant-9'));
    await expect(new CheckpointFiles(folder, KEY.verifierKey).last(9)).rejects.toThrow('EISDIR');
  });
});
