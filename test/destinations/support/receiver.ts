import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The answer of a receiver; the default status is 200. Undefined: the receiver never answers. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The receiver closes the connection in place of an answer. */
  readonly isCut?: boolean;
}
type Answers = (request: Received) => Reply | undefined | Promise<Reply | undefined>;

/** A receiver of HTTP requests on this host that keeps all requests. */
export class Receiver {
  readonly requests: Received[] = [];
  /** Connections that are open now. */
  connections = 0;
  answers: Answers = () => ({});

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async open(port = 0): Promise<Receiver> {
    const made: { receiver?: Receiver } = {};
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = '', url: path = '', headers } = request;
      await made.receiver?.take({ method, path, headers, body: Buffer.concat(chunks) }, response);
    });
    // Whoever keeps a connection open is the one that closes it.
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
    const close = () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
    const receiver = new Receiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, close);
    server.on('connection', (socket) => {
      receiver.connections += 1;
      socket.once('close', () => {
        receiver.connections -= 1;
      });
    });
    made.receiver = receiver;
    return receiver;
  }

  async take(request: Received, response: ServerResponse): Promise<void> {
    this.requests.push(request);
    const reply = await this.answers(request);
    if (reply?.isCut) response.destroy();
    else if (reply) response.writeHead(reply.status ?? 200, reply.headers).end(reply.body ?? '');
  }
}

/** The fields of a feed item that tests read. */
export interface ItemBody {
  readonly recordId: string;
  readonly position: string;
  readonly statement: string;
  readonly tenantId: string;
}

export const itemsOf = ({ body }: Received): ItemBody[] => JSON.parse(body.toString('utf8')) as ItemBody[];
