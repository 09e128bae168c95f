import { join } from 'node:path';
import { appendLines, fileNameOf } from '../durable-file';

export interface DeadLetter {
  readonly code: string;
  readonly message: string;
  /** The event. */
  readonly json: string;
}

/** Where the dead letters of a database are. */
export const deadLettersPath = (dataDir: string, database: string): string =>
  join(dataDir, 'rejected', `${fileNameOf(database)}.ndjson`);

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
