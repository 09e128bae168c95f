import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { QueuedEvent } from '../batch/queued-event';
import type { Secret } from '../config/secret';
import { errorText } from '../log';
import { type Answer, toAnswer } from './answer';
import { isTimeout, withDeadline } from './deadline';

export interface IngestTarget {
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly tenantId: string;
}

const MUTATION =
  'mutation($batch: AuditEventBatch!) { ingestAuditEvents(batch: $batch) { accepted duplicates rejected { index code message } } }';
/** A receipt names each rejected event once; anything longer is not from the service. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const compress = promisify(gzip);

/** Sends events to the service, once. Never throws: what goes wrong on the way is an answer too. */
export class IngestClient {
  private readonly url: string;

  constructor(
    private readonly target: IngestTarget,
    private readonly requestTimeoutMs: number,
  ) {
    this.url = `${target.baseUrl}/graphql`;
  }

  async send(events: readonly QueuedEvent[], abandon: AbortSignal): Promise<Answer> {
    try {
      const answer = await withDeadline(this.requestTimeoutMs, abandon, (signal) =>
        this.request(events, signal),
      );
      return answer.kind === 'busy' ? { ...answer, message: `${this.url}: ${answer.message}` } : answer;
    } catch (error) {
      const isLate = isTimeout(error);
      return busy(
        isLate ? `${this.url}: no answer in time` : `${this.url}: cannot be reached: ${errorText(error)}`,
      );
    }
  }

  private async request(events: readonly QueuedEvent[], signal: AbortSignal): Promise<Answer> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        accept: 'application/json',
        'x-api-key': this.target.apiKey.reveal(),
      },
      // Level 1: statements shrink to a fraction anyway, and the database host has better uses for its processor.
      body: await compress(requestBody(this.target.tenantId, events), { level: 1 }),
      // The key goes to the configured address and nowhere else.
      redirect: 'manual',
      signal,
    });
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      return busy(`it answers with a redirection (HTTP ${status}): correct CentralApi.BaseUrl`);
    }
    const retryAfter = response.headers.get('retry-after');
    return toAnswer({ status, retryAfter, body: await textOf(response) }, events.length, Date.now());
  }
}

/** Bytes that a request has beside its events, at most; the tenant id is short. */
export const ENVELOPE_BYTES = 1024;

function requestBody(tenantId: string, events: readonly QueuedEvent[]): string {
  const list = events.map(({ json }) => json).join(',');
  return `{"query":${JSON.stringify(MUTATION)},"variables":{"batch":{"tenantId":${JSON.stringify(tenantId)},"events":[${list}]}}}`;
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer does not end');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const busy = (message: string): Answer => ({ kind: 'busy', message, retryAfterMs: null });
