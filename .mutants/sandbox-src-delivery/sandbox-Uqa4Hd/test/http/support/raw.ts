import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const closed = (socket: Socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve()));

/** Opens a TCP connection to the service, for requests that no HTTP client would send. */
export function open(url: string): { readonly socket: Socket; readonly ended: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  return { socket, ended: closed(socket).then(() => received) };
}

/** Sends the text. @returns the answer, once the service has closed the connection */
export async function send(url: string, text: string): Promise<RawAnswer> {
  const { socket, ended } = open(url);
  socket.write(text);
  return parseAnswer(await ended);
}

/** Sends `part` every `everyMs` until the service closes the connection. @returns what the service sent */
export async function trickle(url: string, first: string, part: string, everyMs: number): Promise<string> {
  const { socket, ended } = open(url);
  socket.write(first);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over) {
    await Promise.race([ended, delay(everyMs)]);
    if (socket.writable) socket.write(part);
  }
  return ended;
}

export function parseAnswer(raw: string): RawAnswer {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((header) => {
      const at = header.indexOf(':');
      return [header.slice(0, at).toLowerCase(), header.slice(at + 1).trim()];
    }),
  );
  return { status: Number(line.split(' ')[1]), headers, text: rest.join('\r\n\r\n') };
}
