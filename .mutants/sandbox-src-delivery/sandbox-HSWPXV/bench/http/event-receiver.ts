import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const POSITION = '"position":';

/** A receiver of webhooks that accepts all events and counts them. */
export class EventReceiver {
  events = 0;
  requests = 0;

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<EventReceiver> {
    const made: { receiver?: EventReceiver } = {};
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      made.receiver?.take(Buffer.concat(chunks));
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const close = () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
    made.receiver = new EventReceiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, close);
    return made.receiver;
  }

  take(body: Buffer): void {
    this.requests += 1;
    for (let at = body.indexOf(POSITION); at >= 0; at = body.indexOf(POSITION, at + POSITION.length))
      this.events += 1;
  }
}
