import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** The text before the properties of each event. It cannot occur within a value, because quotes are escaped there. */
const EVENT_MARK = '"fileGuid":';

/** A stand-in for the service that acknowledges every event at once and stores none, so that only the agent works. */
export class IngestSink {
  /** Events acknowledged so far. */
  events = 0;
  requests = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<IngestSink> {
    const server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const accepted = sink.take(body);
        const answer = JSON.stringify({
          data: { ingestAuditEvents: { accepted, duplicates: 0, rejected: [] } },
        });
        response.setHeader('Content-Type', 'application/json').end(answer);
      });
    });
    const sink = new IngestSink(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(body: Buffer): number {
    let events = 0;
    for (let at = body.indexOf(EVENT_MARK); at >= 0; at = body.indexOf(EVENT_MARK, at + 1)) events += 1;
    this.events += events;
    this.requests += 1;
    return events;
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}
