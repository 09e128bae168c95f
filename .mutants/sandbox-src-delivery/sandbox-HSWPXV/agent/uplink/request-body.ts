import type { QueuedEvents } from '../queued-events';

const MUTATION =
  'mutation($batch: AuditEventBatch!) { ingestAuditEvents(batch: $batch) { accepted duplicates rejected { index code message } } }';

/** The most bytes of a request that are neither events nor commas between them. The tenant id is short. */
export const ENVELOPE_BYTES = 1024;

/** The JSON of ingest requests, in UTF-8. */
export class RequestBody {
  private readonly start: Buffer;
  private readonly end = Buffer.from(']}}}');

  constructor(tenantId: string | null) {
    this.start = Buffer.from(
      `{"query":${JSON.stringify(MUTATION)},"variables":{"batch":{"tenantId":${JSON.stringify(tenantId)},"events":[`,
    );
  }

  /** The body in parts, so that the events' bytes are not copied. */
  of({ json }: QueuedEvents): readonly Uint8Array[] {
    return [this.start, json, this.end];
  }
}
