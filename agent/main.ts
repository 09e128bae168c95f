import './heap';
import { CommanderError } from 'commander';
import { agentProgram } from './cli/program';
import { errorText } from './log';

/** A pause before a repeated request cannot be cut short, so the process does not wait for it once the work is done. */
const LEAVE_AFTER_MS = 1_000;

void main();

/** Lets the process end by itself, so that everything written goes out first. */
async function main(): Promise<void> {
  // The agent does its work even if nobody reads its log.
  process.stderr.on('error', () => {});
  try {
    await agentProgram(
      (code) => {
        process.exitCode = code;
      },
      process.argv.includes('--json'),
      process.env,
    ).parseAsync();
  } catch (error) {
    // Commander has already printed the help, or what is wrong with the command line.
    if (!(error instanceof CommanderError)) process.stderr.write(`audit-agent: ${errorText(error)}\n`);
    process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
  }
  process.stdout.write('', () => setTimeout(() => process.exit(), LEAVE_AFTER_MS).unref());
}
