import { createPublicKey, verify } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { LIMITS } from '../../../src/limits';
import { parseNote, signedNote } from '../../../src/modules/evidence/checkpoint';
import { CHECKPOINT_KEY_FILE, loadCheckpointKeys } from '../../../src/modules/evidence/checkpoint-key-file';
import { CheckpointFiles } from '../../../src/modules/evidence/checkpoint-memory';
import { LogEnds } from '../../../src/modules/evidence/log-ends';
import { CheckpointKey, newCheckpointKeyPem } from '../../../src/store/log/evidence/note-key';
import { isSignedBy } from '../../../src/store/log/evidence/signed-note';
import { temporaryFolder } from '../../support/engines';
import { KEY } from './log-copies';

const OTHER = CheckpointKey.ofPem(newCheckpointKeyPem());
const CHECKPOINT = {
  tenantId: 7,
  size: 12,
  root: Buffer.alloc(32, 9),
  number: 3,
  time: '2026-01-05T08:00:00.123Z',
};

describe('a checkpoint', () => {
  it('is a signed note that any implementation of signed notes can read', () => {
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

  it('is verified by its key and by no other, and read as it was signed', () => {
    const note = signedNote(CHECKPOINT, KEY);
    expect(parseNote(note)).toEqual(CHECKPOINT);
    expect(isSignedBy(KEY.verifierKey, note)).toBe(true);
    expect(isSignedBy(OTHER.verifierKey, note)).toBe(false);
  });

  it('fails verification if any character of it is changed', () => {
    const note = signedNote(CHECKPOINT, KEY);
    const end = note.trimEnd().length - 1;
    fc.assert(
      fc.property(fc.nat(end), fc.constantFrom('0', 'A', '\n', '='), (at, other) => {
        fc.pre(note[at] !== other);
        // The last characters of Base64 have unused bits.
        fc.pre(at < end - 2);
        expect(isSignedBy(KEY.verifierKey, note.slice(0, at) + other + note.slice(at + 1))).toBe(false);
      }),
    );
  });

  it.each(['', 'x', 'a\n1\n\n— b c', signedNote(CHECKPOINT, KEY).replace('tenant-7', 'tenant-0')])(
    'is refused if its text is malformed: %j',
    (text) => {
      expect(parseNote(text)).toBeNull();
    },
  );

  it.each(['', 'audit-activity+00000000+AAAA', `${KEY.verifierKey.slice(0, -4)}AAA=`])(
    'is not verified with a malformed key: %j',
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

  const idsOf = async (sharedFile: string | null, dataDir = folder) =>
    (await loadCheckpointKeys(dataDir, sharedFile)).map(({ keyId }) => keyId);
  const aPem = () => {
    const pem = newCheckpointKeyPem();
    return { pem, keyId: CheckpointKey.ofPem(pem).keyId };
  };

  it('is made at the first start, is readable by its owner only, and stays the same', async () => {
    const dataDir = path.join(folder, 'new');
    const keys = await Promise.all([1, 2, 3].map(() => idsOf(null, dataDir)));
    expect(new Set(keys.flat()).size).toBe(1);
    expect(await readdir(dataDir)).toEqual([CHECKPOINT_KEY_FILE]);
    expect((await stat(path.join(dataDir, CHECKPOINT_KEY_FILE))).mode & 0o777).toBe(0o600);
  });

  it('is read from the file that instances share, and is never made there', async () => {
    const shared = path.join(folder, 'shared.key');
    await expect(idsOf(shared)).rejects.toThrow(`${shared} does not hold a checkpoint key`);
    const { pem, keyId } = aPem();
    await writeFile(shared, pem);
    expect(await Promise.all([idsOf(shared), idsOf(shared, 'elsewhere')])).toEqual([[keyId], [keyId]]);
    expect(await readdir(folder)).toEqual(['shared.key']);
    const noKey = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
    for (const text of ['not a key', '', `${pem}${noKey}`]) {
      await writeFile(shared, text);
      await chmod(shared, 0o600);
      await expect(idsOf(shared)).rejects.toThrow('does not hold a checkpoint key');
    }
  });

  it('authenticates a list of parts, including the borders between them', () => {
    expect(KEY.mac('a', 'bc')).toEqual(KEY.mac('a', 'bc'));
    for (const other of [KEY.mac('ab', 'c'), KEY.mac('abc'), KEY.mac('a', 'bd'), OTHER.mac('a', 'bc')])
      expect(other).not.toEqual(KEY.mac('a', 'bc'));
  });

  it('comes before the earlier ones of its file, and before those of the data folder where a file is shared', async () => {
    const [first, second, third] = [aPem(), aPem(), aPem()];
    const own = path.join(folder, CHECKPOINT_KEY_FILE);
    await writeFile(own, first.pem);
    await writeFile(own, `# of 2026\n${second.pem}\r\n\n# before\n${first.pem.trim()}`);
    expect(await idsOf(null)).toEqual([second.keyId, first.keyId]);
    expect(CheckpointKey.ofPem(await readFile(own, 'utf8')).keyId).toBe(second.keyId);
    const shared = path.join(folder, 'shared.key');
    await writeFile(shared, `${third.pem}${first.pem}${third.pem}`);
    expect(await idsOf(shared)).toEqual([third.keyId, first.keyId, second.keyId]);
    expect(await idsOf(shared, 'elsewhere')).toEqual([third.keyId, first.keyId]);
  });
});

describe('the memory of an instance', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const file = () => path.join(folder, 'checkpoints/tenant-7');

  it('holds the last checkpoint of each tenant over a restart, whoever signed it', async () => {
    const [note, other] = [signedNote(CHECKPOINT, KEY), signedNote({ ...CHECKPOINT, tenantId: 8 }, OTHER)];
    const files = new CheckpointFiles(folder);
    expect(await files.begin()).toBe(true);
    await files.remember(7, note);
    await files.remember(8, other);
    const after = new CheckpointFiles(folder);
    expect(await after.begin()).toBe(false);
    expect(await after.tenants()).toEqual(new Set([7, 8]));
    expect(await after.last(7)).toEqual(CHECKPOINT);
    expect(await after.last(8)).toEqual({ ...CHECKPOINT, tenantId: 8 });
    expect(await after.last(9)).toBeNull();
    expect(await readFile(file(), 'utf8')).toBe(note);
    expect((await readdir(path.dirname(file()))).toSorted()).toEqual(['tenant-7', 'tenant-8']);
  });

  it('is never lost silently: a file that is unreadable or has other content is reported', async () => {
    await mkdir(file(), { recursive: true });
    await expect(new CheckpointFiles(folder).last(7)).rejects.toThrow('cannot be read (EISDIR)');
    await rm(file(), { recursive: true });
    for (const text of ['', 'x', signedNote({ ...CHECKPOINT, tenantId: 8 }, KEY)]) {
      await writeFile(file(), text);
      await expect(new CheckpointFiles(folder).last(7)).rejects.toThrow('is no checkpoint of the tenant');
    }
  });

  it('leaves no draft behind if it cannot be written, and the failure is reported', async () => {
    await mkdir(file(), { recursive: true });
    await expect(new CheckpointFiles(folder).remember(7, signedNote(CHECKPOINT, KEY))).rejects.toThrow(
      'checkpoints in DATA_DIR cannot be written (EISDIR)',
    );
    expect(await readdir(path.dirname(file()))).toEqual(['tenant-7']);
  });

  it('is read again if an operator removed its file or put an older one back', async () => {
    const files = new CheckpointFiles(folder);
    await files.remember(7, signedNote(CHECKPOINT, KEY));
    expect(await files.reread(7)).toBe(false);
    const older = { ...CHECKPOINT, number: 1, size: 1, time: '2025-01-01T00:00:00.000Z' };
    await writeFile(file(), signedNote(older, KEY));
    await writeFile(`${file()}.epoch`, 'e0\n');
    expect([await files.reread(7), await files.last(7), await files.epochOf(7)]).toEqual([true, older, 'e0']);
    await rm(file());
    expect([await files.reread(7), await files.last(7)]).toEqual([true, null]);
    expect(await files.tenants()).toEqual(new Set());
  });

  it('has a bounded number of ends of logs beside it, those that grew last; a full disk loses only news', async () => {
    const told: string[] = [];
    const opened = async () => {
      const files = new CheckpointFiles(folder, () => 'one', { warn: (_, text) => void told.push(text) });
      await files.begin();
      return files.ends;
    };
    const end = { size: 2, root: Buffer.alloc(32, 5) };
    const ends = await opened();
    for (let tenantId = 1; tenantId <= LIMITS.evidenceNotedEnds + 1; tenantId++)
      ends.is(tenantId, end, false);
    // The log of tenant 2 grows once more, so that of tenant 3 is the one that grew longest ago.
    ends.is(2, { ...end, size: 3 }, false);
    ends.is(LIMITS.evidenceNotedEnds + 2, end, false);
    await ends.save();
    const noted = await opened();
    expect(noted.tenants).toHaveLength(LIMITS.evidenceNotedEnds);
    expect([1, 2, 3, 4].map((tenantId) => noted.noted(tenantId)?.size)).toEqual([undefined, 3, undefined, 2]);
    await rm(path.join(folder, 'log-ends'));
    await mkdir(path.join(folder, 'log-ends'));
    noted.is(2, end, true);
    await noted.save();
    expect(told).toEqual(['the ends of the evidence logs cannot be noted']);
    expect((await opened()).tenants).toEqual([]);
  });
});

it('the ends of logs that cannot be noted are told once, and once more after they could be noted', async () => {
  let nowMs = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  try {
    let isFull = true;
    const told: string[] = [];
    const file = {
      read: async () => null,
      write: async () => {
        if (isFull) throw new Error('ENOSPC');
      },
    };
    const ends = new LogEnds({ file, epoch: () => 'e1', log: { warn: (_, text) => void told.push(text) } });
    await ends.begin();
    const counts: number[] = [];
    for (const [i, full] of [true, true, false, true, true].entries()) {
      isFull = full;
      nowMs += LIMITS.evidenceNoteEndsMs;
      ends.is(7, { size: i + 1, root: Buffer.alloc(32, 5) }, false);
      await ends.save();
      counts.push(told.length);
    }
    expect(counts).toEqual([1, 1, 1, 2, 2]);
  } finally {
    clock.mockRestore();
  }
});

it('the ends of logs are known as they were noted in the same epoch, and of no other one', async () => {
  const root = 'ab'.repeat(32);
  let written = '';
  const endsIn = async (epoch: () => string, text: string) => {
    const file = {
      read: async () => text,
      write: async (next: string) => {
        written = next;
      },
    };
    const ends = new LogEnds({ file, epoch, log: { warn: () => {} } });
    await ends.begin();
    return ends;
  };
  const noted = `e1\n7 3 ${root}\n9 4 ${root}\n0 5 ${root}\n8 x ${root}\n`;
  const same = await endsIn(() => 'e1', noted);
  expect([same.tenants, same.noted(7)?.size, same.noted(8)]).toEqual([[7, 9], 3, undefined]);
  const other = await endsIn(() => 'e2', noted);
  expect([other.tenants, other.noted(7)]).toEqual([[], undefined]);
  // What was noted before stays noted until its log is in order.
  same.is(7, { size: 5, root: Buffer.from(root, 'hex') }, false);
  await same.save();
  expect(written).toBe(`e1\n9 4 ${root}\n7 5 ${root}\n`);
  other.is(7, { size: 5, root: Buffer.from(root, 'hex') }, false);
  await other.save();
  expect(written).toBe(`e2\n7 5 ${root}\n`);
  // A restore begins another epoch while the instance runs.
  let epoch = 'e2';
  const running = await endsIn(() => epoch, '');
  running.is(7, { size: 5, root: Buffer.from(root, 'hex') }, false);
  epoch = 'e3';
  running.is(9, { size: 6, root: Buffer.from(root, 'hex') }, false);
  await running.save();
  expect(written).toBe(`e3\n9 6 ${root}\n`);
});
