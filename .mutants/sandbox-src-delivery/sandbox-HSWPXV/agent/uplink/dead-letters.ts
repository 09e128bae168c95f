import { appendLines } from '../durable-file';

export interface DeadLetter {
  readonly code: string;
  readonly message: string;
  /** The event. */
  readonly json: string;
}

/** The events of a database that the service refuses for good, kept for a person to examine. */
export class DeadLetters {
  constructor(readonly path: string) {}

  /** Resolves when the dead letters are on disk. */
  async append(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    await appendLines(this.path, letters.map(toLine));
  }
}

/** Writes the event as it is, since it is already JSON and may be very large. */
const toLine = ({ code, message, json }: DeadLetter): string =>
  `{"code":${JSON.stringify(code)},"message":${JSON.stringify(message)},"event":${json}}`;
