import { FINDING_KINDS, type Report } from '../modules/evidence/verify/verifier';

const SHOWN_MAX = 20;

/** A report for people: all checks hold, or the first record that fails. */
export function textOf(
  report: Report,
  trust: { readonly keys: readonly string[]; readonly isPinned: boolean },
): string {
  const { tenantId, isSound, findings, problems, events, entries, checkpoint, removed, newer, unjudged } =
    report;
  const [first] = findings;
  const lines = isSound
    ? [`tenant ${tenantId}: all ${events} events are as they were accepted, and none is missing`]
    : [
        first || unjudged === 0
          ? `tenant ${tenantId}: NOT as accepted. ${first ? `First: record ${first.recordId} ${first.kind}` : problems[0]}`
          : `tenant ${tenantId}: NO VERDICT on ${unjudged} of ${events} events. ${problems[0]}`,
      ];
  for (const { kind, recordId, eventTime } of findings.slice(0, SHOWN_MAX))
    lines.push(`  ${recordId}  ${eventTime}  ${kind}: ${FINDING_KINDS[kind]}`);
  if (findings.length > SHOWN_MAX) lines.push(`  and ${findings.length - SHOWN_MAX} more`);
  for (const problem of problems) lines.push(`  log: ${problem}`);
  if (checkpoint) lines.push(`  ${entries} entries, checkpoint ${checkpoint.number} of ${checkpoint.time}`);
  if (removed > 0)
    lines.push(`  ${removed} of them without their event: removed by retention, as it recorded`);
  if (newer > 0)
    lines.push(`  ${newer} of them were accepted while the events were fetched, and are not looked at`);
  lines.push(
    `  key ${trust.keys.join(', ')}${trust.isPinned ? '' : ' (as the service states it; give --public-key to trust your own)'}`,
  );
  return lines.join('\n');
}
