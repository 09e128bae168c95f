import { type ByteView, viewOf } from './byte-view';
import { DecodeError, quoted } from './decode-error';
import type { ActionType, EventType } from './event-type';
import { filetimeText, tickTime } from './filetime';
import { FORMAT_VERSION, LIMITS } from './limits';
import { KIND, kindOf } from './object-ref';
import type { Schema } from './schema';

/** One event of a block. It refers to the block's bytes: convert it, and do not keep it. */
export interface DecodedEvent {
  readonly type: EventType;
  readonly block: ByteView;
  /** Where the event's payload begins in the block, with the slots and values of the columns. Their bounds are checked. */
  readonly payload: number;
  readonly actions: readonly DecodedAction[];
}
interface DecodedAction {
  readonly type: ActionType;
  /** Bounds of its value in the event's block. */
  readonly start: number;
  readonly end: number;
}

const EVENT_HEADER_BYTES = 24;
const TICKS_AT = 12;
const ACTION_HEADER_BYTES = 8;
const VERSION_BITS = 0x3f;
const HAS_ACTIONS = 0x80000000;
const NO_ACTIONS: readonly DecodedAction[] = [];

/**
 * All events of a data region `[start, end)` of `bytes`, which the events must fill to its last byte.
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
  const block = viewOf(bytes);
  const { view } = block;
  let at = region.start;
  while (at < end) {
    if (events.length === LIMITS.eventsPerBlockMax) throw new DecodeError(fileOffset + at, 'too many events');
    if (end - at < EVENT_HEADER_BYTES)
      throw new DecodeError(fileOffset + at, 'bytes left after the last event');
    // Bits 6 to 30 of the flags are left uninitialised by the server.
    const flags = view.getUint32(at + 4, true);
    if ((flags & VERSION_BITS) !== FORMAT_VERSION) throw new DecodeError(fileOffset + at, 'not an event');
    const type = schema.eventType(view.getUint32(at, true));
    if (typeof type === 'string') throw new DecodeError(fileOffset + at, type);
    if (!isBeforeYear10000(type, view, at + TICKS_AT))
      throw new DecodeError(fileOffset + at, 'event time after the year 9999');
    const length = view.getUint32(at + 20, true);
    const payload = at + EVENT_HEADER_BYTES;
    if (length > end - payload) throw new DecodeError(fileOffset + at, 'event beyond the end of its block');
    checkPayload(type, view, payload, length, fileOffset);
    at = payload + length;
    let actions = NO_ACTIONS;
    if ((flags & HAS_ACTIONS) !== 0) {
      const decoded = decodeActions(view, at, end, fileOffset, schema);
      actions = decoded.actions;
      at = decoded.next;
    }
    events.push({ type, block, payload, actions });
  }
  return events;
}

/** Time when the event was written, UTC with seven decimals. */
export function eventTimeText({ type, block, payload }: DecodedEvent): string {
  const ticks = block.view.getBigUint64(payload - EVENT_HEADER_BYTES + TICKS_AT, true);
  const filetime = tickTime(type.clock, ticks);
  return (filetime === null ? null : filetimeText(filetime)) ?? '';
}

function isBeforeYear10000(type: EventType, view: DataView, at: number): boolean {
  const ticks = view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
  return ticks < type.soundTicks || tickTime(type.clock, view.getBigUint64(at, true)) !== null;
}

function checkPayload(
  type: EventType,
  view: DataView,
  payload: number,
  length: number,
  fileOffset: number,
): void {
  if (length < type.slotBytes) {
    throw new DecodeError(
      fileOffset + payload,
      `${length} bytes are too few for the columns of ${quoted(type.name)}`,
    );
  }
  let valueBytes = 0;
  for (const column of type.variableColumns) {
    const at = payload + column.offset;
    const start = view.getUint32(at, true);
    const size = view.getUint32(at + 4, true);
    valueBytes += size;
    // No byte belongs to two values. Without this check a small file could ask for a lot of text.
    if (start + size > length || valueBytes > length) {
      throw new DecodeError(fileOffset + at, `value of ${quoted(column.name)} beyond the end of its event`);
    }
  }
}

function decodeActions(view: DataView, start: number, end: number, fileOffset: number, schema: Schema) {
  const actions: DecodedAction[] = [];
  let at = start;
  for (;;) {
    if (end - at < ACTION_HEADER_BYTES) throw new DecodeError(fileOffset + at, 'actions without an end');
    const ref = view.getUint32(at, true);
    const length = view.getUint32(at + 4, true);
    at += ACTION_HEADER_BYTES;
    if (kindOf(ref) !== KIND.action) {
      if (length !== 0) throw new DecodeError(fileOffset + at, 'end of actions with a value');
      return { actions, next: at };
    }
    const type = schema.actionType(ref);
    if (typeof type === 'string') throw new DecodeError(fileOffset + at, type);
    if (length > end - at || (type.size !== 0 && length !== type.size)) {
      throw new DecodeError(fileOffset + at, `value of action ${quoted(type.name)} has ${length} bytes`);
    }
    actions.push({ type, start: at, end: at + length });
    at += length;
  }
}
