import { AUDIT_EVENT } from '../../../../agent/sqlaudit/audit-columns';
import { toAuditPart, toAuditRecord } from '../../../../agent/sqlaudit/audit-record';
import type { DecodedEvent } from '../../../../agent/sqlaudit/event';
import type { Position } from '../../../../agent/sqlaudit/position';
import { toRawEvent } from '../../../../agent/sqlaudit/raw-event';
import type { ReadOutcome } from '../../../../agent/sqlaudit/read-outcome';
import { type FileEvent, SqlAuditFile } from '../../../../agent/sqlaudit/reader';
import { nextSoundBlock } from '../../../../agent/sqlaudit/resync';
import { SECTOR } from './blocks';
import { CountingSource } from './counting-source';
import { blockAt } from './layout';
import type { Mutation, Subject } from './mutations';

/** JSON characters per byte of a file: the file states a column's name once, and the JSON repeats it per event. */
const OUTPUT_PER_BYTE = 40;
/** The bytes of the first sector that mean something. */
const FILE_HEADER_BYTES = 24;
/** The least bytes that an event takes in a file. */
const EVENT_BYTES_MIN = 24;

export interface ReadEvent {
  readonly blockOffset: number;
  readonly index: number;
  readonly nextBlockOffset: number;
  /** The event and its audit record as JSON. */
  readonly text: string;
}

export interface Damage {
  readonly bytes: Buffer;
  readonly mutations: readonly Mutation[];
  readonly isRepaired: boolean;
}

/** Reads a whole file, also behind its damage, within bounds. Null if the decoder does not open the file. */
export async function readWithin(bytes: Buffer, from?: Position): Promise<readonly ReadEvent[] | null> {
  const source = new CountingSource(bytes);
  const opened = await SqlAuditFile.open(source);
  if (opened.kind !== 'opened') {
    if (opened.kind === 'foreign') checkReason(opened.reason, opened.offset, bytes);
    return null;
  }
  const events: ReadEvent[] = [];
  let outputChars = 0;
  for await (const item of opened.file.events(source, from)) {
    if (item.kind !== 'event') {
      await checkOutcome(item, source);
      checkBlocks(bytes, events);
      return events;
    }
    const event = toReadEvent(item);
    events.push(event);
    outputChars += event.text.length;
    if (events.length * EVENT_BYTES_MIN > bytes.length) throw new Error(`${events.length} events`);
    if (outputChars > 65_536 + OUTPUT_PER_BYTE * bytes.length) throw new Error(`${outputChars} characters`);
  }
  throw new Error('reading ended without an outcome');
}

function toReadEvent({ blockOffset, index, nextBlockOffset, event }: FileEvent): ReadEvent {
  checkBounds(event);
  const part = toAuditPart(event, { file: '', fileGuid: '', blockOffset: 0, index: 0 });
  if ((part === null) === (event.type.name === AUDIT_EVENT)) throw new Error('an audit event is not one');
  const record = part && toAuditRecord(part, part.texts, 1);
  return { blockOffset, index, nextBlockOffset, text: JSON.stringify([toRawEvent(event), record]) };
}

/** A value from outside an event's payload would belong to another event, or to a block that was not checked. */
function checkBounds({ type, block: { view }, payload }: DecodedEvent): void {
  const length = view.getUint32(payload - 4, true);
  if (type.slotBytes > length) throw new Error(`${length} bytes hold slots of ${type.slotBytes}`);
  if (payload + length > view.byteLength) throw new Error('a payload is not all there');
}

/** Checks each returned block independently: its data is events only, and all of them were returned. */
function checkBlocks(bytes: Buffer, events: readonly ReadEvent[]): void {
  const counts = new Map<number, number>();
  for (const { blockOffset } of events) counts.set(blockOffset, (counts.get(blockOffset) ?? 0) + 1);
  for (const [start, count] of counts) {
    const { events: there } = blockAt(bytes, start);
    if (there.length !== count)
      throw new Error(`${count} of ${there.length} events of the block at ${start}`);
  }
}

