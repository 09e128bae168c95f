import { errorCode } from '../log';

/** Writes lines to a stream, no faster than it takes them. */
export class LineOutput {
  private error: Error | null = null;
  private wake: () => void = () => {};

  constructor(private readonly stream: NodeJS.WritableStream) {
    stream.on('error', (error) => {
      this.error ??= error;
      this.wake();
    });
  }

  /** Resolves when the next line may be written. @returns false if the reader takes no more lines */
  async write(line: string): Promise<boolean> {
    if (this.error) return false;
    if (!this.stream.write(`${line}\n`)) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        this.stream.once('drain', resolve);
      });
    }
    return this.error === null;
  }

  /** Why writing failed; null if it did not, or if the reader closed the pipe (`| head`). */
  get problem(): Error | null {
    return errorCode(this.error) === 'EPIPE' ? null : this.error;
  }
}
