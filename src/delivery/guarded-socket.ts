import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TlsOptions } from './guarded-http';
import type { NetworkGuard } from './network-guard';

const CONNECT_MS = 10_000;

/** The host and port of a TCP connection. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** Null: without encryption. */
  readonly tls: TlsOptions | null;
}

/** Opens a connection to an address that the guard allows. @throws RefusedAddress, or the error of the connection */
export async function openSocket(
  guard: NetworkGuard,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<Socket> {
  const { host, port, tls } = endpoint;
  const isPlain = tls === null;
  // An address is not resolved, so it is checked here. For a name, the connection itself asks the guard by `lookup`.
  if (isIP(host) > 0) await guard.addressesOf(host, isPlain);
  const lookup = guard.lookup(isPlain);
  const isName = isIP(host) === 0;
  const to = { host, port, lookup, autoSelectFamily: false };
  const socket = isPlain
    ? connect(to)
    : connectTls({
        ...to,
        ...(isName && { servername: host }),
        ...(tls.ca !== undefined && { ca: tls.ca }),
        ...(tls.cert !== undefined && { cert: tls.cert }),
        ...(tls.key !== undefined && { key: tls.key }),
      });
  return new Promise((done, fail) => {
    const late = setTimeout(
      () => end(new Error(`no connection within ${CONNECT_MS / 1000} seconds`)),
      CONNECT_MS,
    );
    const aborted = () => end(new Error('the attempt was ended'));
    const end = (error?: Error) => {
      clearTimeout(late);
      signal.removeEventListener('abort', aborted);
      socket.off('error', end);
      if (!error) return done(socket);
      socket.on('error', () => {});
      socket.destroy();
      fail(error);
    };
    socket.once('error', end);
    socket.once(isPlain ? 'connect' : 'secureConnect', () => end());
    signal.addEventListener('abort', aborted, { once: true });
    if (signal.aborted) aborted();
  });
}
