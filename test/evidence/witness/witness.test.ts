import { createHash, createPublicKey, verify } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { LIMITS } from '../../../src/limits';
import { readWitnessKey } from '../../../src/store/log/evidence/cosignature';
import { CheckpointKey, newCheckpointKeyPem } from '../../../src/store/log/evidence/note-key';
import { Witness } from '../../../src/witness/witness';
import { WitnessFolder } from '../../../src/witness/witness-folder';
import { readWitnessLogs } from '../../../src/witness/witness-logs';
import { TEST_CHECKPOINT_KEY } from '../../support/checkpoint-key';
import { temporaryFolder } from '../../support/engines';
import { someLeaves } from '../parts/support';
import { LEAVES, noteOf, ORIGIN, submissionOf } from './support';

const OTHER = CheckpointKey.ofPem(newCheckpointKeyPem());
const FORK = [...LEAVES.slice(0, 10), ...someLeaves(30, 'fork')];
const SIZE = 'text/x.tlog.size';

describe('a witness', () => {
  let root: string;
  let folder: WitnessFolder;
  let vkey: string;
  const told: string[] = [];
  const witnessOf = async (store: Pick<WitnessFolder, 'last' | 'put' | 'keepFork'> = folder) =>
    new Witness(
      await folder.key(),
      readWitnessLogs([{ at: 'line 1', text: `${ORIGIN} ${TEST_CHECKPOINT_KEY.verifierKey}` }]),
      store,
      (line) => void told.push(line),
      () => new Date('2026-02-03T04:05:06.700Z'),
    );

  beforeEach(async () => {
    root = await temporaryFolder();
    folder = new WitnessFolder(root);
    told.length = 0;
    vkey = (await folder.makeKey('witness.example/w1')).verifierKey;
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('signs a checkpoint and the time, so that any implementation of cosignatures can check it', async () => {
    const witness = await witnessOf();
    const answer = await witness.add(submissionOf(0, 5));
    expect(answer.status).toBe(200);
    const [, dash, name, text = ''] = /^(—) (\S+) (\S+)\n$/.exec(answer.text) ?? [];
    expect([dash, name]).toEqual(['—', 'witness.example/w1']);
    const [, id, key = ''] = /^witness\.example\/w1\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? [];
    const typed = Buffer.from(key, 'base64');
    expect(typed[0]).toBe(4);
    const hash = createHash('sha256').update('witness.example/w1\n').update(typed).digest().subarray(0, 4);
    expect(hash.toString('hex')).toBe(id);
    const bytes = Buffer.from(text, 'base64');
    expect(bytes).toHaveLength(4 + 8 + 64);
    expect(bytes.subarray(0, 4)).toEqual(hash);
    const seconds = Date.parse('2026-02-03T04:05:06Z') / 1_000;
    expect(bytes.readBigUInt64BE(4)).toBe(BigInt(seconds));
    const [body] = noteOf(5).split('\n\n');
    const x = typed.subarray(1).toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const signed = `cosignature/v1\ntime ${seconds}\n${body}\n`;
    expect(verify(null, Buffer.from(signed), publicKey, bytes.subarray(12))).toBe(true);
    expect(readWitnessKey(vkey).lineIn(noteOf(5) + answer.text)).toBe(answer.text);
    expect(readWitnessKey(vkey).lineIn(noteOf(6) + answer.text)).toBeNull();
    expect(answer.text.startsWith(readWitnessKey(vkey).linePrefix)).toBe(true);
  });

  it('refuses a first checkpoint that comes with a proof, since nothing can be proven from nothing', async () => {
    const answer = await (await witnessOf()).add(
      `old 0\n${Buffer.alloc(32).toString('base64')}\n\n${noteOf(12)}`,
    );
    expect(answer.status).toBe(422);
    expect(await folder.last(ORIGIN)).toBeNull();
  });

  it('follows a log from each size to each larger one, and signs the same checkpoint again', async () => {
    const witness = await witnessOf();
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 6 }),
        async (sizes) => {
          await rm(path.join(root, 'logs'), { recursive: true, force: true });
          let old = 0;
          for (const size of sizes.toSorted((a, b) => a - b)) {
            expect(await witness.add(submissionOf(old, size))).toMatchObject({ status: 200 });
            expect(await witness.add(submissionOf(size, size))).toMatchObject({ status: 200 });
            old = size;
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it.each([
    [
      'of a log that it does not serve',
      () => submissionOf(0, 5, LEAVES, noteOf(5, LEAVES, undefined, 8)),
      404,
    ],
    ['of another key', () => submissionOf(0, 5, LEAVES, noteOf(5, LEAVES, OTHER)), 403],
    ['whose signature is of other lines', () => submissionOf(0, 5).replace('number 5', 'number 6'), 403],
    ['smaller than the old one', () => submissionOf(5, 5).replace('old 5', 'old 6'), 400],
    ['without a proof', () => `old 10\n\n${noteOf(12)}`, 422],
    ['with the proof of another log', () => submissionOf(10, 12, FORK, noteOf(12)), 422],
    ['of another log with its proof', () => submissionOf(10, 12, someLeaves(12, 'x')), 422],
    [
      'with one hash too many',
      () => submissionOf(10, 12).replace('\n\n', `\n${Buffer.alloc(32).toString('base64')}\n\n`),
      422,
    ],
    [
      'with a proof from nothing',
      () => `old 0\n${Buffer.alloc(32).toString('base64')}\n\n${noteOf(12)}`,
      409,
    ],
    ['with an old size that is not the last one', () => submissionOf(9, 12), 409],
    ['with an old size beyond the last one', () => submissionOf(11, 12), 409],
    ['of the same size and another root', () => submissionOf(10, 10, someLeaves(10, 'x')), 409],
  ])('refuses a checkpoint %s, and keeps the last one', async (_, body, status) => {
    const witness = await witnessOf();
    await witness.add(submissionOf(0, 10));
    const answer = await witness.add(body());
    expect(answer.status).toBe(status);
    if (status === 409) expect(answer).toMatchObject({ type: SIZE, text: '10\n' });
    expect(await folder.last(ORIGIN)).toBe(noteOf(10));
  });

  it.each([
    ['nothing', ''],
    ['no empty line', 'old 0\n'],
    ['a size with a zero before it', submissionOf(0, 5).replace('old 0', 'old 00')],
    ['a size that is no number', submissionOf(0, 5).replace('old 0', 'old -1')],
    ['a size beyond exact numbers', submissionOf(0, 5).replace('old 0', 'old 9007199254740993')],
    ['a hash of 31 bytes', `old 1\n${Buffer.alloc(31).toString('base64')}\n\n${noteOf(5)}`],
    ['a hash with other unused bits', `old 1\n${'A'.repeat(42)}B=\n\n${noteOf(5)}`],
    ['64 hashes', `old 1\n${`${Buffer.alloc(32).toString('base64')}\n`.repeat(64)}\n${noteOf(5)}`],
    ['no signature', `old 0\n\n${noteOf(5).split('\n\n')[0]}\n\n`],
    ['a cut last line', submissionOf(0, 5).trimEnd()],
    ['a control character', submissionOf(0, 5).replace('number', 'num\rber')],
    ['a root that is none', submissionOf(0, 5).replace(/\n[A-Za-z0-9+/]{43}=\nnumber/, '\nabc\nnumber')],
  ])('answers 400 to %s', async (_, body) => {
    const witness = await witnessOf();
    expect((await witness.add(body)).status).toBe(400);
  });

  it('keeps two heads of one size of a forked log as a proof, and tells of them', async () => {
    const witness = await witnessOf();
    await witness.add(submissionOf(0, 12));
    expect((await witness.add(submissionOf(12, 12, FORK))).status).toBe(409);
    const file = (await readdir(path.join(root, 'logs'))).find((name) => name.endsWith('.fork')) ?? '';
    expect(await readFile(path.join(root, 'logs', file), 'utf8')).toBe(`${noteOf(12)}\n${noteOf(12, FORK)}`);
    expect(told).toEqual([expect.stringContaining('FORKED at 12 entries')]);
    // The first proof stays, whatever comes later.
    expect((await witness.add(submissionOf(12, 12, someLeaves(12, 'later')))).status).toBe(409);
    expect(await readFile(path.join(root, 'logs', file), 'utf8')).toBe(`${noteOf(12)}\n${noteOf(12, FORK)}`);
    told.pop();
    expect((await witness.add(submissionOf(12, 20, FORK))).status).toBe(422);
    expect((await witness.add(submissionOf(12, 20))).status).toBe(200);
  });

  it('signs one of many requests at once: the others get the size that it signed', async () => {
    const witness = await witnessOf();
    const forks = [LEAVES, FORK, someLeaves(40, 'y'), someLeaves(40, 'z')];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => witness.add(submissionOf(0, 20 + (i % 5), forks[i % 4]))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(
      answers.filter(({ status, type, text }) => status === 409 && type === SIZE && text === '20\n'),
    ).toHaveLength(19);
  });

  it('has the checkpoint on disk before it signs: after a crash before the answer the log gets it again', async () => {
    const crashing = await witnessOf({
      last: (origin) => folder.last(origin),
      keepFork: (origin, notes) => folder.keepFork(origin, notes),
      put: async (origin, note) => {
        await folder.put(origin, note);
        throw new Error('crashed');
      },
    });
    await expect(crashing.add(submissionOf(0, 12))).rejects.toThrow('crashed');
    const again = await witnessOf();
    expect(await again.add(submissionOf(0, 12, FORK))).toMatchObject({ status: 409, text: '12\n' });
    expect((await again.add(submissionOf(12, 12, FORK))).status).toBe(409);
    expect((await again.add(submissionOf(12, 12))).status).toBe(200);
  });

  it('signs nothing when the checkpoint cannot be written, or what it kept is spoilt', async () => {
    const full = await witnessOf({
      ...folder,
      last: async () => null,
      put: () => Promise.reject(new Error('no room')),
      keepFork: async () => '',
    });
    await expect(full.add(submissionOf(0, 5))).rejects.toThrow('no room');
    const witness = await witnessOf();
    await witness.add(submissionOf(0, 5));
    const [file = ''] = await readdir(path.join(root, 'logs'));
    await writeFile(path.join(root, 'logs', file), '');
    await expect(witness.add(submissionOf(0, 6))).rejects.toThrow('put it right by hand');
  });

  it('signs the next checkpoint of a log that waited for one that could not be written', async () => {
    let puts = 0;
    const witness = await witnessOf({
      last: (origin) => folder.last(origin),
      keepFork: (origin, notes) => folder.keepFork(origin, notes),
      put: async (origin, note) => {
        if (++puts === 1) throw new Error('no room');
        await folder.put(origin, note);
      },
    });
    const both = await Promise.allSettled([5, 6].map((size) => witness.add(submissionOf(0, size))));
    expect(both).toMatchObject([{ status: 'rejected' }, { value: { status: 200 } }]);
  });

  it('has one key for good, which others on the host cannot read', async () => {
    await expect(folder.makeKey('other')).rejects.toThrow('one key, for good');
    expect((await folder.key()).verifierKey).toBe(vkey);
    for (const name of ['', 'a b', 'a+b'])
      await expect(new WitnessFolder(path.join(root, 'x')).makeKey(name)).rejects.toThrow(
        'must have 1 to 200',
      );
  });

  it('serves a log that has several keys by each of them, and by no other', () => {
    const lines = [TEST_CHECKPOINT_KEY, OTHER].map(({ verifierKey }, i) => ({
      at: `line ${i}`,
      text: `${ORIGIN} ${verifierKey}`,
    }));
    const isSigned = (some: typeof lines) => readWitnessLogs(some).isSigned(ORIGIN, noteOf(5));
    expect([lines, lines.toReversed(), lines.slice(1)].map(isSigned)).toEqual([true, true, false]);
    expect(readWitnessLogs(lines).isSigned('another', noteOf(5))).toBeNull();
  });

  it('serves as many logs as it may, and not one more', () => {
    const linesOf = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        at: `line ${i}`,
        text: `log-${i} ${TEST_CHECKPOINT_KEY.verifierKey}`,
      }));
    const most = jest.replaceProperty(LIMITS, 'witnessLogsMax', 3 as never);
    try {
      expect(readWitnessLogs(linesOf(3)).names).toHaveLength(3);
      expect(() => readWitnessLogs(linesOf(4))).toThrow('there are more than 3 logs');
    } finally {
      most.restore();
    }
  });

  it('names every mistake of the logs that it is to serve, with the place', () => {
    const lines = [
      { at: 'logs, line 2', text: 'alone' },
      { at: 'logs, line 4', text: `${ORIGIN} audit-activity+00000000+AAAA` },
      { at: 'logs, line 5', text: `${ORIGIN} ${vkey}` },
    ];
    expect(() => readWitnessLogs(lines)).toThrow(
      /line 2: must be NAME KEY.*line 4: it is not.*line 5: it is not/s,
    );
    expect(() => readWitnessLogs([])).toThrow('no log is named');
  });
});
