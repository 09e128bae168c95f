import type { Command } from 'commander';
import { type CommandPorts, createProgram } from '../../src/cli/commands';
import { errorLine } from '../../src/cli/error-output';
import type { OperatorPorts } from '../../src/cli/service-command';

export interface CliOutcome {
  /** The output on stdout. */
  readonly lines: readonly string[];
  /** The message that a person sees if the command fails; null if it succeeds. */
  readonly error: string | null;
}

const notExpected = () => Promise.reject(new Error('not expected to be called'));

/** Runs the operators' command line as `src/cli/main.ts` does, within the process of the test. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  migrate: () => Promise<readonly string[]> = async () => [],
  distribute: CommandPorts['distribute'] = notExpected,
  prepareRestore: CommandPorts['prepareRestore'] = notExpected,
  recoverOperatorKey: CommandPorts['recoverOperatorKey'] = notExpected,
  others: OperatorPorts & Partial<CommandPorts> = {},
): Promise<CliOutcome> {
  const lines: string[] = [];
  const printed: string[] = [];
  const print = (line: string) => void lines.push(line);
  const asJson = args.includes('--json');
  const ports = {
    migrate,
    distribute,
    prepareRestore,
    recoverOperatorKey,
    finishRestore: notExpected,
    backup: notExpected,
    untilStopped: notExpected,
    ...others,
  };
  const program = createProgram({ env, print, printError: print, asJson, ...ports });
  const quiet = (command: Command) => {
    command.exitOverride().configureOutput({ writeErr: (text) => void printed.push(text) });
    command.commands.forEach(quiet);
  };
  quiet(program);
  try {
    await program.parseAsync(['node', 'audit-activity', ...args]);
    return { lines, error: null };
  } catch (error) {
    return { lines, error: printed.join('') || errorLine(error, asJson) };
  }
}

/** Runs a command beside an operator, who may type or pipe something. */
export const runBeside = (
  operator: OperatorPorts,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<CliOutcome> => runCli(args, env, async () => [], notExpected, notExpected, notExpected, operator);
