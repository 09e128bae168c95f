import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { onOneLine } from '../event/visible-text';
import { originOf } from '../modules/evidence/checkpoint';
import { CHECKPOINT_KEY_FILE } from '../modules/evidence/checkpoint-key-file';
import { certificatesIn, judgeBy } from '../modules/evidence/verify/authorities';
import { eventsIn } from '../modules/evidence/verify/event-file';
import type { LogCopy } from '../modules/evidence/verify/log-copy';
import { readLogFile, writeLogFile } from '../modules/evidence/verify/log-file';
import { type Policy, readPolicyFile } from '../modules/evidence/verify/policy';
import { withQuorum } from '../modules/evidence/verify/quorum';
import { checkTimeStamps } from '../modules/evidence/verify/time-stamps';
import { Verifier } from '../modules/evidence/verify/verifier';
import { verifyRun } from '../modules/reports/verify-run';
import type { JudgeAuthority } from '../package-check/stamp-file';
import { CheckpointKey } from '../store/log/evidence/note-key';
import { signerOf } from '../store/log/evidence/signed-note';
import { checkPackageFile, type PackageCheck } from './package-file';
import { readerKey } from './reader-key';
import { CommandError, serviceUrl } from './service-client';
import { addServiceOption, wholeNumber } from './service-command';
import { VerifyClient } from './verify-client';
import { packageText, runText, textOf } from './verify-report';

interface Ports {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  readonly readInput?: () => Promise<string>;
}
interface Options {
  readonly tenant?: string;
  readonly apiKeyFile?: string;
  readonly publicKey: readonly string[];
  readonly policy?: string;
  readonly timestampCa: readonly string[];
  readonly checkpoint: readonly string[];
  readonly saveCheckpoint?: string;
  readonly save?: string;
  readonly wait?: number;
  readonly from?: string;
  readonly events: readonly string[];
  readonly report?: string;
  readonly package?: string;
  readonly showKey?: boolean;
  readonly json?: boolean;
}

/** What a verifier demands beside the signature of the log's key. */
interface Demands {
  readonly policy: Policy | null;
  /** Null: no time stamp is demanded. */
  readonly judge: JudgeAuthority | null;
}

const NOT_STAMPED = 'There is no time stamp of an authority that you trust.';
/** A checkpoint is signed within a minute after its events. Another minute is for a busy service. */
const WAIT_SECONDS = 120;
const EVENTS_FILE = 'events.ndjson';
const LOG_FILE = 'log.ndjson';

/** The command `verify`: compares a tenant's events with what was signed when they were accepted. */
export function addVerifyCommand(program: Command, ports: Ports): void {
  const command = program.command('verify');
  const serviceOf = addServiceOption(command);
  command
    .description(
      "checks a tenant's events against the signed evidence log; ends with 1 when they are not as accepted",
    )
    .option('--tenant <id>', 'needed where the key reads several tenants')
    .option(
      '--public-key <key>',
      'a trusted key, as --show-key prints it (repeatable, for keys that succeeded each other; default: the one that the service states)',
      gather,
      [],
    )
    .option(
      '--policy <file>',
      'demands signatures of witnesses: a file of log, witness, group and quorum lines (C2SP tlog-policy)',
    )
    .option(
      '--timestamp-ca <file>',
      'demands a time stamp (RFC 3161) of an authority with a certificate of this file, in PEM (repeatable; or a timestamps line of the policy)',
      gather,
      [],
    )
    .option('--checkpoint <file>', 'a checkpoint from an earlier run (repeatable)', gather, [])
    .option('--save-checkpoint <file>', 'writes the newest checkpoint to a file, for --checkpoint next time')
    .option('--save <folder>', `stores what was fetched: ${EVENTS_FILE} and ${LOG_FILE}`)
    .option('--from <folder>', 'offline: verifies what --save stored')
    .option('--events <file>', 'with --from: other events, an export in NDJSON (repeatable)', gather, [])
    .option(
      '--report <file>',
      'offline: verifies a run of a report, by the saved answer of GET /reports/runs/{runId} and the files beside it',
    )
    .option('--package <file>', 'offline: verifies an evidence package')
    .option(
      '--wait <seconds>',
      `how long to wait until a checkpoint covers the newest events (default: ${WAIT_SECONDS})`,
      wholeNumber,
    )
    .option('--show-key', "only prints the public key of this host's checkpoint key")
    .option(
      '--api-key-file <file>',
      'holds a key that reads the tenant; - is the standard input (default: AUDIT_ACTIVITY_API_KEY)',
    )
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      if (options.showKey) return ports.print(await ownPublicKey(ports.env));
      if (options.policy && options.report)
        throw new CommandError('--policy is not for --report: a run of a report has no witnesses.', 'usage');
      if (options.timestampCa.length > 0 && options.report)
        throw new CommandError(
          '--timestamp-ca is not for --report: a run of a report has no time stamps.',
          'usage',
        );
      if (options.report) return verifyReport(options.report, options, ports);
      if (options.events.length > 0 && !options.from) throw new CommandError('--events needs --from.');
      const policy = await policyOf(options);
      const judge = await judgeOf(options, policy);
      if (options.package) return verifyPackage(options.package, options, { policy, judge }, ports);
      if (options.from) return verifyFolder(options.from, options, { policy, judge }, ports);
      const folder = options.save ?? (await mkdtemp(path.join(os.tmpdir(), 'audit-activity-verify-')));
      try {
        const shortage = await fetchInto(folder, serviceOf(), options, policy, ports);
        // The log is checked first, because the check names the events that were removed.
        await verifyFolder(folder, options, { policy, judge }, ports);
        if (shortage !== null) throw new CommandError(shortage);
      } finally {
        if (!options.save) await rm(folder, { recursive: true, force: true });
      }
    });
}

