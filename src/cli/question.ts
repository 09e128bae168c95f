import { createInterface } from 'node:readline/promises';

interface Terminal {
  readonly isTTY?: boolean;
}

/**
 * Asks on stderr, because stdout is the command's answer.
 * @returns null: nobody can answer, since one of the two is no terminal
 */
export function questionsTo(
  stdin: NodeJS.ReadableStream & Terminal,
  stderr: NodeJS.WritableStream & Terminal,
): ((question: string) => Promise<boolean>) | null {
  if (!stdin.isTTY || !stderr.isTTY) return null;
  return async (question) => {
    const terminal = createInterface({ input: stdin, output: stderr });
    // The end of the input is no consent.
    const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), ended]);
    terminal.close();
    return /^y(?:es)?$/i.test(answer.trim());
  };
}
