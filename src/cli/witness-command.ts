import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { lockFolder } from '../folder-lock';
import { Witness } from '../witness/witness';
import { WitnessFolder } from '../witness/witness-folder';
import { type LogLine, readWitnessLogs } from '../witness/witness-logs';
import { witnessServer } from '../witness/witness-server';
import { CommandError } from './service-client';
import { gather, wholeNumber } from './service-command';

export interface WitnessPorts {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  /** Resolves when the operator ends the program. */
  readonly untilStopped: () => Promise<void>;
}
interface Options {
  readonly folder: string;
  readonly makeKey?: string;
  readonly showKey?: boolean;
  readonly log: readonly string[];
  readonly logs?: string;
  readonly host: string;
  readonly port: number;
}

const PORT = 8090;
const PORT_MAX = 65_535;

/** The command `witness`: runs where the service does not, and signs checkpoints that go on from those it saw. */
export function addWitnessCommand(program: Command, ports: WitnessPorts): void {
  program
    .command('witness')
    .description(
      'a witness of evidence logs: signs their checkpoints, away from the service (needs no database)',
    )
    .requiredOption(
      '--folder <folder>',
      'the state of the witness: its key, and the last checkpoint of each log',
    )
    .option(
      '--make-key <name>',
      'only makes the key, with a name such as witness.example/w1, and prints its public key',
    )
    .option('--show-key', 'only prints the public key of the witness')
    .option(
      '--log <line>',
      "serves a log: 'NAME KEY', its origin and its public key (repeatable)",
      gather,
      [],
    )
    .option('--logs <file>', 'serves logs: such lines; # begins a comment')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'TCP port; 0 takes a free one', wholeNumber, PORT)
    .action(async (options: Options) => {
      const folder = new WitnessFolder(options.folder);
      if (options.makeKey !== undefined) {
        const { makeKey } = options;
        const key = await given(folder.makeKey(makeKey));
        return ports.print(key.verifierKey);
      }
      if (options.showKey) return ports.print((await given(folder.key())).verifierKey);
      await serve(folder, options, ports);
    });
}

async function serve(folder: WitnessFolder, options: Options, ports: WitnessPorts): Promise<void> {
  if (options.port > PORT_MAX) throw new CommandError(`--port must be from 0 to ${PORT_MAX}.`, 'usage');
  const lines = [
    ...options.log.map((text, i) => ({ at: `--log ${i + 1}`, text })),
    ...(options.logs === undefined ? [] : await linesOf(options.logs)),
  ];
  const logs = await given((async () => readWitnessLogs(lines))());
  const key = await given(folder.key());
  const lock = await given(lockFolder(options.folder, 'witness'));
  if (lock.kind === 'taken')
    throw new CommandError(`Another witness (process ${lock.pid}) works in ${options.folder}.`);
  try {
    const server = witnessServer(new Witness(key, logs, folder, ports.printError), ports.printError);
    await given(listen(server, options));
    const { address, port } = server.address() as AddressInfo;
    ports.print(`${key.verifierKey} listens on ${address}, port ${port}, for ${logs.names.length} logs`);
    await ports.untilStopped();
    await close(server);
  } finally {
    await lock.release();
  }
}

async function linesOf(file: string): Promise<LogLine[]> {
  const text = await given(readFile(file, 'utf8'));
  return text
    .split('\n')
    .map((line, i) => ({ at: `${file}, line ${i + 1}`, text: line.trim() }))
    .filter(({ text: line }) => line !== '' && !line.startsWith('#'));
}

const listen = (server: Server, { host, port }: Options): Promise<void> =>
  new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, host, () => done());
  });

const close = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeIdleConnections();
  });

/** An error in what the caller gave is printed as text. */
const given = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof CommandError ? error : new CommandError((error as Error).message);
  });