/** @returns see `saveEvents` */
async function fetchInto(
  folder: string,
  service: string | undefined,
  options: Options,
  policy: Policy | null,
  ports: Ports,
): Promise<string | null> {
  const url = serviceUrl(service, ports.env);
  const apiKey = await readerKey(options.apiKeyFile, ports);
  const waitMs = 1000 * (options.wait ?? WAIT_SECONDS);
  const hasQuorum = (note: string) => policy === null || policy.missingIn(note) === null;
  const client = new VerifyClient(url, apiKey, options.tenant, waitMs, hasQuorum);
  await mkdir(folder, { recursive: true });
  // The order matters. The events must include all that was signed before, and everything in the events must be in what
  // is signed after.
  const { checkpoint } = await client.caughtUp();
  const shortage = await client.saveEvents(path.join(folder, EVENTS_FILE));
  await writeLogFile(path.join(folder, LOG_FILE), await client.log(checkpoint));
  return shortage;
}

const policyOf = ({ policy }: Options): Promise<Policy | null> =>
  given((async () => (policy === undefined ? null : readPolicyFile(policy)))());

/** Who is trusted to state times; null: nobody was named. */
function judgeOf({ timestampCa }: Options, policy: Policy | null): Promise<JudgeAuthority | null> {
  const read = async () => {
    const files = await Promise.all(timestampCa.map(async (file) => [await readGiven(file), file] as const));
    const trusted = files.flatMap(([text, file]) => certificatesIn(text, file));
    trusted.push(...(policy?.authorities ?? []));
    return trusted.length === 0 ? null : judgeBy(trusted);
  };
  return given(read());
}

/** The trusted keys: those that the caller gave, and those of the policy; else the one that the service states. */
function trustedKeys({ tenantId, publicKey }: LogCopy, given: readonly string[], policy: Policy | null) {
  const origin = originOf(tenantId);
  const ofPolicy = policy?.keysOf(origin) ?? [];
  if (policy && policy.keys.length > 0 && ofPolicy.length === 0)
    throw new CommandError(`The policy has no log line for ${origin}, or for the service.`);
  const keys = [...new Set([...given, ...ofPolicy])];
  return { keys: keys.length > 0 ? keys : [publicKey], isPinned: keys.length > 0 };
}

