import { DecodeError } from './decode-error';
import type { ActionType, EventType } from './event-type';
import { tickTime } from './filetime';
import { FORMAT_VERSION, LIMITS } from './limits';
import { KIND, kindOf } from './object-ref';
import type { Schema } from './schema';

/** One event of a block. It refers to the block's bytes: convert it, do not keep it. */
export interface DecodedEvent {
  readonly type: EventType;
  /** UTC, 100 ns since 1601. */
  readonly filetime: bigint;
  /** Slots and values of the columns, bounds checked. */
  readonly payload: Buffer;
  readonly actions: readonly DecodedAction[];
}
export interface DecodedAction {
  readonly type: ActionType;
  readonly bytes: Buffer;
}

const EVENT_HEADER_BYTES = 24;
const ACTION_HEADER_BYTES = 8;
const VERSION_BITS = 0x3f;
const HAS_ACTIONS = 0x80000000;
const NO_ACTIONS: readonly DecodedAction[] = [];

/**
 * All events of a data region `[start, end)` of `bytes`, which they must fill to its last byte.
 * @param fileOffset where `bytes[0]` stands in the file
 * @throws DecodeError
 */
export function decodeEvents(
  bytes: Buffer,
  region: { readonly start: number; readonly end: number; readonly fileOffset: number },
  schema: Schema,
): DecodedEvent[] {
  const events: DecodedEvent[] = [];
  const { end, fileOffset } = region;
  let at = region.start;
  while (at < end) {
    if (events.length === LIMITS.eventsPerBlockMax) throw new DecodeError(fileOffset + at, 'too many events');
    if (end - at < EVENT_HEADER_BYTES)
      throw new DecodeError(fileOffset + at, 'bytes left after the last event');
    // Bits 6 to 30 of the flags are left uninitialised by the server.
    const flags = bytes.readUInt32LE(at + 4);
    if ((flags & VERSION_BITS) !== FORMAT_VERSION) throw new DecodeError(fileOffset + at, 'not an event');
    const type = schema.eventType(bytes.readUInt32LE(at));
    if (typeof type === 'string') throw new DecodeError(fileOffset + at, type);
    const filetime = tickTime(type.clock, bytes.readBigUInt64LE(at + 12));
    if (filetime === null) throw new DecodeError(fileOffset + at, 'event time after the year 9999');
    const length = bytes.readUInt32LE(at + 20);
    const payloadStart = at + EVENT_HEADER_BYTES;
    if (length > end - payloadStart)
      throw new DecodeError(fileOffset + at, 'event beyond the end of its block');
    const payload = bytes.subarray(payloadStart, payloadStart + length);
    checkPayload(type, payload, fileOffset + payloadStart);
    at = payloadStart + length;
    let actions = NO_ACTIONS;
    if ((flags & HAS_ACTIONS) !== 0) {
      const decoded = decodeActions(bytes, at, end, fileOffset, schema);
      actions = decoded.actions;
      at = decoded.next;
    }
    events.push({ type, filetime, payload, actions });
  }
  return events;
}

function checkPayload(type: EventType, payload: Buffer, offset: number): void {
  const length = payload.length;
  if (length < type.slotBytes) {
    throw new DecodeError(offset, `${length} bytes are too few for the columns of "${type.name}"`);
  }
  let valueBytes = 0;
  for (const column of type.variableColumns) {
    const start = payload.readUInt32LE(column.offset);
    const size = payload.readUInt32LE(column.offset + 4);
    valueBytes += size;
    // No byte belongs to two values: without this check a small file could ask for a lot of text.
    if (start + size > length || valueBytes > length) {
      throw new DecodeError(offset + column.offset, `value of "${column.name}" beyond the end of its event`);
    }
  }
}

function decodeActions(bytes: Buffer, start: number, end: number, fileOffset: number, schema: Schema) {
  const actions: DecodedAction[] = [];
  let at = start;
  for (;;) {
    if (end - at < ACTION_HEADER_BYTES) throw new DecodeError(fileOffset + at, 'actions without an end');
    const ref = bytes.readUInt32LE(at);
    const length = bytes.readUInt32LE(at + 4);
    at += ACTION_HEADER_BYTES;
    if (kindOf(ref) !== KIND.action) {
      if (length !== 0) throw new DecodeError(fileOffset + at, 'end of actions with a value');
      return { actions, next: at };
    }
    const type = schema.actionType(ref);
    if (typeof type === 'string') throw new DecodeError(fileOffset + at, type);
    if (length > end - at || (type.size !== 0 && length !== type.size)) {
      throw new DecodeError(fileOffset + at, `value of action "${type.name}" has ${length} bytes`);
    }
    actions.push({ type, bytes: bytes.subarray(at, at + length) });
    at += length;
  }
}
