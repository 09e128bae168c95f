import { types } from 'node:util';

/** Texts by system error code: why the service cannot listen at an address, and what to set. */
const LISTEN_FAILURES: Readonly<Record<string, (at: string) => string>> = {
  EADDRINUSE: (at) => `another program, or this service already, listens at ${at}: set PORT or METRICS_PORT`,
  EACCES: (at) => `this user may not listen at ${at}: set PORT or METRICS_PORT`,
  EADDRNOTAVAIL: (at) => `${at} is no address of this host: set HOST or METRICS_HOST`,
  ENOTFOUND: (at) => `${at} is neither an address nor the name of one: set HOST or METRICS_HOST`,
};

/** Why the service did not start, as a sentence for the operator. */
export function startFailureText(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  const { code = '', syscall, address, hostname, port } = error as ListenError;
  const at = hostname ?? [address, port].filter((part) => part !== undefined).join(' port ');
  const explain = syscall === 'listen' || syscall === 'getaddrinfo' ? LISTEN_FAILURES[code] : undefined;
  return explain ? `${explain(at)}.` : error.message;
}

interface ListenError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly hostname?: string;
  readonly port?: number;
}
