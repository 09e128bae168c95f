export type ServerKind = 'postgres' | 'redis';

/** A real server of our own on a loopback port; `close` ends it and removes its data. */
export interface OpenServer {
  readonly url: string;
  readonly port: number;
  /** Process id, null while it is not running. */
  readonly pid: number | null;
  /** Sends a signal: SIGKILL unless told; SIGSTOP freezes it and all its workers until SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Shuts it down in order. */
  stop(): Promise<void>;
  /** Starts it again after `kill` or `stop`, on the same port and data. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Says how to get a server that this machine has not. */
export interface SkippedServer {
  readonly skipped: string;
}

/** @param options durable: PostgreSQL with fsync, Redis with an append-only file */
export function openServer(
  kind: ServerKind,
  options?: { readonly durable?: boolean },
): Promise<OpenServer | SkippedServer>;