async function checkOutcome(outcome: ReadOutcome, source: CountingSource): Promise<void> {
  const size = source.bytes.length;
  switch (outcome.kind) {
    case 'complete':
      if (outcome.offset !== size) throw new Error(`complete at ${outcome.offset} of ${size}`);
      return;
    case 'incomplete':
      if (!(outcome.missingBytes > 0)) throw new Error(`${outcome.missingBytes} bytes missing`);
      return;
    case 'corrupt':
      checkReason(outcome.reason, outcome.errorOffset, source.bytes);
      if (outcome.errorOffset < outcome.offset) throw new Error('the error stands before its block');
      await checkResync(source, outcome.offset + 1);
      return;
    case 'endOfWritten':
      await checkResync(source, outcome.offset);
      return;
    case 'replaced':
      throw new Error('the file was not replaced');
  }
}

async function checkResync(source: CountingSource, from: number): Promise<void> {
  const resync = new CountingSource(source.bytes);
  const next = await nextSoundBlock(resync, from);
  if (next !== null && (next < from || next >= source.bytes.length))
    throw new Error(`sound block at ${next}`);
}

function checkReason(reason: string, offset: number, { length }: Buffer): void {
  if (!/^[ -~]{5,2000}$/.test(reason)) throw new Error(`no reason: "${reason}"`);
  if (!(offset >= 0 && offset <= length))
    throw new Error(`the error is said to be at ${offset} of ${length}`);
}

/**
 * Compares what came out of a damaged file with what the sound one holds.
 * - Whole blocks before the first altered byte: exactly their events come first.
 * - Checksums not repaired, damage in place: an event may differ only where the checksum does not reach, in the data of
 *   its own block before the last KiB, or in that of a metadata block.
 * - Checksums not repaired, whole blocks moved, cut or repeated: no event that the sound file does not hold.
 */
export function problemOf(
  { bytes, mutations, isRepaired }: Damage,
  read: readonly ReadEvent[] | null,
  subject: Subject,
  sound: readonly ReadEvent[],
): string | null {
  const firstAltered = firstDifference(subject.bytes, bytes);
  const before = sound.filter((event) => event.nextBlockOffset <= firstAltered);
  if (read === null) {
    const isHeaderSound = firstAltered >= FILE_HEADER_BYTES && bytes.length >= SECTOR;
    return isHeaderSound ? 'a sound file header is refused' : null;
  }
  for (const [i, event] of before.entries()) {
    if (read[i]?.text !== event.text) return `event ${i} before the damage at ${firstAltered} differs`;
  }
  if (isRepaired) return null;
  if (mutations.every(({ kind }) => kind === 'inPlace')) return alteredInPlace(bytes, read, subject, sound);
  if (!mutations.every(({ kind }) => kind === 'moving')) return null;
  const known = new Set(sound.map(({ text }) => text));
  const altered = read.find(({ text }) => !known.has(text));
  return altered ? `an event at ${altered.blockOffset} is in no block of the sound file` : null;
}

function alteredInPlace(
  bytes: Buffer,
  read: readonly ReadEvent[],
  { bytes: original, blocks }: Subject,
  sound: readonly ReadEvent[],
): string | null {
  const blind = blocks.filter(
    ({ dataStart, checkedFrom }) =>
      bytes.compare(original, dataStart, checkedFrom, dataStart, checkedFrom) !== 0,
  );
  if (blind.some(({ isMetadata }) => isMetadata)) return null;
  const places = new Map(sound.map((event) => [`${event.blockOffset}:${event.index}`, event.text]));
  const altered = read.find(
    (event) =>
      !blind.some(({ start }) => start === event.blockOffset) &&
      places.get(`${event.blockOffset}:${event.index}`) !== event.text,
  );
  return altered ? `event ${altered.index} of the block at ${altered.blockOffset} is altered` : null;
}

function firstDifference(a: Buffer, b: Buffer): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a[at] === b[at]) at++;
  return at;
}
