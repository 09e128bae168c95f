import { spawn } from 'node:child_process';

/**
 * A step that outlives a killed set-up would write into the same folders as the next set-up. So descriptor 3 is a pipe
 * that closes with the parent, even after SIGKILL, and the child then ends. Node's own channel would not do, since Prisma
 * waits on it for ever.
 */
const LEAVE_WITH_PARENT =
  "data:text/javascript,import{Socket}from'node:net';" +
  'new Socket({fd:3}).on("error",()=>{}).on("close",()=>process.exit(1)).resume().unref()';

/** Exit code and text output of a Node script run in a child process. */
export function runNode(script, args, { cwd, env = {} }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', LEAVE_WITH_PARENT, script, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => {
      child.stdio[3].destroy();
      child.once('close', () => resolve({ code: code ?? 1, output: output.trim() }));
    });
  });
}

/** A failed step: `output` is what its tool printed, and the message says what to do. */
export class SetupFailure extends Error {
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}
