import type { ChildProcess } from 'node:child_process';

/** Output of Node or of the service that shows a defect, such as an unhandled rejection. */
const SIGNS_OF_A_MISTAKE = /unhandled|internal_error|TypeError|RangeError|MaxListeners|"level":60/i;

/** The last output of a process that crashed. */
const LAST_CHARS = 1_500;

/** Defects that show in the output or the end of a service's process; the list grows as they happen. */
export function mistakesOf(child: ChildProcess): string[] {
  const mistakes: string[] = [];
  let [isUp, last] = [false, ''];
  child.stdout?.once('data', () => {
    isUp = true;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    const text = String(chunk);
    last = (last + text).slice(-LAST_CHARS);
    if (SIGNS_OF_A_MISTAKE.test(text)) mistakes.push(text);
  });
  child.once('exit', (code, signal) => {
    if (isUp && code !== 0 && signal !== 'SIGKILL') mistakes.push(`it ended with ${code ?? signal}: ${last}`);
  });
  return mistakes;
}
