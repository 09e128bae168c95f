import { readFileSync } from 'node:fs';
import { CommandError } from './service-client';

/** The text of a file in UTF-8. @throws CommandError */
export function textOf(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw new CommandError(`The file cannot be read: ${(error as Error).message}`);
  }
}
