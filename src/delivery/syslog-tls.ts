import type { Socket } from 'node:net';
import { type Endpoint, openSocket } from './guarded-socket';
import type { NetworkGuard } from './network-guard';
import { failureOf, type Outcome } from './outcome';

const WRITE_MS = 20_000;

/**
 * Syslog over TLS (RFC 5425), with each message preceded by its length. The protocol has no acknowledgements. Messages
 * count as delivered when the connection has taken all of them. If the receiver fails at that moment, messages on the
 * way are lost.
 */
export class SyslogTls {
  #socket: Socket | null = null;

  constructor(
    private readonly guard: NetworkGuard,
    private readonly endpoint: Endpoint,
  ) {}

  async send(messages: readonly Buffer[], signal: AbortSignal): Promise<Outcome> {
    try {
      const socket = await this.#open(signal);
      const frames = messages.flatMap((message) => [Buffer.from(`${message.length} `), message]);
      await write(socket, Buffer.concat(frames), signal);
      return { kind: 'accepted' };
    } catch (error) {
      this.close();
      return failureOf(error);
    }
  }

  async #open(signal: AbortSignal): Promise<Socket> {
    const open = this.#socket;
    // A receiver that has closed its side would lose the messages.
    if (open && !open.destroyed && open.writable && !open.readableEnded) return open;
    const socket = await openSocket(this.guard, this.endpoint, signal);
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    // The receiver sends no data, but the end of the connection must be noticed.
    socket.resume();
    socket.unref();
    this.#socket = socket;
    return socket;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }
}

function write(socket: Socket, bytes: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const end = (error?: Error | null) => {
      clearTimeout(late);
      socket.off('close', closed);
      signal.removeEventListener('abort', closed);
      if (error) fail(error);
      else done();
    };
    const closed = () => end(new Error('the connection was closed'));
    const late = setTimeout(() => end(new Error(`not taken within ${WRITE_MS / 1000} seconds`)), WRITE_MS);
    socket.once('close', closed);
    signal.addEventListener('abort', closed, { once: true });
    socket.write(bytes, end);
  });
}
