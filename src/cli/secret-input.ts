import { readFile } from 'node:fs/promises';
import { CommandError } from './service-client';

/** Reads a secret that an operator keeps in a file; `-` is the standard input, for one secret of a command. */
export type ReadSecret = (file: string) => Promise<string>;

const STANDARD_INPUT = '-';

/** @param readInput reads the standard input to its end; without it the input is empty */
export function secretReader(readInput = async () => ''): ReadSecret {
  let isRead = false;
  const read = async (file: string) => {
    if (file !== STANDARD_INPUT) return readFile(file, 'utf8');
    if (isRead) throw new Error('the standard input holds one secret: give the other one by a file');
    isRead = true;
    return readInput();
  };
  return async (file) => {
    const text = await read(file).catch((error: Error) => {
      throw new CommandError(error.message, 'usage');
    });
    // Editors and shells end a file with a line break, and some begin it with a mark of its encoding.
    const secret = text.replace(/^\uFEFF/, '').replace(/[\r\n]+$/, '');
    if (secret !== '') return secret;
    throw new CommandError(
      file === STANDARD_INPUT ? 'The standard input is empty.' : `${file} is empty.`,
      'usage',
    );
  };
}
