import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseTicks } from '../event/event-time';
import { type ReadSecret, secretReader } from './secret-input';
import { CommandError, resolveConnection, runOperation, URL_DOC } from './service-client';

export type Options = Readonly<Record<string, unknown>> & {
  url?: string;
  operatorKey?: string;
  operatorKeyFile?: string;
  json?: boolean;
};
export type Run = <T>(query: string, variables?: Readonly<Record<string, unknown>>) => Promise<T>;
/** What the command line may ask of the operator beside the options. */
export interface OperatorPorts {
  /** Reads the standard input to its end. */
  readonly readInput?: () => Promise<string>;
  /** Asks a question. Absent: nobody can answer, because there is no terminal. */
  readonly confirm?: (question: string) => Promise<boolean>;
}
export interface Operator extends Pick<OperatorPorts, 'confirm'> {
  readonly readSecret: ReadSecret;
}
type Handler = (
  run: Run,
  options: Options,
  argument: string,
  operator: Operator,
) => Promise<{ json: unknown; text: string }>;
export type OnService = (command: Command, handler: Handler) => void;

/** Makes commands that call a service. Adds their common options, and prints the answer as JSON or text. */
export function serviceCommands(
  ports: OperatorPorts & {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly print: (line: string) => void;
  },
): OnService {
  const operator: Operator = { ...ports, readSecret: secretReader(ports.readInput) };
  return (command, handler) => {
    // A command may need `--url` for a URL of its own. Every command also accepts `--service-url`, so that nobody
    // needs to look up which of the two is right.
    const isTaken = command.options.some(({ long }) => long === '--url');
    if (!isTaken) command.option('--url <url>', URL_DOC);
    command
      .addOption(new Option('--service-url <url>', URL_DOC).hideHelp(!isTaken))
      .option(
        '--operator-key-file <file>',
        'holds the key; - is the standard input (default: AUDIT_ACTIVITY_OPERATOR_KEY, else operator.key in DATA_DIR (.data))',
      )
      .option('--operator-key <key>', 'the key itself, which the list of processes shows')
      .option('--json', 'print JSON')
      .action(async (...args: unknown[]) => {
        const options = command.opts<Options>();
        const url = (options.serviceUrl as string | undefined) ?? (isTaken ? undefined : options.url);
        const connection = await resolveConnection({ ...(await keyOf(options, operator)), url }, ports.env);
        const run: Run = (query, variables) => runOperation(connection, query, variables);
        const answer = await handler(run, options, typeof args[0] === 'string' ? args[0] : '', operator);
        ports.print(options.json ? JSON.stringify(answer.json) : answer.text);
      });
  };
}

/** The key that the options give. */
async function keyOf(
  { operatorKey, operatorKeyFile }: Options,
  { readSecret }: Operator,
): Promise<{ readonly operatorKey?: string; readonly keyFrom?: string }> {
  if (operatorKeyFile === undefined) return operatorKey === undefined ? {} : { operatorKey };
  if (operatorKey !== undefined)
    throw new CommandError('Give either --operator-key or --operator-key-file.', 'usage');
  return { operatorKey: (await readSecret(operatorKeyFile)).trim(), keyFrom: '--operator-key-file' };
}

/** Checks a time as the service does. An error is worded for the command line. */
export function isoTime(text: string): string {
  if (parseTicks(text) === null)
    throw new InvalidArgumentError('must be an ISO 8601 time, for example 2026-01-31T08:00:00Z');
  return text;
}

/** Collects the values of an option that may be repeated. */
export const gather = (value: string, before: readonly string[] = []) => [...before, value];

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}
