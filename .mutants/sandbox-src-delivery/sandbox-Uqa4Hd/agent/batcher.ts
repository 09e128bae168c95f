import type { AuditRecord } from '../src/event/audit-record';
import { JsonText } from './json-text';
import { QueuedEvents } from './queued-events';

export interface BatchLimits {
  readonly eventsMax: number;
  /** JSON bytes after which a batch is full. */
  readonly bytesMax: number;
  /** The longest time that an event waits for others to join its batch. */
  readonly ageMaxMs: number;
}

const COMMA = 0x2c;
/** Room beyond the bound of a batch, since the last event begins while the batch is not full yet. */
const ROOM_BYTES = 32 * 1024;
const FREE_MAX = 2;

/** Collects events until the batch is full, by number or bytes, or its first event has waited long enough. */
export class Batcher {
  private text: JsonText | null = null;
  /** Where each event begins in the text, and behind them where the next one would begin. */
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

  /** The text to which the caller writes the JSON of the next event; `end` must be called after that. */
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

  /** Takes back the memory of delivered events for reuse, since garbage of this size makes V8 collect again and again. */
  reuse({ memory }: QueuedEvents): void {
    const isUsual = memory.length === this.limits.bytesMax + ROOM_BYTES;
    if (isUsual && this.free.length < FREE_MAX) this.free.push(memory);
  }

  private get bytes(): number {
    return this.text === null ? 0 : this.text.at - this.length;
  }
}
