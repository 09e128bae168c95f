import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Holdings } from '../caller/rate-limit/holdings';

/**
 * Closes the connections of an address beyond so many, idle ones too: one address leaves places to the others.
 * @param isProxy whether an address is that of a proxy, which connects for everybody
 */
export function boundEachAddress(
  server: Server,
  bounds: { readonly each: number; readonly all: number },
  isProxy: (address: string) => boolean,
): void {
  const open = new Holdings(bounds);
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // None: the caller has gone already.
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    if (open.take(remoteAddress, 1)) socket.once('close', () => open.give(remoteAddress, 1));
    else socket.destroy();
  });
}
