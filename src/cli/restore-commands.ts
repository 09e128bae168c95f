import type { Command } from 'commander';
import type { LogEpoch } from '../generated/operations';
import type { FinishStep } from '../modules/restore/finish-step';
import type { MadeBackup } from './backup/make-backup';
import { checkBackup, type Manifest } from './backup/manifest';
import { secretReader } from './secret-input';
import { CommandError, runAt } from './service-client';
import {
  addConnectionOptions,
  CONNECTION_OPTIONS,
  type OperatorPorts,
  type Options,
} from './service-command';

export interface RestorePorts extends Pick<OperatorPorts, 'readInput'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  /** Says on the database itself what an operator says about a restore. */
  readonly finishRestore: (step: FinishStep) => Promise<LogEpoch>;
  /** Makes a backup in a folder; null: writes what is not in the database to stdout, as a tar archive. */
  readonly backup: (folder: string | null) => Promise<MadeBackup>;
  readonly printError: (line: string) => void;
}

/** `backup`, `restore --check` and `finish-restore`. */
export function addRestoreCommands(program: Command, ports: RestorePorts): void {
  program
    .command('backup')
    .description('backs up keys, checkpoints and the database, with a list of what it holds')
    .requiredOption(
      '--out <folder>',
      'a new folder; -: keys, checkpoints and list to stdout as tar, without a dump',
    )
    .option('--json', 'print JSON')
    .action(async ({ out, json }: { out: string; json?: true }) => {
      const isPacked = out === '-';
      const { manifest, notes } = await ports.backup(isPacked ? null : out);
      const { files, dump, logs, epoch } = manifest;
      const text = [
        `${files.length} files, ${dump === null ? 'without the database' : `the database as ${dump}`}`,
        `${logs.length} logs, epoch ${epoch ?? 'none yet'}`,
        ...notes,
      ].join('\n');
      // With -, stdout is the archive.
      (isPacked ? ports.printError : ports.print)(json ? JSON.stringify({ ...manifest, notes }) : text);
    });

  program
    .command('restore')
    .description('checks a backup before it is restored; docs/operate.md says how to restore it')
    .requiredOption('--check <folder>', 'the folder of the backup')
    .option('--json', 'print JSON')
    .action(async ({ check, json }: { check: string; json?: true }) => {
      const { manifest, problems, notes } = await checkBackup(check);
      const isWhole = problems.length === 0;
      if (json) ports.print(JSON.stringify({ whole: isWhole, problems, notes, manifest }));
      else if (manifest) ports.print(checkedText(manifest, notes));
      if (!isWhole) throw new CommandError(`the backup is not whole:\n${problems.join('\n')}`, 'not_whole');
    });

  const finish = program.command('finish-restore');
  const connectionOf = addConnectionOptions(
    finish,
    ports.env,
    secretReader(ports.readInput),
    'asks a running service instead of the database',
  );
  finish
    .description(
      'declares the database restored: earlier cursors end, and nothing is sent or removed until --go',
    )
    .option('--go', 'ends the wait: destinations, mail, notices and retention begin')
    .option(
      '--keep-epoch',
      'for a database that was only moved, if neither copy has taken events since: everything continues, earlier cursors too',
    )
    .option('--json', 'print JSON')
    .action(async (options: Options & { go?: true; keepEpoch?: true }) => {
      const step = { go: options.go === true, keepEpoch: options.keepEpoch === true };
      const done = isOfService(finish.opts(), ports.env)
        ? await runAt(await connectionOf())('finishRestore', step)
        : await ports.finishRestore(step);
      ports.print(options.json ? JSON.stringify(done) : textOf(done));
    });
}

/** Where no database is named, a service may be. */
const isOfService = (given: object, env: RestorePorts['env']) =>
  CONNECTION_OPTIONS.some((name) => name in given) || (!env.DATABASE_URL && Boolean(env.AUDIT_ACTIVITY_URL));

const checkedText = (
  { version, madeAt, database, epoch, logs }: Manifest,
  notes: readonly string[],
): string =>
  [
    `a backup of ${madeAt} by version ${version}: ${database}, epoch ${epoch ?? 'none yet'}`,
    ...logs.map(({ tenantId, entries }) => `tenant ${tenantId}: ${entries} entries in its log`),
    ...notes,
  ].join('\n');

const textOf = ({ epoch, beganAt, reason, hold, drill, lostErasures }: LogEpoch): string =>
  [
    `epoch ${epoch}, since ${beganAt}: ${reason}`,
    hold ?? 'nothing waits',
    ...lostErasures.map(
      ({ erasureId, tenantId, at, erasedBy, events, present, reason: why }) =>
        `erase again: ${present} of the ${events} events of tenant ${tenantId} that ${erasedBy} erased at ${at} are there again (erasure ${erasureId}, ${why})`,
    ),
    ...(drill ? ['DRILL=1: an instance with these settings sends nothing and removes nothing'] : []),
  ].join('\n');
