import type { ChildProcess } from 'node:child_process';

/** Written by Node or by the service where something was forgotten. */
const SIGNS_OF_A_MISTAKE = /unhandled|internal_error|TypeError|RangeError|MaxListeners|"level":60/i;

/** The last words of a process that ended as none should. */
const LAST_CHARS = 1_500;

/** What a service's process does that no service should: filled as it happens. */
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
