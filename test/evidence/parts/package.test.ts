import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkPackageFile } from '../../../src/cli/package-file';
import { ID_BYTES, idBytes, idText } from '../../../src/event/record-id';
import { LIMITS } from '../../../src/limits';
import { parseNote, signedNote } from '../../../src/modules/evidence/checkpoint';
import type { SignedCheckpoint } from '../../../src/modules/evidence/evidence.store';
import { packageMaker } from '../../../src/modules/evidence/package/evidence-package';
import { EXPORT_FORMATS } from '../../../src/modules/export/formats';
import {
  FILES,
  LISTED_FILES,
  manifestNoteBody,
  type PackageManifest,
} from '../../../src/package-check/layout';
import { leafHashOf } from '../../../src/store/log/evidence/entry';
import { CheckpointKey, newCheckpointKeyPem } from '../../../src/store/log/evidence/note-key';
import { signed } from '../../../src/store/log/evidence/signed-note';
import { GrowingTree, type Tile, type TileId } from '../../../src/store/log/evidence/tiles';
import type { StoredAuditEvent } from '../../../src/store/rows/audit-event-reader';
import { TEST_CHECKPOINT_KEY } from '../../support/checkpoint-key';
import { temporaryFolder } from '../../support/engines';
import { zipOf } from '../../support/zip';
import { type Files, flipped, unpacked } from '../packages';

const TENANT = 7;
const idOf = (i: number) => idText(Buffer.from(i.toString(16).padStart(2 * ID_BYTES, '0'), 'hex'));
const eventOf = (i: number): StoredAuditEvent => ({
  recordId: idOf(i),
  tenantId: String(TENANT),
  eventTime: '2026-01-05T08:00:00.1234567Z',
  actionId: 'UP',
  succeeded: i % 2 === 0,
  serverInstanceName: 'SQL1',
  databaseName: 'Payroll',
  schemaName: 'dbo',
  objectName: 'Employee',
  serverPrincipalName: 'CORP\\ana',
  databasePrincipalName: null,
  applicationName: null,
  hostName: null,
  clientIp: '10.0.0.1',
  sourceType: 'sqlaudit',
  statement: `SELECT ${i} -- é`,
  additional: { b: i, a: 'x', sessionId: 52 },
});

/** A log of `size` entries. The events stand in it from the first one to the last, those of other numbers are fillers. */
class Log {
  readonly #tiles = new Map<string, Tile>();
  readonly tree = new GrowingTree(0, []);
  checkpoint: string | null = null;
  waiting = 0;
  stamped: SignedCheckpoint | null = null;
  readonly asked: number[] = [];

  constructor(size: number, wanted: ReadonlySet<number>) {
    for (let i = 0; i < size; i++) this.add(i, wanted.has(i));
    this.sign();
  }

  add(i: number, isEvent: boolean): void {
    const leaf = isEvent ? Buffer.from(leafHashOf(eventOf(i)), 'hex') : Buffer.alloc(32, i % 251);
    this.tree.append(idBytes(idOf(i)), leaf);
  }

  sign(): void {
    for (const tile of this.tree.changed()) this.#tiles.set(`${tile.level} ${tile.tile}`, copyOf(tile));
    const { size } = this.tree;
    const checkpoint = {
      tenantId: TENANT,
      size,
      root: this.tree.root(),
      number: 3,
      time: '2026-01-05T08:00:00.123Z',
    };
    if (size > 0) this.checkpoint = signedNote(checkpoint, TEST_CHECKPOINT_KEY);
  }

