import { SECTOR } from './blocks';

const CHECKED_BYTES = 1024;
const HAS_ACTIONS = 0x80000000;
const ACTION = 1;

export interface BlockPlace {
  readonly start: number;
  readonly end: number;
  readonly isMetadata: boolean;
  readonly dataStart: number;
  readonly dataEnd: number;
  /** Offset from which the checksum covers the data. */
  readonly checkedFrom: number;
  /** Offset of its first event. */
  readonly events: readonly number[];
}

/** The offsets of everything in a sound file, found by the format's description and not by the decoder. */
export function layoutOf(file: Buffer): BlockPlace[] {
  const blocks: BlockPlace[] = [];
  for (let start = SECTOR; start < file.length; start += file.readUInt32LE(start + 16)) {
    blocks.push(blockAt(file, start));
  }
  return blocks;
}

/** The block that begins at `start`. Throws if its events do not fill its data. */
export function blockAt(file: Buffer, start: number): BlockPlace {
  const dataStart = start + file.readUInt16LE(start + 22);
  const dataEnd = dataStart + file.readUInt32LE(start + 24);
  const isMetadata = file.readUInt16LE(start + 14) === 1;
  return {
    start,
    end: start + file.readUInt32LE(start + 16),
    isMetadata,
    dataStart,
    dataEnd,
    checkedFrom: Math.max(dataStart, dataEnd - CHECKED_BYTES),
    events: isMetadata ? [] : eventsIn(file, dataStart, dataEnd),
  };
}

function eventsIn(file: Buffer, start: number, end: number): number[] {
  const events: number[] = [];
  let at = start;
  while (at < end) {
    events.push(at);
    const hasActions = (file.readUInt32LE(at + 4) & HAS_ACTIONS) !== 0;
    at += 24 + file.readUInt32LE(at + 20);
    for (let isLast = !hasActions; !isLast; ) {
      isLast = file.readUInt32LE(at) >>> 28 !== ACTION;
      at += 8 + file.readUInt32LE(at + 4);
    }
  }
  if (at !== end) throw new Error(`events up to ${at} in data up to ${end}`);
  return events;
}
