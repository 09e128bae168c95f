import { repairChecksum, SECTOR } from './blocks';
import { type BlockPlace, layoutOf } from './layout';
import { pick, type Random } from './random';

/** A sound file to be damaged, and another one to splice it with. */
export interface Subject {
  readonly name: string;
  readonly bytes: Buffer;
  readonly blocks: readonly BlockPlace[];
  readonly other: Buffer;
}

/** One way to damage a file. `inPlace` moves no byte; `moving` moves whole blocks and leaves their bytes unchanged. */
export interface Mutation {
  readonly name: string;
  readonly kind: 'inPlace' | 'moving' | 'foreign';
  apply(bytes: Buffer, subject: Subject, random: Random): Buffer;
}

const BYTES = [0, 1, 0x7f, 0x80, 0xff];
const WORDS = [
  0, 1, 2, 24, 511, 512, 513, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
];
/** Offset and size of the fields of a block header that mean something. */
const HEADER_FIELDS = [
  [8, 4],
  [12, 2],
  [14, 2],
  [16, 4],
  [22, 2],
  [24, 4],
  [28, 4],
] as const;
/** Offset and size of the fields of an event header: object, flags, ticks, length of the payload. */
const EVENT_FIELDS = [
  [0, 4],
  [4, 4],
  [12, 4],
  [16, 4],
  [20, 4],
] as const;