  get store() {
    return {
      states: async () => [
        {
          tenantId: TENANT,
          size: this.tree.size,
          root: this.tree.root(),
          waitingEvents: this.waiting,
          oldestWaitingAt: null,
          refusedEvents: 0,
          backfilling: false,
          hasUnsealedBacklog: false,
          checkpoint: this.checkpoint,
        },
      ],
      newestStamped: async () => this.stamped,
      tiles: async (_tenant: number, ids: readonly TileId[]) =>
        ids.flatMap(({ level, tile }) => this.#tiles.get(`${level} ${tile}`) ?? []),
      idsAround: async (
        _tenant: number,
        ids: readonly string[],
        _hours: readonly number[],
        after: number,
        limit: number,
      ) => {
        this.asked.push(ids.length);
        const wanted = new Set(ids);
        const all = [...this.#tiles.values()].filter(({ level, tile }) => level === 0 && tile > after);
        const held = all.filter(({ recordIds }) =>
          Array.from({ length: recordIds.length / ID_BYTES }, (_, i) =>
            idText(recordIds.subarray(i * ID_BYTES, (i + 1) * ID_BYTES)),
          ).some((id) => wanted.has(id)),
        );
        return held.sort((a, b) => a.tile - b.tile).slice(0, limit);
      },
    };
  }
}
const copyOf = (tile: Tile): Tile => ({
  ...tile,
  hashes: Buffer.from(tile.hashes),
  recordIds: Buffer.from(tile.recordIds),
});

async function made(
  log: Log,
  numbers: readonly number[],
  pause = async () => {},
  assertAllowed = async () => {},
): Promise<Buffer> {
  let elapsedMs = 3;
  const make = packageMaker({
    store: log.store,
    signer: TEST_CHECKPOINT_KEY,
    page: async () => Buffer.from('<!doctype html>'),
    nowMs: () => Date.parse('2026-01-05T08:01:00Z'),
    elapsedMs: () => elapsedMs,
    pause: async (ms) => {
      elapsedMs += ms;
      await pause();
    },
  });
  const parts: Buffer[] = [];
  const pieces = make({
    tenantId: TENANT,
    question: { filter: 'actionId:UP', reason: 'why' },
    createdBy: 'auditor',
    events: (async function* () {
      for (let from = 0; from < numbers.length; from += 300)
        yield numbers.slice(from, from + 300).map(eventOf);
    })(),
    write: async function* (events) {
      for (const event of events) yield EXPORT_FORMATS.ndjson.line(event);
    },
    gaps: async () => ({ gaps: [] }),
    assertAllowed,
  });
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts);
}

describe('an evidence package', () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    file = path.join(folder, 'package.zip');
  });
  afterAll(() => rm(folder, { recursive: true }));

  const check = async (zip: Buffer, keys: readonly string[] = []) => {
    await writeFile(file, zip);
    return checkPackageFile(file, keys);
  };

  it.each([
    [1, [0]],
    [2, [1]],
    [255, [0, 254]],
    [256, [0, 255]],
    [257, [256]],
    [300, [1, 2, 3, 256, 299]],
    [512, [511]],
    [600, Array.from({ length: 600 }, (_, i) => i)],
    [65_536, [0, 40_000, 65_535]],
    [65_537, [65_536]],
    [66_200, [3, 65_535, 65_536, 66_199]],
  ])('of a log of %d entries proves its events', async (size, numbers) => {
    const report = await check(await made(new Log(size, new Set(numbers)), numbers));
    expect(report).toMatchObject({
      isSound: true,
      events: numbers.length,
      proven: numbers.length,
      problems: [],
      notes: [],
      findings: [],
      checkpoint: { size, number: 3 },
      keys: [TEST_CHECKPOINT_KEY.verifierKey],
      manifest: {
        tenantId: '7',
        createdBy: 'auditor',
        question: { filter: 'actionId:UP', reason: 'why' },
        unproven: 0,
      },
    });
  });

  it('without an event is sound too, also where the log has no entry', async () => {
    for (const size of [0, 300]) {
      const report = await check(await made(new Log(size, new Set()), []));
      expect(report).toMatchObject({ isSound: true, events: 0, problems: [] });
    }
  });

  it('waits for the checkpoint that covers its newest events', async () => {
    const log = new Log(300, new Set([7, 300, 301]));
    log.waiting = 2;
    let pauses = 0;
    const zip = await made(log, [7, 300, 301], async () => {
      pauses++;
      if (pauses === 2) {
        for (const i of [300, 301, 302]) log.add(i, i < 302);
        log.waiting = 0;
      }
      if (pauses === 4) log.sign();
    });
    expect(pauses).toBe(4);
    expect(await check(zip)).toMatchObject({ isSound: true, proven: 3, checkpoint: { size: 303 } });
  });

  it('ends where its caller may no longer have it while it waits', async () => {
    const log = new Log(300, new Set([7, 300]));
    log.waiting = 1;
    let pauses = 0;
    const making = made(
      log,
      [7, 300],
      async () => void pauses++,
      async () => {
        if (pauses === 2) throw new Error('the key was revoked');
      },
    );
    await expect(making).rejects.toThrow('the key was revoked');
    expect(pauses).toBe(2);
  });

  it('names events that the log does not have, at once where nothing waits and else after a while', async () => {
    for (const waiting of [0, 5]) {
      const log = new Log(300, new Set([7]));
      log.waiting = waiting;
      let pauses = 0;
      const zip = await made(log, [7, 9_999], async () => void pauses++);
      expect(pauses).toBe(waiting === 0 ? 0 : LIMITS.packageWaitMs / LIMITS.packageAskMs);
      expect(await check(zip)).toMatchObject({
        isSound: false,
        proven: 1,
        problems: [],
        findings: [
          {
            line: 2,
            recordId: idOf(9_999),
            problem: expect.stringMatching(/^no proof: it was not in the signed log/),
          },
        ],
        manifest: { unproven: 1 },
      });
    }
  });

  it('takes the last entry of a record that was removed and sent again', async () => {
    const log = new Log(300, new Set());
    log.add(7, true);
    log.sign();
    const report = await check(await made(log, [7]));
    expect(report).toMatchObject({ isSound: true, proven: 1 });
    const { proofs } = await filesOf(log, [7]);
    expect(JSON.parse(proofs.split('\n')[0] ?? '')).toMatchObject({ tile: 1, places: [44] });
  });

  const filesOf = async (log: Log, numbers: readonly number[]) => {
    const files = await unpacked(await made(log, numbers));
    return { files, proofs: String(files.get('proofs.ndjson')) };
  };

  it('names events that are not as they were accepted in their order in the package', async () => {
    const { files } = await filesOf(new Log(600, new Set([3, 512])), [3, 512]);
    // The second line is none at once, and the first one is judged once all were read.
    const [first = '', second = ''] = String(files.get('events.ndjson')).split('\n');
    const changed = `${first.replaceAll('"Payroll"', '"Other"')}\n${second.slice(0, -1)}\n`;
    await writeFile(file, await zipOf(new Map([...files, ['events.ndjson', Buffer.from(changed)]])));
    const { findings } = await checkPackageFile(file, []);
    expect(findings.map(({ line }) => line)).toEqual([1, 2]);
  });

  describe('with one other byte', () => {
    const numbers = [1, 2, 3, 256, 299, 512, 66_000];
    let files: Files;
    beforeAll(async () => {
      files = (await filesOf(new Log(66_200, new Set(numbers)), numbers)).files;
    });

    it('in an event is red with the record, and only with that one', async () => {
      const content = files.get('events.ndjson') as Buffer;
      const starts = [0, ...[...content].flatMap((byte, i) => (byte === 0x0a ? [i + 1] : []))];
      const names = numbers.map(idOf);
      for (let at = 37; at < content.length; at += 29) {
        if (content[at] === 0x0a) continue;
        await flipped(file, files, 'events.ndjson', at, at % 2 === 0 ? 1 : 0x80);
        const line = starts.filter((start) => start <= at).length;
        const { isSound, findings, problems } = await checkPackageFile(file, []);
        expect([at, isSound]).toEqual([at, false]);
        expect(problems).toEqual(['events.ndjson: it is not the file of the manifest']);
        const [finding, ...others] = findings;
        expect(others).toEqual([]);
        expect(finding?.line).toBe(line);
        // A byte of the id itself gives another name.
        const isOfId = at - (starts[line - 1] ?? 0) < 50;
        if (!isOfId) expect(finding?.recordId).toBe(names[line - 1]);
      }
    });

    it('in the proofs is found, and the other tiles stay proven', async () => {
      const content = files.get('proofs.ndjson') as Buffer;
      for (let at = 5; at < content.length; at += 23) {
        if (content[at] === 0x0a) continue;
        await flipped(file, files, 'proofs.ndjson', at);
        const { isSound, problems } = await checkPackageFile(file, []);
        expect([at, isSound]).toEqual([at, false]);
        expect(problems).toContain('proofs.ndjson: it is not the file of the manifest');
      }
      const [first = ''] = String(content).split('\n');
      const leaf = Buffer.from(first.replace(/(?<="leaves":".{9})./, (c) => (c === 'A' ? 'B' : 'A')));
      await writeFile(
        file,
        await zipOf(
          new Map([
            ...files,
            ['proofs.ndjson', Buffer.concat([leaf, content.subarray(content.indexOf(0x0a))])],
          ]),
        ),
      );
      const report = await checkPackageFile(file, []);
      expect(report.findings).toEqual([
        expect.objectContaining({
          recordId: idOf(1),
          problem: 'it is what was accepted, and its leaf in the proofs was changed',
        }),
      ]);
      expect(report.proven).toBe(numbers.length - 1);
      const other = Buffer.from(first.replace(/(?<="others":".{9})./, (c) => (c === 'A' ? 'B' : 'A')));
      const rest = content.subarray(content.indexOf(0x0a));
      await writeFile(
        file,
        await zipOf(new Map([...files, ['proofs.ndjson', Buffer.concat([other, rest])]])),
      );
      const broken = await checkPackageFile(file, []);
      expect(broken.findings.map(({ recordId }) => recordId)).toEqual([1, 2, 3].map(idOf));
    });

    it.each([
      'manifest.json',
      'manifest.note',
      'checkpoints.txt',
      'public-key.txt',
      'gaps.json',
      'verify.html',
    ])('in %s is found', async (name) => {
      const { length } = files.get(name) as Buffer;
      for (let at = 0; at < length; at += 7) {
        await flipped(file, files, name, at);
        const report = await checkPackageFile(file, []);
        expect([at, report.isSound]).toEqual([at, false]);
        expect(report.problems.join('\n')).toMatch(new RegExp(`^${name}: |^manifest`, 'm'));
      }
    });
  });

  it('whose files, lines or whole end is gone is not sound', async () => {
    const { files } = await filesOf(new Log(300, new Set([1, 2])), [1, 2]);
    for (const name of files.keys()) {
      const report = await check(await zipOf(new Map([...files].filter(([one]) => one !== name))));
      expect([name, report.isSound]).toEqual([name, false]);
      expect(report.problems.join('\n')).toMatch(new RegExp(`${name}: it is missing`));
    }
    const events = String(files.get('events.ndjson'));
    const [first = '', second = ''] = events.split('\n');
    for (const [text, problem] of [
      [`${second}\n`, 'entry 1 of the log'],
      [`${first}\n`, 'entry 2 of the log'],
      ['', '2 were signed'],
      [`${events}${first}\n`, '3 events, and 2 were signed'],
    ] as const) {
      const report = await check(await zipOf(new Map([...files, ['events.ndjson', Buffer.from(text)]])));
      expect(report.isSound).toBe(false);
      expect(report.problems.join('\n')).toContain(problem);
    }
    const whole = await zipOf(files);
    await expect(check(whole.subarray(0, whole.length - 30))).rejects.toThrow('it is no zip file');
    await expect(check(Buffer.alloc(0))).rejects.toThrow('it is no zip file');
  });

  it('is judged by the trusted key, and passes over signatures of others', async () => {
    const { files } = await filesOf(new Log(300, new Set([1])), [1]);
    const { verifierKey } = TEST_CHECKPOINT_KEY;
    const witnessed = `${files.get('checkpoints.txt')}— witness.example/w1 ${Buffer.alloc(76, 9).toString('base64')}\n— x y\n`;
    const zip = await zipOf(new Map([...files, ['checkpoints.txt', Buffer.from(witnessed)]]));
    // The signature of a witness is of the checkpoint, and not of the package.
    expect((await check(zip, [verifierKey])).problems).toEqual([
      'checkpoints.txt: it is not the file of the manifest',
    ]);
    const other = CheckpointKey.ofPem(newCheckpointKeyPem()).verifierKey;
    const report = await check(await zipOf(files), [other]);
    expect(report).toMatchObject({ isSound: false, keys: [other] });
    expect(report.problems).toContain('public-key.txt: it is not the trusted key');
    expect(await check(await zipOf(files), [other, verifierKey])).toMatchObject({ isSound: true });
    await expect(check(await zipOf(files), ['audit-activity+00000000+AAAA'])).rejects.toThrow(
      'no public key',
    );
  });

  it('that its own key signed is not sound with the checkpoint of another tenant, or without one of its files', async () => {
    const { files } = await filesOf(new Log(300, new Set([1])), [1]);
    /** The package with other files, whose manifest the service has signed. */
    const signedWith = async (
      changes: ReadonlyMap<string, Buffer>,
      change: (manifest: PackageManifest) => PackageManifest = (manifest) => manifest,
    ) => {
      const all = new Map([...files, ...changes]);
      const manifest = JSON.parse(String(files.get(FILES.manifest))) as PackageManifest;
      const listed = manifest.files.map((one) => {
        const bytes = all.get(one.name) ?? Buffer.alloc(0);
        return { ...one, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
      });
      const changed = change({ ...manifest, files: listed });
      const text = JSON.stringify(changed);
      const hash = createHash('sha256').update(text).digest('hex');
      all.set(FILES.manifest, Buffer.from(text));
      all.set(FILES.note, Buffer.from(signed(manifestNoteBody(hash, changed), TEST_CHECKPOINT_KEY)));
      return check(await zipOf(all), [TEST_CHECKPOINT_KEY.verifierKey]);
    };
    expect(await signedWith(new Map())).toMatchObject({ isSound: true, problems: [] });

    const noted = parseNote(String(files.get(FILES.checkpoints)));
    if (!noted) throw new Error('the package has no checkpoint');
    const other = Buffer.from(signedNote({ ...noted, tenantId: TENANT + 1 }, TEST_CHECKPOINT_KEY));
    expect(await signedWith(new Map([[FILES.checkpoints, other]]))).toMatchObject({
      ...{ isSound: false, problems: [`checkpoints.txt: it is a checkpoint of tenant ${TENANT + 1}`] },
    });
    for (const name of LISTED_FILES) {
      const lacks = (manifest: PackageManifest) => ({
        ...manifest,
        files: manifest.files.filter((one) => one.name !== name),
      });
      const { isSound, problems } = await signedWith(new Map(), lacks);
      expect([name, isSound, problems]).toEqual([name, false, [`manifest.json: it does not list ${name}`]]);
    }
  });

  it('with a file beside its own says so', async () => {
    const { files } = await filesOf(new Log(300, new Set([1])), [1]);
    const report = await check(await zipOf(new Map([...files, ['note.txt', Buffer.from('x')]])));
    expect(report).toMatchObject({ isSound: true, notes: ['note.txt is no part of the package'] });
  });
});
