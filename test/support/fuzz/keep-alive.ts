import { Agent, request } from 'node:http';
import type { Answer } from '../answer';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends requests on open connections: with `fetch`, half of the time would go into the client. */
export class KeepAlive {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(private readonly url: string) {}

  send({ method, path, headers, body }: FuzzRequest): Promise<Answer> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve, reject) => {
      const sent = request({ agent: this.#agent, hostname, port, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const given = new Headers(response.headers as Record<string, string>);
          const isJson = given.get('content-type')?.startsWith('application/json') && text !== '';
          resolve({
            status: response.statusCode ?? 0,
            headers: given,
            text,
            body: isJson ? JSON.parse(text) : null,
          });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Runs `work` for each item, 16 at a time. A failure names its item. */
export async function forEach<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const worker = async () => {
    for (const one of left) {
      await work(one).catch((error: Error) => {
        throw new Error(`${error.message}\nby ${JSON.stringify(one)?.slice(0, 4_000)}`, { cause: error });
      });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
