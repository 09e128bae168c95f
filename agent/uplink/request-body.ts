import type { QueuedEvent } from '../batcher';

const MUTATION =
  'mutation($batch: AuditEventBatch!) { ingestAuditEvents(batch: $batch) { accepted duplicates rejected { index code message } } }';

/** At most so many bytes of a request are neither events nor commas between them. The tenant id is short. */
export const ENVELOPE_BYTES = 1024;

/** Usual batches are smaller. The memory of a larger one is given back. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** The JSON of ingest requests, written into the same memory again and again. */
export class RequestBody {
  private readonly start: string;
  private readonly end = ']}}}';
  private kept = Buffer.alloc(0);

  constructor(tenantId: string | null) {
    this.start = `{"query":${JSON.stringify(MUTATION)},"variables":{"batch":{"tenantId":${JSON.stringify(tenantId)},"events":[`;
  }

  /** @returns UTF-8, valid until the next call */
  of(events: readonly QueuedEvent[]): Buffer {
    const bytes = events.reduce((sum, event) => sum + event.bytes + 1, ENVELOPE_BYTES);
    const buffer = this.room(bytes);
    let at = buffer.write(this.start);
    events.forEach(({ json }, i) => {
      if (i > 0) at += buffer.write(',', at);
      at += buffer.write(json, at);
    });
    at += buffer.write(this.end, at);
    return buffer.subarray(0, at);
  }

  private room(bytes: number): Buffer {
    if (bytes > KEPT_BYTES_MAX) return Buffer.allocUnsafeSlow(bytes);
    if (this.kept.length < bytes) this.kept = Buffer.allocUnsafeSlow(bytes);
    return this.kept;
  }
}
