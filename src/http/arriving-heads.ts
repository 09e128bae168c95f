import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Of a connection: bytes read when its last request was answered, and requests of it in work. */
interface Reading {
  from: number;
  inWork: number;
}

/**
 * Bounds what the heads of requests that are still arriving hold together, from whatever addresses and without a key:
 * beyond it the connections that hold most are closed. Each head has its own bound, the parser's.
 * @param everyMs between looks
 */
export function boundArrivingHeads(server: Server, bytesMax: number, everyMs: number): void {
  const readings = new Map<Socket, Reading>();
  server.on('connection', (socket: Socket) => {
    readings.set(socket, { from: 0, inWork: 0 });
    socket.once('close', () => readings.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const reading = readings.get(socket);
    if (!reading) return;
    reading.inWork++;
    response.once('close', () => {
      reading.inWork--;
      reading.from = socket.bytesRead;
    });
  });
  const timer = setInterval(() => {
    const arriving = [...readings]
      .filter(([, { inWork }]) => inWork === 0)
      .map(([socket, { from }]) => ({ socket, bytes: socket.bytesRead - from }));
    let sum = arriving.reduce((all, { bytes }) => all + bytes, 0);
    if (sum <= bytesMax) return;
    for (const { socket, bytes } of arriving.toSorted((a, b) => b.bytes - a.bytes)) {
      if (sum <= bytesMax) return;
      socket.destroy();
      sum -= bytes;
    }
  }, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}
