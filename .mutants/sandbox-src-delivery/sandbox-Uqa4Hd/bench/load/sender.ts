import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const HEAD =
  '{"query":"mutation($batch: AuditEventBatch!) { ingestAuditEvents(batch: $batch) { accepted duplicates rejected { index code message } } }","variables":{"batch":{"events":';
const RETRIES = 60;

interface Receipt {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly message: string }[];
}

/** The body of the request that stores a batch. @param events JSON of a list */
export const bodyOf = (events: string): Buffer => Buffer.from(`${HEAD}${events}}}}`);

/** Sends batches as agents do, on connections that stay open. */
export class Sender {
  readonly #agent: http.Agent;
  /** How often the service answered that the request should come again later. */
  heldBack = 0;

  constructor(
    private readonly url: string,
    connections: number,
  ) {
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  /** @returns how many events were new. @throws Error if an event was refused */
  async send(key: string, body: Buffer): Promise<number> {
    for (let attempt = 0; attempt < RETRIES; attempt++) {
      const { status, retryAfter, text } = await this.#post(key, body);
      if (status === 429 || status === 503) {
        this.heldBack += 1;
        await sleep(Math.max(50, retryAfter * 1000));
        continue;
      }
      const { data, errors } = JSON.parse(text) as {
        data?: { ingestAuditEvents?: Receipt };
        errors?: readonly { message: string; extensions?: { code?: string } }[];
      };
      if (errors?.[0]?.extensions?.code === 'service_unavailable') {
        this.heldBack += 1;
        await sleep(500);
        continue;
      }
      const receipt = data?.ingestAuditEvents;
      if (!receipt) throw new Error(`ingest answered ${status}: ${text.slice(0, 500)}`);
      if (receipt.rejected[0]) throw new Error(`rejected: ${receipt.rejected[0].message}`);
      return receipt.accepted;
    }
    throw new Error('the service kept asking to come back later');
  }

  close(): void {
    this.#agent.destroy();
  }

  #post(key: string, body: Buffer): Promise<{ status: number; retryAfter: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = http.request(`${this.url}/graphql`, {
        method: 'POST',
        agent: this.#agent,
        headers: { 'Content-Type': 'application/json', 'Content-Length': body.length, 'X-Api-Key': key },
      });
      request.once('error', reject);
      request.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('error', reject);
        response.once('end', () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, retryAfter: Number(headers['retry-after'] ?? 0), text });
        });
      });
      request.end(body);
    });
  }
}

/** Runs jobs, at most `width` at once, and begins them in order. */
export async function inParallel<T>(
  jobs: Iterable<T>,
  width: number,
  work: (job: T) => Promise<void>,
): Promise<void> {
  const queue = jobs[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
