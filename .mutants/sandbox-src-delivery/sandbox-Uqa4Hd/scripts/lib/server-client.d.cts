export type ServerKind = 'postgres' | 'redis';

/** A private server on a loopback port; `close` ends it and removes its data. */
export interface OpenServer {
  readonly url: string;
  readonly port: number;
  /** Process id; null while the server is not running. */
  readonly pid: number | null;
  /** Sends a signal, by default SIGKILL; SIGSTOP freezes the server and all its workers until SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Shuts the server down in order. */
  stop(): Promise<void>;
  /** Starts the server again after `kill` or `stop`, on the same port and data. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** How to get a server that this machine lacks. */
export interface SkippedServer {
  readonly skipped: string;
}

/** @param options durable: PostgreSQL with fsync, Redis with an append-only file */
export function openServer(
  kind: ServerKind,
  options?: { readonly durable?: boolean },
): Promise<OpenServer | SkippedServer>;
