import type { QueuedEvent } from '../batcher';

const MUTATION =
  'mutation($batch: AuditEventBatch!) { ingestAuditEvents(batch: $batch) { accepted duplicates rejected { index code message } } }';

/** At most so many bytes of a request are neither events nor commas between them. The tenant id is short. */
export const ENVELOPE_BYTES = 1024;

/** Usual batches are smaller. The memory of a larger one is given back. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** The JSON of ingest requests, written into the same memory again and again: a piece for each request at once. */
export class RequestBody {
  private readonly start: string;
  private readonly end = ']}}}';
  private readonly free: Buffer[] = [];

  constructor(tenantId: string | null) {
    this.start = `{"query":${JSON.stringify(MUTATION)},"variables":{"batch":{"tenantId":${JSON.stringify(tenantId)},"events":[`;
  }

  /**
   * @param use is given the body in UTF-8, which is valid until its promise has settled
   * @returns what `use` returns
   */
  async with<T>(events: readonly QueuedEvent[], use: (body: Buffer) => Promise<T>): Promise<T> {
    const bytes = events.reduce((sum, event) => sum + event.bytes + 1, ENVELOPE_BYTES);
    const room = this.room(bytes);
    try {
      return await use(room.subarray(0, this.write(events, room)));
    } finally {
      if (room.length <= KEPT_BYTES_MAX) this.free.push(room);
    }
  }

  private write(events: readonly QueuedEvent[], room: Buffer): number {
    let at = room.write(this.start);
    events.forEach(({ json }, i) => {
      if (i > 0) at += room.write(',', at);
      at += room.write(json, at);
    });
    return at + room.write(this.end, at);
  }

  private room(bytes: number): Buffer {
    const kept = bytes > KEPT_BYTES_MAX ? undefined : this.free.pop();
    return kept && kept.length >= bytes ? kept : Buffer.allocUnsafeSlow(bytes);
  }
}
