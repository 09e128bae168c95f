import { toAuditPart, toAuditRecord } from '../../../agent/sqlaudit/audit-record';
import { DecodeError } from '../../../agent/sqlaudit/decode-error';
import { SqlAuditFile } from '../../../agent/sqlaudit/reader';
import { Region } from '../../../agent/sqlaudit/region';
import { nextSoundBlock } from '../../../agent/sqlaudit/resync';
import { casesOf } from '../../support/share';
import { blockOffsets, fileHeader, repairChecksum } from './support/blocks';
import { fixtureFile, SCHEMAS } from './support/fixtures';
import { MemorySource, openBytes, readAll, trace } from './support/memory-source';
import { describeIn } from './support/metadata';
import { randomOf } from './support/random';
import { AuditFileWriter } from './support/sqlaudit-writer';

/** The number of damaged files for each fixture and each way of damage. */
const MUTATIONS = casesOf(__filename);

const EXTREMES = [0, 1, 0x7f, 0x80, 0xff];

/** Damages up to four nearby places of one block, as a bad sector or a faulty writer would. */
function damage(bytes: Buffer, start: number, end: number, random: (below: number) => number): void {
  let at = start + random(end - start);
  for (let left = 1 + random(4); left > 0; left--) {
    const way = random(3);
    if (way === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    else if (way === 1) bytes[at] = EXTREMES[random(EXTREMES.length)] ?? 0;
    else bytes.fill(EXTREMES[random(EXTREMES.length)] ?? 0, at, Math.min(at + 4, end));
    at = Math.min(at + random(8), end - 1);
  }
}

describe.each(SCHEMAS)('damage to a file of %s', (schema) => {
  const original = fixtureFile(schema);
  const borders = blockOffsets(original);

  it.each([
    ['is noticed', false],
    ['that also fits its checksum yields only values of the format', true],
  ])('%s, and leaves the events before it intact', async (_, isRepaired) => {
    const whole = await openBytes(original);
    const sound = (await readAll(whole.file, whole.source)).events.map((event) => ({
      end: event.nextBlockOffset,
      text: trace(event),
    }));
    const random = randomOf(isRepaired ? 20_170_410 : 20_220_415);
    for (let n = 0; n < MUTATIONS; n++) {
      const bytes = Buffer.from(original);
      // Half of the damage hits the metadata, on which everything else depends.
      const block = n % 2 === 0 ? random(2) : random(borders.length - 1);
      const start = borders[block] ?? 0;
      damage(bytes, start, borders[block + 1] ?? 0, random);
      if (isRepaired) tryRepair(bytes, start);
      const { file, source } = await openBytes(bytes);
      const { events, outcome } = await readAll(file, source);
      const before = sound.filter(({ end }) => end <= start).map(({ text }) => text);
      expect(events.slice(0, before.length).map(trace)).toEqual(before);
      expect(['complete', 'incomplete', 'corrupt', 'endOfWritten']).toContain(outcome.kind);
      for (const event of events) {
        const part = toAuditPart(event.event, { file: 'x', fileGuid: '', blockOffset: 0, index: 0 });
        if (part) JSON.stringify(toAuditRecord(part, part.texts, 1));
      }
      if (outcome.kind === 'corrupt') await nextSoundBlock(source, outcome.offset + 512);
    }
  });

  it('within the last KiB of a block costs the whole block', async () => {
    for (const start of borders.slice(0, -1)) {
      const bytes = Buffer.from(original);
      const end = start + bytes.readUInt16LE(start + 22) + bytes.readUInt32LE(start + 24);
      bytes[end - 3] = (bytes[end - 3] ?? 0) ^ 0x20;
      const { file, source } = await openBytes(bytes);
      const { outcome, events } = await readAll(file, source);
      expect(outcome).toMatchObject({
        kind: 'corrupt',
        offset: start,
        reason: expect.stringContaining('checksum'),
      });
      expect(events.every((event) => event.nextBlockOffset <= start)).toBe(true);
    }
  });
});

function tryRepair(bytes: Buffer, start: number): void {
  const end = start + bytes.readUInt16LE(start + 22) + bytes.readUInt32LE(start + 24);
  if (end <= bytes.length) repairChecksum(bytes, start);
}

it('random bytes behind a sound file header yield no events', async () => {
  const random = randomOf(7);
  for (let n = 0; n < 300; n++) {
    const bytes = Buffer.concat([
      fixtureFile('schema-2017').subarray(0, 512),
      Buffer.from(Array.from({ length: random(4000) }, () => random(256))),
    ]);
    const { file, source } = await openBytes(bytes);
    expect((await readAll(file, source)).events).toEqual([]);
  }
});

it.each([
  ['nothing', Buffer.alloc(0), 'needMore'],
  ['half a header', Buffer.from([0x5a, 0x37, 0xab, 0xef, 10, 0]), 'needMore'],
  ['another kind of file', Buffer.from('<?xml version="1.0"?>'), 'foreign'],
  ['another format version', Buffer.from(fixtureFile('schema-2017')).fill(11, 4, 5), 'foreign'],
])('a file of %s is not opened', async (_, bytes, kind) => {
  expect((await SqlAuditFile.open(new MemorySource(bytes))).kind).toBe(kind);
});

it('a block header cannot make the decoder allocate more memory than the file has bytes', async () => {
  const bytes = Buffer.from(fixtureFile('schema-2017'));
  bytes.writeUInt32LE(64 * 1024 * 1024, 512 + 16);
  const asked: number[] = [];
  const source = new (class extends MemorySource {
    override async read(offset: number, length: number): Promise<Buffer> {
      const there = await super.read(offset, length);
      asked.push(there.length);
      return there;
    }
  })(bytes);
  const opened = await SqlAuditFile.open(source);
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  expect((await readAll(opened.file, source)).outcome).toMatchObject({ kind: 'incomplete', offset: 512 });
  expect(Math.max(...asked)).toBeLessThanOrEqual(bytes.length);
});

it('a block of 64 MiB is waited for, and a block that claims more is damage and gets no memory', async () => {
  const outcomeOf = async (size: number) => {
    const bytes = Buffer.from(fixtureFile('schema-2017'));
    bytes.writeUInt32LE(size, 512 + 16);
    const { file, source } = await openBytes(bytes);
    return (await readAll(file, source)).outcome;
  };
  const max = 64 * 1024 * 1024;
  expect(await outcomeOf(max)).toMatchObject({ kind: 'incomplete', offset: 512 });
  for (const size of [max + 512, 2 ** 32 - 512]) {
    const reason = `block size ${size} is beyond ${max}`;
    expect(await outcomeOf(size)).toMatchObject({ kind: 'corrupt', offset: 512, reason });
  }
});

it.each([
  ['column', (name: string) => ({ types: { int8: 1 }, events: { e: { [name]: 'int8' } } })],
  ['event', (name: string) => ({ types: { int8: 1 }, events: { [name]: { c: 'int8' } } })],
  ['text of a map', (name: string) => ({ maps: { m: { size: 1, texts: { 1: name } } } }) as const],
])('the name of a %s, which every event may repeat, has at most 1024 characters', async (_, describing) => {
  const guid = '5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e11';
  const outcomeOf = async (chars: number) => {
    const description = describing('x'.repeat(chars));
    const { file, source } = await openBytes(Buffer.concat([fileHeader(guid), describeIn(description)]));
    return (await readAll(file, source)).outcome;
  };
  expect(await outcomeOf(1024)).toMatchObject({ kind: 'complete' });
  expect(await outcomeOf(1025)).toMatchObject({ kind: 'corrupt', reason: 'name of 1025 characters' });
});

it('an error message shows a name from the file in printable characters', async () => {
  const writer = AuditFileWriter.describing({
    types: { text: 0 },
    events: { 'e\r\n\u001b[2J\u0085ü': { c: 'text' } },
  });
  const file = writer.file('5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e11', [[{ c: 'abc' }]]);
  const start = blockOffsets(file).at(-2) ?? 0;
  file.writeUInt32LE(7, start + 77 + 20);
  const { file: opened, source } = await openBytes(repairChecksum(file, start));
  const { outcome } = await readAll(opened, source);
  expect(outcome).toMatchObject({ reason: expect.stringMatching(/"e\\r\\n\\u001b\[2J\\u0085\\u00fc"$/) });
});

it.each(['u8', 'u16', 'u32', 'u64'] as const)('nothing is read beyond the end of a record (%s)', (read) => {
  const region = new Region(Buffer.alloc(16), 4, 12, 512);
  for (let left = region.left; left > 0; left = region.left) region[read]();
  expect(() => region[read]()).toThrow(DecodeError);
  expect(() => new Region(Buffer.alloc(16), 5, 12, 512).take(8)).toThrow('(at byte 517)');
});
