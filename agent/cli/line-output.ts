import { errorCode } from '../log';

/** Lines to a stream, no faster than it takes them. */
export class LineOutput {
  private failure: Error | null = null;
  private wake: () => void = () => {};

  constructor(private readonly stream: NodeJS.WritableStream) {
    stream.on('error', (error) => {
      this.failure ??= error;
      this.wake();
    });
  }

  /** Resolves when the next line may come. @returns false when nobody takes lines any more */
  async write(line: string): Promise<boolean> {
    if (this.failure) return false;
    if (!this.stream.write(`${line}\n`)) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        this.stream.once('drain', resolve);
      });
    }
    return this.failure === null;
  }

  /** Why writing failed; null where it did not, or where the reader has just had enough (`| head`). */
  get problem(): Error | null {
    return errorCode(this.failure) === 'EPIPE' ? null : this.failure;
  }
}
