import { onOneLine } from '../event/visible-text';
import type { StampFindings } from '../modules/evidence/verify/time-stamps';
import { type Report, WRONG_KINDS } from '../modules/evidence/verify/verifier';
import type { RunCheck } from '../modules/reports/verify-run';
import type { PackageCheck } from './package-file';

const SHOWN_MAX = 20;

interface Quorum {
  /** In words; null: nothing. */
  readonly missing: string | null;
}

const quorumText = ({ missing }: Quorum) =>
  missing === null ? '  witnesses: it has the quorum of the policy' : `  witnesses: ${missing}`;

const stampText = (
  { number, size, time }: NonNullable<StampFindings['newest']>,
  isAuthorityChecked: boolean,
): string =>
  `  time stamp: an authority had checkpoint ${number} (${size} entries) at ${time}${
    isAuthorityChecked ? '' : ' (nobody asked who it is; give --timestamp-ca)'
  }`;

const stampsText = ({ newest, verified, problems, isAuthorityChecked }: StampFindings): string[] => [
  ...problems.slice(0, SHOWN_MAX).map((problem) => `  ${problem}`),
  ...(problems.length > SHOWN_MAX ? [`  and ${problems.length - SHOWN_MAX} more`] : []),
  ...(newest ? [`${stampText(newest, isAuthorityChecked)}; the newest of ${verified}`] : []),
];

/** A report for people: all checks hold, or the first record that fails. */
export function textOf(
  report: Report,
  trust: {
    readonly keys: readonly string[];
    readonly isPinned: boolean;
    /** Whether witnesses vouch for the checkpoint; null: that was not asked. */
    readonly quorum?: Quorum | null;
    readonly timeStamps?: StampFindings;
  },
): string {
  const { tenantId, findings, problems, notes, entries, checkpoint, removed, erased, erasures, newer } =
    report;
  const lines = [`tenant ${tenantId}: ${headline(report)}`];
  for (const { kind, recordId, eventTime } of findings.slice(0, SHOWN_MAX))
    lines.push(`  ${recordId}  ${eventTime}  ${kind}: ${WRONG_KINDS[kind]}`);
  if (findings.length > SHOWN_MAX) lines.push(`  and ${findings.length - SHOWN_MAX} more`);
  for (const problem of problems) lines.push(`  log: ${problem}`);
  for (const note of notes) lines.push(`  note: ${note}`);
  if (checkpoint) lines.push(`  ${entries} entries, checkpoint ${checkpoint.number} of ${checkpoint.time}`);
  if (trust.quorum) lines.push(quorumText(trust.quorum));
  if (trust.timeStamps) lines.push(...stampsText(trust.timeStamps));
  if (removed > 0)
    lines.push(`  ${removed} of them without their event: removed by retention, as it recorded`);
  if (erased > 0) lines.push(`  ${erased} of them without their event: erased`);
  for (const { at, erasedBy, reason, events } of erasures.slice(-SHOWN_MAX))
    lines.push(`  erased ${at}: ${events} events, by ${erasedBy}: ${reason}`);
  if (newer > 0)
    lines.push(`  ${newer} of them were accepted while the events were fetched, and are not looked at`);
  lines.push(
    `  key ${trust.keys.join(', ')}${trust.isPinned ? '' : ' (as the service states it; give --public-key to trust your own)'}`,
  );
  // Whoever is verified writes no line of its own into a terminal.
  return lines.map(onOneLine).join('\n');
}

function headline({ isSound, isChanged, findings, problems, events, unjudged }: Report): string {
  const [first] = findings;
  if (isSound) return `all ${events} events are as they were accepted, and none is missing`;
  if (isChanged)
    return `NOT as accepted. ${first ? `First: record ${first.recordId} ${first.kind}` : problems[0]}`;
  return `NO VERDICT${unjudged > 0 ? ` on ${unjudged} of ${events} events` : ''}. ${problems[0]}`;
}

/** What was found of a run of a report, for people. */
export function runText(
  { manifest, checked, absent, problems, unjudged }: RunCheck,
  isPinned: boolean,
): string {
  const { reportId, runId, tenantId, createdAt, rows, log } = manifest;
  const verdict =
    problems.length > 0 ? 'NOT as it was signed' : unjudged === null ? 'as it was signed' : 'NO VERDICT';
  return [
    `report ${reportId}, run ${runId} of tenant ${tenantId}: ${verdict}`,
    `  made ${createdAt}, ${rows} rows, the evidence log had ${log.size} entries`,
    ...problems.map((problem) => `  ${problem}`),
    ...(unjudged === null ? [] : [`  ${unjudged}`]),
    ...checked.map((name) => `  checked: ${name}`),
    ...absent.map((name) => `  not here: ${name}`),
    ...(isPinned
      ? []
      : ['  by the key that the answer itself states; --public-key names one that you trust']),
  ]
    .map(onOneLine)
    .join('\n');
}

/** What was found of an evidence package, for people. */
export function packageText(check: PackageCheck, isPinned: boolean, quorum: Quorum | null = null): string {
  const { manifest, checkpoint, isSound, events, proven, problems, notes, findings, keys } = check;
  const verdict = isSound
    ? `all ${events} events are as they were accepted`
    : `NOT as signed. ${events - proven} of ${events} events are not proven`;
  const asked = Object.entries(manifest?.question ?? {}).map(([name, value]) => `${name} ${value}`);
  return [
    `package of tenant ${manifest?.tenantId ?? '?'}: ${verdict}`,
    ...(manifest
      ? [`  asked by ${manifest.createdBy}, ${manifest.createdAt}: ${asked.join(', ') || 'all events'}`]
      : []),
    ...findings
      .slice(0, SHOWN_MAX)
      .map(({ line, recordId, problem }) => `  ${recordId || `line ${line}`}  ${problem}`),
    ...(events - proven > SHOWN_MAX ? [`  and ${events - proven - SHOWN_MAX} more`] : []),
    ...problems.map((text) => `  file ${text}`),
    ...notes.map((text) => `  note: ${text}`),
    ...(checkpoint
      ? [`  checkpoint ${checkpoint.number} of ${checkpoint.time}, ${checkpoint.size} entries`]
      : []),
    ...(quorum ? [quorumText(quorum)] : []),
    ...(check.timeStamp ? [stampText(check.timeStamp, check.timeStamp.isAuthorityChecked)] : []),
    `  key ${keys.join(', ')}${isPinned ? '' : ' (as the package states it; give --public-key to trust your own)'}`,
  ]
    .map(onOneLine)
    .join('\n');
}