async function verifyFolder(
  folder: string,
  options: Options,
  { policy, judge }: Demands,
  { print }: Ports,
): Promise<void> {
  const copy = await given(readLogFile(path.join(folder, LOG_FILE)));
  const kept = await Promise.all(options.checkpoint.map(readGiven));
  const { keys, isPinned } = trustedKeys(copy, options.publicKey, policy);
  const witnessed = policy && (await given((async () => withQuorum(copy, policy, keys, kept))()));
  const log = witnessed?.log ?? copy;
  const verifier = await given((async () => new Verifier(log, keys, kept))());
  const files = options.events.length > 0 ? options.events : [path.join(folder, EVENTS_FILE)];
  for (const file of files) {
    await given(
      (async () => {
        for await (const event of eventsIn(file, log.tenantId)) verifier.add(event);
      })(),
    );
  }
  const report = verifier.report();
  const missing = witnessed?.missing ?? null;
  const quorum = witnessed && { isMet: missing === null, missing };
  const timeStamps = await checkTimeStamps(copy, keys, judge);
  print(
    options.json
      ? JSON.stringify({
          ...report,
          checkpoint: log.checkpoints.at(-1) ?? null,
          ...(quorum && { quorum }),
          timeStamps,
        })
      : textOf(report, { keys, isPinned, quorum, timeStamps }),
  );
  if (report.isChanged)
    throw failed(`The events of tenant ${report.tenantId} are not as they were accepted.`);
  if (missing !== null) throw new CommandError(`The policy ${options.policy} is not met: ${missing}.`);
  const [wrongStamp] = timeStamps.problems;
  if (wrongStamp !== undefined)
    throw failed(`Of tenant ${report.tenantId}, ${timeStamps.problems.length} time stamps do not verify.`);
  if (judge !== null && timeStamps.verified === 0) throw new CommandError(NOT_STAMPED);
  if (!report.isSound)
    throw failed(
      report.unjudged > 0
        ? `Of tenant ${report.tenantId}, ${report.unjudged} of ${report.events} events could not be judged.`
        : `Of tenant ${report.tenantId}, the log could not be judged: ${report.problems[0]}.`,
    );
  const newest = log.checkpoints.at(-1);
  if (options.saveCheckpoint && newest) await writeFile(options.saveCheckpoint, newest);
}

async function verifyReport(file: string, { publicKey, json }: Options, { print }: Ports): Promise<void> {
  const check = await given(verifyRun(file, publicKey));
  print(json ? JSON.stringify(check) : runText(check, publicKey.length > 0));
  if (check.problems.length > 0) throw new CommandError('The report is not as it was signed.');
  if (check.unjudged !== null) throw new CommandError('The report cannot be judged.');
  if (check.checked.length === 0)
    throw new CommandError(
      `No file of the run lies beside ${file}: its files are ${check.absent.join(', ')}.`,
    );
}

async function verifyPackage(
  file: string,
  { publicKey, policy: policyFile, json }: Options,
  { policy, judge }: Demands,
  { print }: Ports,
): Promise<void> {
  const keys = [...new Set([...publicKey, ...(policy?.keys ?? [])])];
  const check = await given(checkPackageFile(file, keys, judge));
  const missing = policy && missingInPackage(check, policy, publicKey);
  print(
    json
      ? JSON.stringify({ ...check, ...(policy && { quorum: { isMet: missing === null, missing } }) })
      : packageText(check, keys.length > 0, policy && { missing }),
  );
  if (!check.isSound) throw new CommandError('The package is not as it was signed.');
  if (missing !== null) throw new CommandError(`The policy ${policyFile} is not met: ${missing}.`);
  if (judge !== null && check.timeStamp === null) throw new CommandError(NOT_STAMPED);
}

/** @returns what of the policy the checkpoint of a package does not meet, in words; null: nothing */
function missingInPackage(
  { checkpointNote, manifest }: PackageCheck,
  policy: Policy,
  given: readonly string[],
) {
  if (checkpointNote === null) return 'there is no checkpoint that witnesses could have signed';
  const origin = originOf(manifest?.tenantId ?? '');
  const keys = [...given, ...policy.keysOf(origin)];
  const isOfLog = policy.keys.length === 0 || signerOf(checkpointNote, keys)?.isTrusted === true;
  return isOfLog ? policy.missingIn(checkpointNote) : `it has no log line for ${origin}, or for the service`;
}

async function ownPublicKey(env: Ports['env']): Promise<string> {
  const file = env.CHECKPOINT_KEY_FILE || path.resolve(env.DATA_DIR || '.data', CHECKPOINT_KEY_FILE);
  const pem = await readGiven(file);
  return given((async () => CheckpointKey.ofPem(pem).verifierKey)());
}

const readGiven = (file: string): Promise<string> => given(readFile(file, 'utf8'));

/** Of an error in what was verified: whoever wrote that writes no line of its own into a terminal. */
const failed = (text: string) => new CommandError(onOneLine(text));

/** An error in what the caller gave is printed as one line. */
const given = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof CommandError ? error : new CommandError((error as Error).message);
  });

const gather = (value: string, before: readonly string[]) => [...before, value];
