import type { AuditRecord } from '../src/event/audit-record';
import { JsonText } from './json-text';
import { QueuedEvents } from './queued-events';

export interface BatchLimits {
  readonly eventsMax: number;
  /** JSON bytes after which a batch is full. */
  readonly bytesMax: number;
  /** How long an event may wait for others to join its batch. */
  readonly ageMaxMs: number;
}

const COMMA = 0x2c;
/** Room beyond a batch that is full: its last event is written when the batch is not. */
const ROOM_BYTES = 32 * 1024;
const FREE_MAX = 2;

/** Collects events until they are enough, in number or bytes, or the first has waited long enough. */
export class Batcher {
  private text: JsonText | null = null;
  /** Where each event begins in the text, and at last where the next one would. */
  private starts: number[] = [0];
  private newest: string | null = null;
  private readonly free: Buffer[] = [];
  private firstAtMs = 0;

  constructor(private readonly limits: BatchLimits) {}

  /** @param sourceType the kind of source that the record was read from */
  add(record: AuditRecord, sourceType: string, nowMs: number): void {
    this.begin(nowMs).json(JSON.stringify({ ...record, sourceType }));
    this.end();
    this.saw(record.eventTime);
  }

  /** Where the JSON of the next event is to be written; `end` is to be called behind it. */
  begin(nowMs: number): JsonText {
    this.text ??= new JsonText(this.free.pop() ?? Buffer.allocUnsafeSlow(this.limits.bytesMax + ROOM_BYTES));
    if (this.length === 0) this.firstAtMs = nowMs;
    return this.text;
  }

  end(): void {
    if (this.text === null) return;
    this.text.byte(COMMA);
    this.starts.push(this.text.at);
  }

  /** @param eventTime of an event that was added, ISO 8601 UTC with seven decimals: texts sort as the times do */
  saw(eventTime: string): void {
    if (this.newest === null || eventTime > this.newest) this.newest = eventTime;
  }

  get length(): number {
    return this.starts.length - 1;
  }

  get isFull(): boolean {
    return this.length >= this.limits.eventsMax || this.bytes >= this.limits.bytesMax;
  }

  /** When the batch must go at the latest; null while it is empty. */
  get dueAtMs(): number | null {
    return this.length === 0 ? null : this.firstAtMs + this.limits.ageMaxMs;
  }

  take(): QueuedEvents {
    const { text, starts, newest } = this;
    this.text = null;
    this.starts = [0];
    this.newest = null;
    return new QueuedEvents(text?.bytes ?? Buffer.alloc(0), starts, newest);
  }

  /** The memory of events that nobody needs any more: garbage of this size makes V8 collect all of it again and again. */
  reuse({ memory }: QueuedEvents): void {
    const isUsual = memory.length === this.limits.bytesMax + ROOM_BYTES;
    if (isUsual && this.free.length < FREE_MAX) this.free.push(memory);
  }

  private get bytes(): number {
    return this.text === null ? 0 : this.text.at - this.length;
  }
}
