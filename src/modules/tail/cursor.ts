import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../../errors';
import { parseTicks } from '../../event/event-time';
import type { ParameterValues } from '../../event/parameter-specs';
import { FILTER_PARAMETERS } from '../../event/parameters';
import { type EpochState, isBridging, isCurrent, NO_EPOCH } from '../../store/log/epoch/epoch';

/** The progress of a reader. */
export interface TailPlace {
  /** The position to read next in each tenant, by ascending tenant id. */
  readonly positions: ReadonlyMap<number, number>;
  /** The tenant that comes first in the next answer, or the tenant after it. Tenants take turns. */
  readonly turn: number;
  /** The hash of the filters (`filterHash`). */
  readonly filter: Buffer;
  /** The epoch whose positions these are. */
  readonly epoch: string;
  /** Of the entries before these positions (`markOf`); null: not known. */
  readonly mark: string | null;
}

const VERSION = 2;
/** Of cursors without an epoch, which a build without epochs gives and reads. It goes with 0.3.0. */
const FORMER_VERSION = 1;
const MAC_BYTES = 16;
const EPOCH_BYTES = 8;
const FILTER_HASH_BYTES = 12;
/**
 * The mark stands at the end, in bytes with their high bit set. A release without marks reads them as a number that
 * does not end, and ignores it.
 */
const MARK_BYTES = 8;
const HIGH_BIT = 0x80;

/**
 * Cursors as callers get them: opaque and signed, so that an invented or changed cursor is refused. They name no key,
 * so another key of the same tenant can continue.
 */
export class CursorSeal {
  constructor(
    private readonly parts: {
      readonly epoch: { readonly state: EpochState; readonly cursorKey: Buffer };
      /** Of cursors without an epoch: the first one signs. They go with 0.3.0. */
      readonly formerKeys: readonly Buffer[];
      readonly nowMs: () => number;
    },
  ) {}

  /** @throws DomainError `cursor_of_earlier_log` if another epoch has begun meanwhile */
  seal({ positions, turn, filter, epoch: ofPositions, mark }: TailPlace): string {
    const { state } = this.parts.epoch;
    if (!isCurrent(state, ofPositions)) throw ofEarlierLog(state);
    const { epoch } = state;
    const [formerKey] = this.parts.formerKeys;
    // Instances without epochs read only what they give themselves, and go on during an upgrade. It goes with 0.3.0.
    const key = isBridging(state, this.parts.nowMs()) && formerKey ? formerKey : this.parts.epoch.cursorKey;
    const bytes: number[] =
      key === formerKey ? [FORMER_VERSION, ...filter] : [VERSION, ...Buffer.from(epoch, 'hex'), ...filter];
    writeNumber(bytes, turn);
    let before = 0;
    for (const [tenantId, position] of positions) {
      writeNumber(bytes, tenantId - before);
      writeNumber(bytes, position);
      before = tenantId;
    }
    if (mark !== null) bytes.push(...Buffer.from(mark, 'hex'));
    const payload = Buffer.from(bytes);
    return Buffer.concat([payload, macOf(key, payload)]).toString('base64url');
  }

  /** @throws DomainError `invalid_parameter`; `cursor_of_earlier_log` */
  open(text: string): TailPlace {
    const { epoch, formerKeys } = this.parts;
    const bytes = Buffer.from(text, 'base64url');
    const payload = bytes.subarray(0, Math.max(0, bytes.length - MAC_BYTES));
    const mac = bytes.subarray(payload.length);
    const isFormer = payload[0] === FORMER_VERSION;
    const isOurs = (isFormer ? formerKeys : [epoch.cursorKey]).some((key) => {
      const own = macOf(key, payload);
      return mac.length === own.length && timingSafeEqual(mac, own);
    });
    const isKnownVersion = isFormer || payload[0] === VERSION;
    if (!isOurs || bytes.toString('base64url') !== text || !isKnownVersion) throw foreign();
    const filterAt = 1 + (isFormer ? 0 : EPOCH_BYTES);
    const named = isFormer ? NO_EPOCH : payload.toString('hex', 1, filterAt);
    if (!isCurrent(epoch.state, named)) throw ofEarlierLog(epoch.state);
    const filter = payload.subarray(filterAt, filterAt + FILTER_HASH_BYTES);
    const numbers = numbersOf(payload.subarray(filterAt + FILTER_HASH_BYTES));
    const positions = new Map<number, number>();
    let tenantId = 0;
    for (let i = 1; i + 1 < numbers.length; i += 2) {
      tenantId += numbers[i] as number;
      positions.set(tenantId, numbers[i + 1] as number);
    }
    return { positions, turn: numbers[0] ?? 0, filter, epoch: named, mark: markIn(payload) };
  }
}

/** What identifies the entries before the positions of a cursor. @param marks of `ArrivalReader`, by tenant */
export function markOf(marks: ReadonlyMap<number, string>): string {
  const lines = [...marks].sort(([a], [b]) => a - b).map(([tenantId, hash]) => `${tenantId} ${hash}\n`);
  const digest = createHash('sha256').update(lines.join('')).digest().subarray(0, MARK_BYTES);
  return Buffer.from(digest.map((byte) => byte | HIGH_BIT)).toString('hex');
}

/** Whether there is a mark for each position behind an entry. */
export const areWhole = (positions: ReadonlyMap<number, number>, marks: ReadonlyMap<number, string>) =>
  [...positions].every(([tenantId, position]) => position === 0 || marks.has(tenantId));

function markIn(payload: Buffer): string | null {
  const bytes = payload.subarray(-MARK_BYTES);
  return bytes.every((byte) => byte >= HIGH_BIT) ? bytes.toString('hex') : null;
}

const foreign = () =>
  new DomainError('invalid_parameter', {
    public:
      'this service did not issue this cursor: it was changed or cut on its way, or another installation made it. ' +
      'Send meta.nextCursor of the last answer as it is, or begin anew with from=beginning, from=now or from=<time of arrival>.',
  });

/** A position of the cursor may hold another event now. */
export const ofEarlierLog = ({ beganAt }: EpochState) =>
  new DomainError('cursor_of_earlier_log', {
    public:
      'The database was restored, and cursor is of the log as it was before: going on from it could miss events. ' +
      `Begin anew with from=<receivedAt of the last event you have>, or with from=${beganAt.toISOString()} if that is earlier. ` +
      'Events that you have already may come again: recordId shows them.',
  });

const macOf = (key: Buffer, payload: Buffer) =>
  createHmac('sha256', key).update(payload).digest().subarray(0, MAC_BYTES);

/** Writes seven bits in each byte, the lowest bits first. The last byte has its high bit clear. */
function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

function numbersOf(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let [value, factor] = [0, 1];
  for (const byte of bytes) {
    value += (byte & 0x7f) * factor;
    factor *= 0x80;
    if (byte & 0x80) continue;
    numbers.push(value);
    [value, factor] = [0, 1];
  }
  return numbers;
}

export type GivenFilters = ParameterValues<typeof FILTER_PARAMETERS>;

/**
 * A hash that is the same for the same filters in any order. It covers the filters as given and not as parsed, because
 * a cursor must outlive releases.
 */
export function filterHash(given: GivenFilters): Buffer {
  const texts = Object.entries(FILTER_PARAMETERS).flatMap(([name, { kind }]) => {
    const value = given[name as keyof GivenFilters];
    if (value === undefined) return [];
    return [[name, kind === 'time' ? String(parseTicks(String(value))) : String(value)] as const];
  });
  const sorted = texts.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest().subarray(0, FILTER_HASH_BYTES);
}