export const MUTATIONS: readonly Mutation[] = [
  inPlace('bits flipped', (bytes, subject, random) => {
    const { start, end } = anyBlock(subject, random);
    for (let at = start + random(end - start), left = 1 + random(4); left > 0; left--, at += random(8)) {
      if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    }
  }),
  inPlace('bytes at their extremes', (bytes, subject, random) => {
    const { start, end } = anyBlock(subject, random);
    const at = start + random(end - start);
    fill(bytes, pick(BYTES, random), at, at + 1 + random(8));
  }),
  inPlace('a number of the data at its extremes', (bytes, subject, random) => {
    const { dataStart, dataEnd } = anyBlock(subject, random);
    setNumber(bytes, dataStart + random(dataEnd - dataStart), pick([2, 4], random), random);
  }),
  inPlace('a field of a block header', (bytes, subject, random) => {
    const [at, size] = pick(HEADER_FIELDS, random);
    setNumber(bytes, anyBlock(subject, random).start + at, size, random);
  }),
  inPlace('a field of the file header', (bytes, _, random) => setNumber(bytes, random(24), 2, random)),
  inPlace('a field of an event header', (bytes, subject, random) => {
    const [at, size] = pick(EVENT_FIELDS, random);
    const event = anyEvent(subject, random);
    if (event !== null) setNumber(bytes, event + at, size, random);
  }),
  inPlace('a value of an event over another one', (bytes, subject, random) => {
    const event = anyEvent(subject, random);
    if (event === null || event + 24 + 320 > bytes.length) return;
    const slot = () => event + 24 + 2 * random(160);
    const from = slot();
    bytes.copy(bytes, slot(), from, from + 8);
  }),
  inPlace('a sector of zeros', (bytes, subject, random) => {
    const { start, end } = anyBlock(subject, random);
    const at = start + SECTOR * random((end - start) / SECTOR);
    fill(bytes, 0, at, at + SECTOR);
  }),
  inPlace('a last event that is too short', (bytes, subject, random) => {
    const { start, events, dataStart, dataEnd } = pick(subject.blocks, random);
    const last = events.at(-1);
    if (last === undefined || dataEnd > bytes.length) return;
    const length = random(dataEnd - last - 24);
    bytes.writeUInt32LE(length, last + 20);
    bytes.writeUInt32LE(last + 24 + length - dataStart, start + 24);
  }),
  inPlace('a large block in every sector', (bytes, subject, random) => {
    for (let at = anyBlock(subject, random).start; at + SECTOR <= bytes.length; at += SECTOR) {
      bytes.set(blockHeader(bytes.length - at, random(2 ** 32)), at);
    }
  }),
  moving('cut', (bytes, subject, random) =>
    bytes.subarray(0, random(2) === 0 ? random(bytes.length) : anyBlock(subject, random).end - random(40)),
  ),
  moving('two blocks swapped', (bytes, subject, random) => {
    const [a, b] = [anyBlock(subject, random), anyBlock(subject, random)].sort((x, y) => x.start - y.start);
    if (!a || !b || a === b) return bytes;
    const part = (from: number, to: number) => bytes.subarray(from, to);
    return Buffer.concat([
      part(0, a.start),
      part(b.start, b.end),
      part(a.end, b.start),
      part(a.start, a.end),
      part(b.end, bytes.length),
    ]);
  }),
  moving('a block twice', (bytes, subject, random) => {
    const { start, end } = anyBlock(subject, random);
    return insert(bytes, anyBlock(subject, random).end, bytes.subarray(start, end));
  }),
  moving('a block removed', (bytes, subject, random) => {
    const { start, end } = anyBlock(subject, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  }),
  moving('garbage inserted', (bytes, subject, random) => {
    const length = random(2) === 0 ? SECTOR * (1 + random(4)) : random(2000);
    const garbage = Buffer.from(Array.from({ length }, () => random(256)));
    return insert(bytes, anyBlock(subject, random).start, garbage);
  }),
  {
    name: 'the end of another file',
    kind: 'foreign',
    apply: (bytes, subject, random) => {
      const blocks = layoutOf(subject.other);
      const tail = subject.other.subarray(pick(blocks, random).start);
      return Buffer.concat([bytes.subarray(0, anyBlock(subject, random).end), tail]);
    },
  },
];

function inPlace(name: string, change: (bytes: Buffer, subject: Subject, random: Random) => void): Mutation {
  const apply: Mutation['apply'] = (bytes, subject, random) => {
    const changed = Buffer.from(bytes);
    change(changed, subject, random);
    return changed;
  };
  return { name, kind: 'inPlace', apply };
}

function moving(name: string, apply: Mutation['apply']): Mutation {
  return { name, kind: 'moving', apply };
}

/** The header of a block of events that reaches to the end of the file. */
function blockHeader(bytesLeft: number, checksum: number): Buffer {
  const header = Buffer.alloc(32);
  const size = SECTOR * Math.floor(bytesLeft / SECTOR);
  header.writeUInt16LE(10, 12);
  header.writeUInt32LE(size, 16);
  header.writeUInt16LE(77, 22);
  header.writeUInt32LE(size - 77, 24);
  header.writeUInt32LE(checksum, 28);
  return header;
}

/** Half of the damage hits the metadata, on which everything else depends. */
function anyBlock({ blocks }: Subject, random: Random): BlockPlace {
  const metadata = blocks.filter((block) => block.isMetadata);
  return pick(random(2) === 0 ? metadata : blocks, random);
}

function anyEvent({ blocks }: Subject, random: Random): number | null {
  const { events } = pick(blocks, random);
  return events.length === 0 ? null : pick(events, random);
}

/** Sets a number to an extreme, or to a neighbour of its value. */
function setNumber(bytes: Buffer, at: number, size: number, random: Random): void {
  if (at + size > bytes.length) return;
  const before = bytes.readUIntLE(at, size);
  const near = before + pick([-512, -8, -2, -1, 1, 2, 8, 512], random);
  const value = random(3) === 0 ? near : pick(WORDS, random);
  const range = 2 ** (8 * size);
  bytes.writeUIntLE((range + (value % range)) % range, at, size);
}

/** Does nothing to bytes that an earlier cut removed. */
const fill = (bytes: Buffer, value: number, from: number, to: number): void => {
  if (from < bytes.length) bytes.fill(value, from, Math.min(to, bytes.length));
};

const insert = (bytes: Buffer, at: number, inserted: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);

/** Corrects the checksum of everything that looks like a block, so that the decoder reads the damaged data. */
export function repaired(bytes: Buffer): Buffer {
  const file = Buffer.from(bytes);
  for (let at = SECTOR; at + 32 <= file.length; ) {
    const size = file.readUInt32LE(at + 16);
    const end = at + file.readUInt16LE(at + 22) + file.readUInt32LE(at + 24);
    if (end <= file.length) repairChecksum(file, at);
    at += size === 0 || size % SECTOR !== 0 ? SECTOR : size;
  }
  return file;
}
