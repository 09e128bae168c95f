import { basename, dirname, resolve, sep } from 'node:path';
import { errorText } from './log';

/** The package's types are those of an ES module. CommonJS reaches them in this way. */
const load = () => import('rotating-file-stream');
type CreateStream = Awaited<ReturnType<typeof load>>['createStream'];

export interface LogFileOptions {
  /** The size at which a new file is begun, such as `10M`. */
  readonly size: `${number}${'B' | 'K' | 'M'}`;
  /** Number of older files kept: `agent.log.1`, the newest, to `agent.log.5`. */
  readonly keep: number;
  /** The time after which a file that cannot be written is tried again. */
  readonly retryMs: number;
  /** The most bytes that wait to be written. If more wait, the disk hangs. */
  readonly waitingBytesMax: number;
}

export const LOG_FILE: LogFileOptions = {
  size: '10M',
  keep: 5,
  retryMs: 60_000,
  waitingBytesMax: 1024 * 1024,
};

/** A rotated log file. If it cannot be written, the agent works without it. */
export class LogFile {
  private stream: ReturnType<CreateStream> | null = null;
  private retryAtMs = 0;
  private lastFailure = '';

  private constructor(
    private readonly path: string,
    private readonly onFailure: (reason: string) => void,
    private readonly options: LogFileOptions,
    private readonly createStream: CreateStream,
  ) {}

  /** @param onFailure is called with the reason why the file cannot be written, once per reason */
  static async open(
    path: string,
    onFailure: (reason: string) => void,
    options: LogFileOptions = LOG_FILE,
  ): Promise<LogFile> {
    const { createStream } = await load();
    return new LogFile(path, onFailure, options, createStream);
  }

  /** @returns false if the file does not take the line */
  write(line: string): boolean {
    const stream = this.stream ?? this.opened();
    if (stream === null || stream.writableLength > this.options.waitingBytesMax) return false;
    stream.write(line);
    return true;
  }

  /** Resolves when everything is written, or cannot be. */
  async close(): Promise<void> {
    const { stream } = this;
    if (stream === null) return;
    await new Promise<void>((done) => {
      stream.once('close', done);
      stream.end();
    });
  }

  private opened(): ReturnType<CreateStream> | null {
    if (performance.now() < this.retryAtMs) return null;
    const path = resolve(this.path);
    const { size, keep } = this.options;
    const stream = this.createStream(basename(path), {
      path: dirname(path) + sep,
      size,
      rotate: keep,
      mode: 0o640,
    });
    stream.on('error', (error) => this.failed(error));
    stream.once('open', () => {
      this.lastFailure = '';
    });
    this.stream = stream;
    return stream;
  }

  private failed(error: Error): void {
    this.stream = null;
    this.retryAtMs = performance.now() + this.options.retryMs;
    const reason = `${this.path}: cannot be written: ${errorText(error)}`;
    if (reason !== this.lastFailure) this.onFailure(reason);
    this.lastFailure = reason;
  }
}
