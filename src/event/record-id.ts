import { hash } from 'node:crypto';
import type { RecordSource } from './audit-record';
import { TICKS_PER_MS } from './event-time';

/**
 * Record ids are version 8 UUIDs made of the event itself. So the same record has the same id from any agent and after
 * any restart, and ids sort by exact time:
 *
 *     48 bits  milliseconds since 1970      4 bits  version (8)
 *     12 bits  100 ns steps >> 2            2 bits  variant (binary 10)
 *      2 bits  100 ns steps & 3            60 bits  hash of tenant, file GUID, block offset and index
 */
export function recordIdOf(tenantId: number, ticks: bigint, source: Omit<RecordSource, 'file'>): string {
  const { fileGuid, blockOffset, index } = source;
  const digest = hash('sha256', `${tenantId}\n${fileGuid}\n${blockOffset}\n${index}`, 'hex');
  return assemble(ticks, digest.slice(0, 15));
}

export const ID_BYTES = 16;
export const idHex = (recordId: string): string => recordId.replaceAll('-', '');
export const idBytes = (recordId: string): Buffer => Buffer.from(idHex(recordId), 'hex');

export const idText = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** The id next to another one; the last id has none, and stays. */
export const nextId = (recordId: string): string => neighbour(recordId, 1n);
export const idBefore = (recordId: string): string => neighbour(recordId, -1n);

const LAST_ID = (1n << 128n) - 1n;

function neighbour(recordId: string, by: bigint): string {
  const value = BigInt(`0x${recordId.replaceAll('-', '')}`) + by;
  if (value < 0n || value > LAST_ID) return recordId;
  return value
    .toString(16)
    .padStart(2 * ID_BYTES, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const HEX = Buffer.from('0123456789abcdef');
const DASH = 0x2d;

/** Writes the text of an id from its bytes. @returns the index after the text */
export function writeIdText(id: Uint8Array, target: Uint8Array, to: number): number {
  let at = to;
  for (let i = 0; i < ID_BYTES; i++) {
    const byte = id[i] as number;
    if (i === 4 || i === 6 || i === 8 || i === 10) target[at++] = DASH;
    target[at++] = HEX[byte >> 4] as number;
    target[at++] = HEX[byte & 15] as number;
  }
  return at;
}

/**
 * Writes the bytes of the id that `recordIdOf` makes.
 * @param place tenant, file GUID, block offset and index, each on a line
 */
export function writeRecordId(target: Uint8Array, ms: number, steps: number, place: string): void {
  const digest = hash('sha256', place, 'binary');
  const high = Math.floor(ms / 2 ** 32);
  target[0] = high >> 8;
  target[1] = high;
  target[2] = ms >>> 24;
  target[3] = ms >>> 16;
  target[4] = ms >>> 8;
  target[5] = ms;
  target[6] = 0x80 | (steps >> 10);
  target[7] = steps >> 2;
  // The hash follows half a byte later.
  let left = 0b1000 | (steps & 3);
  for (let i = 0; i < 8; i++) {
    const byte = digest.charCodeAt(i);
    target[8 + i] = (left << 4) | (byte >> 4);
    left = byte & 15;
  }
}

/** The smallest record id an event at or after this time can have; clamped to the ids' own range. */
export function recordIdFloor(ticks: bigint): string {
  if (ticks <= 0n) return '00000000-0000-8000-8000-000000000000';
  if (ticks >= TICKS_END) return 'ffffffff-ffff-8fff-bfff-ffffffffffff';
  return assemble(ticks, '000000000000000');
}

const TICKS_END = (1n << 48n) * TICKS_PER_MS;

function assemble(ticks: bigint, hash60: string): string {
  const ms = (ticks / TICKS_PER_MS).toString(16).padStart(12, '0');
  const steps = Number(ticks % TICKS_PER_MS);
  const high = (steps >> 2).toString(16).padStart(3, '0');
  const low = (0b1000 | (steps & 3)).toString(16);
  return `${ms.slice(0, 8)}-${ms.slice(8)}-8${high}-${low}${hash60.slice(0, 3)}-${hash60.slice(3)}`;
}

/** The exact event time a record id was made of. @param recordId a lower-case UUID made by `recordIdOf` */
export function ticksOfRecordId(recordId: string): bigint {
  return BigInt(msOfRecordId(recordId)) * TICKS_PER_MS + BigInt(stepsOf(recordId));
}

/** The milliseconds of the event time. */
export const msOfRecordId = (recordId: string): number =>
  Number.parseInt(recordId.slice(0, 8), 16) * 0x1_0000 + Number.parseInt(recordId.slice(9, 13), 16);

/** The event time in whole microseconds since 1970. */
export const microsecondsOfRecordId = (recordId: string): number =>
  msOfRecordId(recordId) * 1_000 + Math.floor(stepsOf(recordId) / STEPS_PER_US);

const STEPS_PER_US = 10;

/** Steps of 100 ns within the millisecond. */
function stepsOf(recordId: string): number {
  const high = Number.parseInt(recordId.slice(15, 18), 16);
  return (high << 2) | (Number.parseInt(recordId.slice(19, 20), 16) & 3);
}

const MS_PER_MINUTE = 60_000;
const STEPS_PER_MS = Number(TICKS_PER_MS);
const MINUTE_CHARS = '2026-11-19T23:59:'.length;
/**
 * Added to the steps within a minute, so that nine digits follow the first: two of the second, seven of its decimals.
 */
const NINE_DIGITS = 1_000_000_000;
/** The last minute that was written: neighbouring events often have the same minute. */
const last = { minute: Number.NaN, text: '' };

/**
 * The exact event time as text, `2026-11-19T23:59:56.8651234Z`. It is made for each event that is read, so without
 * bigint.
 */
export function eventTimeOf(recordId: string): string {
  const ms = msOfRecordId(recordId);
  const minute = Math.floor(ms / MS_PER_MINUTE);
  if (minute !== last.minute) {
    last.text = new Date(minute * MS_PER_MINUTE).toISOString().slice(0, MINUTE_CHARS);
    last.minute = minute;
  }
  const digits = String(NINE_DIGITS + (ms - minute * MS_PER_MINUTE) * STEPS_PER_MS + stepsOf(recordId));
  return `${last.text}${digits.slice(1, 3)}.${digits.slice(3)}Z`;
}
