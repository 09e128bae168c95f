import './heap';
import { CommanderError } from 'commander';
import { agentProgram } from './cli/program';
import { errorText } from './log';

/** Pauses before a repeated request cannot be cut short. Once the work is done, nobody waits for their end. */
const LEAVE_AFTER_MS = 1_000;

void main();

/** Lets the process end by itself, so that everything written goes out first. */
async function main(): Promise<void> {
  // The agent does its work even if nobody reads its log.
  process.stderr.on('error', () => {});
  try {
    await agentProgram((code) => {
      process.exitCode = code;
    }, process.argv.includes('--json')).parseAsync();
  } catch (error) {
    // Commander has printed what is wrong with the command line, or the help.
    if (!(error instanceof CommanderError)) process.stderr.write(`audit-agent: ${errorText(error)}\n`);
    process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
  }
  process.stdout.write('', () => setTimeout(() => process.exit(), LEAVE_AFTER_MS).unref());
}
