import type { AuditFile, Part } from './audit-file';
import { nameOf } from './judge';
import type { Sight } from './sight';
import type { ReportedGap } from './tenant';

export interface GapCase {
  /** Files of each server audit, in the order in which they were begun. */
  readonly audits: readonly (readonly AuditFile[])[];
  /** Rows that did not arrive and that may be lost. */
  readonly lost: readonly Part[];
  readonly gaps: readonly ReportedGap[];
  readonly sight: Pick<Sight, 'uncertain' | 'untraced'>;
}

/** The problems: rows that are lost without a gap, and gaps that are false alarms. */
export function judgeGaps({ audits, lost, gaps, sight }: GapCase): string[] {
  const problems: string[] = [];
  for (const part of lost) {
    const audit = audits.find((files) => files.includes(part.file)) ?? [];
    const isCovered = gaps.some((gap) => covers(gap, part, audit, lost)) || sight.untraced.has(part.file);
    if (!isCovered) problems.push(`${nameOf(part)} is lost without a gap`);
  }
  const files = new Set(lost.map(({ file }) => file));
  for (const gap of gaps) {
    const file = audits.flat().find((one) => isIn(gap, one));
    const isTrue = file && (files.has(file) || file.isTorn || sight.uncertain.has(file));
    if (!isTrue) problems.push(`false alarm: ${JSON.stringify(gap)}`);
  }
  return problems;
}

/**
 * A gap lies in a file. If the agent never saw some later files, the gap lasts up to the first record after them.
 * Event times do not order the records within a file, so the gap must name a record of a later file.
 */
function covers(
  gap: ReportedGap,
  { file }: Part,
  audit: readonly AuditFile[],
  lost: readonly Part[],
): boolean {
  if (isIn(gap, file)) return true;
  const begin = audit.findIndex((one) => isIn(gap, one));
  const end = audit.indexOf(file);
  const unseen = audit.slice(begin + 1, end + 1);
  const missing = new Set(lost);
  if (begin < 0 || begin > end || !unseen.every((one) => one.wholeParts.every((part) => missing.has(part))))
    return false;
  const later = audit.slice(end + 1).flatMap(({ parts }) => parts.map(({ row }) => row.event_time));
  return gap.beforeTime === null || later.includes(gap.beforeTime);
}

/** The agent knows only the name of a file that it never opened. */
const isIn = ({ fileGuid, fileName }: ReportedGap, { guid, names }: AuditFile): boolean =>
  fileGuid === null ? names.includes(fileName) : fileGuid === guid;
