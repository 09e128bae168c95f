import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseTicks } from '../event/event-time';
import type { Run } from './operations';
import { type ReadSecret, secretReader } from './secret-input';
import { CommandError, type Connection, resolveConnection, runAt } from './service-client';

/** The options of every command that calls a service. */
export interface Options {
  readonly operatorKey?: string;
  readonly operatorKeyFile?: string;
  readonly json?: boolean;
}
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
/** @param options as commander parses the command's own: their types are stated where the handler is */
type Handler<O> = (
  run: Run,
  options: O,
  argument: string,
  operator: Operator,
) => Promise<{ json: unknown; text: string }>;
export type OnService = <O>(command: Command, handler: Handler<O>) => void;

/** Makes commands that call a service. Adds their common options, and prints the answer as JSON or text. */
export function serviceCommands(
  ports: OperatorPorts & {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly print: (line: string) => void;
  },
): OnService {
  const operator: Operator = { ...ports, readSecret: secretReader(ports.readInput) };
  return <O>(command: Command, handler: Handler<O>) => {
    const connectionOf = addConnectionOptions(command, ports.env, operator.readSecret);
    command.option('--json', 'print JSON').action(async (...args: unknown[]) => {
      const options = command.opts<Options & O>();
      const connection = await connectionOf();
      const answer = await handler(
        runAt(connection),
        options,
        typeof args[0] === 'string' ? args[0] : '',
        operator,
      );
      ports.print(options.json ? JSON.stringify(answer.json) : answer.text);
    });
  };
}

/** What commander calls the values of the options below. */
export const CONNECTION_OPTIONS = ['service', 'serviceUrl', 'url', 'operatorKey', 'operatorKeyFile'];

/**
 * Adds the options that name the service and give the key of an operator.
 * @param doc of `--service`
 * @returns reads the options, after the command line was parsed
 */
export function addConnectionOptions(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
  readSecret: ReadSecret,
  doc = SERVICE_DOC,
): () => Promise<Connection> {
  const serviceOf = addServiceOption(command, doc);
  command
    .option(
      '--operator-key-file <file>',
      'holds the key; - is the standard input (default: AUDIT_ACTIVITY_OPERATOR_KEY, else operator.key in DATA_DIR (.data))',
    )
    .option('--operator-key <key>', 'the key itself; the list of processes shows it');
  return async () => {
    const { operatorKey, operatorKeyFile } = command.opts<Options>();
    const url = serviceOf();
    if (operatorKeyFile === undefined) return resolveConnection({ operatorKey, url }, env);
    if (operatorKey !== undefined)
      throw new CommandError('Give either --operator-key or --operator-key-file.', 'usage');
    const key = (await readSecret(operatorKeyFile)).trim();
    return resolveConnection({ operatorKey: key, keyFrom: '--operator-key-file', url }, env);
  };
}

const SERVICE_DOC = 'the service (default: AUDIT_ACTIVITY_URL, else http://127.0.0.1 and PORT, else 8080)';

/**
 * Adds the option that names the service: `--service` in every command. `--service-url`, and `--url` where it is not the
 * address of a receiver, are its names in builds before 0.1.0. They go with 0.2.0.
 * @returns reads the option, after the command line was parsed
 */
export function addServiceOption(command: Command, doc = SERVICE_DOC): () => string | undefined {
  const earlier = ['--service-url', '--url'].filter(
    (name) => !command.options.some(({ long }) => long === name),
  );
  command.option('--service <url>', doc, once);
  for (const name of earlier) command.addOption(new Option(`${name} <url>`).argParser(once).hideHelp());
  return () => {
    const { service, serviceUrl, url } = command.opts<Readonly<Record<string, string | undefined>>>();
    const given = [service, serviceUrl, earlier.includes('--url') ? url : undefined].filter(
      (one) => one !== undefined,
    );
    if (given.length > 1)
      throw new CommandError('Give the address of the service once, by --service.', 'usage');
    return given[0];
  };
}

/** The value of an option that is given at most once. Commander would take the last one. */
export function once(value: string, before: string | undefined): string {
  if (before !== undefined) throw new InvalidArgumentError('is given twice');
  return value;
}

/** @throws CommandError when the operator does not agree, or cannot be asked */
export async function assertConfirmed(what: string, { confirm }: Operator): Promise<void> {
  if (!confirm)
    throw new CommandError(
      `${what} Nothing was changed, because there is no terminal to ask on: give --yes to agree.`,
      'not_confirmed',
    );
  if (!(await confirm(`${what} Do you agree?`)))
    throw new CommandError('Nothing was changed.', 'not_confirmed');
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
