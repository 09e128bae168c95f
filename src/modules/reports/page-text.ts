import type { Cell } from '../../csv';
import { MARK } from '../../event/marks';
import type { Zone } from '../../event/zone';
import { LIMITS } from '../../limits';
import type { Column, End, Head } from './document';
import { actionText } from './tally';

/** The texts of a report for people, which its page and its document share. */

export const ROWS_TITLE = 'Rows';

const timeText = (zone: Zone, text: string): string => zone.format(Date.parse(text));

/** What stands under the title: product, tenant, period and time of making; and what the report shows. */
export function introOf(
  { tenantId, question, createdAt, about }: Head,
  zone: Zone,
): readonly [string, string] {
  const { startTime, endTime, timeZone } = question;
  const period = `${timeText(zone, startTime)} to ${timeText(zone, endTime)} (${timeZone})`;
  return [`Audit Activity · tenant ${tenantId} · ${period} · made ${timeText(zone, createdAt)}`, about];
}

/** A cell as a person reads it. */
export function cellText({ name, kind }: Column, value: Cell, zone: Zone): string {
  if (value === null) return '—';
  const text = String(value);
  if (kind === 'time') return timeText(zone, text);
  if (kind === 'statement') return shortened(text);
  return name === 'actionId' ? actionText(text) : text;
}

/** The end of a report: what it is, and what it rests on. */
export function aboutItems(
  head: Head,
  end: End,
  zone: Zone,
): readonly (readonly [string, string | number])[] {
  const { runId, reportId, question } = head;
  const { startTime, endTime, timeZone, filter, parameters } = question;
  const gaps = end.gaps.map(({ hostName, databaseName, reason, afterTime, beforeTime }): [string, string] => [
    'Gap',
    `${hostName}, ${databaseName}: ${reason}, ${afterTime ?? '…'} to ${beforeTime ?? '…'}`,
  ]);
  const behind = end.behind.map(({ hostName, databaseName, completeThrough }): [string, string] => [
    'Not complete',
    `${hostName}, ${databaseName}: ${completeThrough ? `complete through ${timeText(zone, completeThrough)} only` : 'how far it is complete is not known'}`,
  ]);
  const removed = end.removed
    ? `${end.removed.events} events of ${timeText(zone, end.removed.from)} to ${timeText(zone, end.removed.to)}`
    : NONE;
  return [
    ['Report', `${reportId}, run ${runId}`],
    ['Period', `${timeText(zone, startTime)} to ${timeText(zone, endTime)}, end excluded`],
    ['Time zone', timeZone],
    ['Filter', filter ?? NONE],
    ...Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
    ['Rows', end.rows],
    ...(gaps.length > 0 ? gaps : [['Gaps of the sources in the period', NONE] as const]),
    ...(behind.length > 0 ? behind : [['Sources that are not complete for the period', NONE] as const]),
    ['Removed by retention, some may be of the period', removed],
    ['Evidence log', `${end.log.size} entries, root ${end.log.root ?? NONE}`],
    ['Root over record ids', end.recordIdsRoot ?? NONE],
  ];
}
const NONE = 'none';

/** The beginning of a long text. The part behind a mark is in CSV and JSON only. */
export function shortened(text: string): string {
  const at = text.indexOf(MARK);
  const most = LIMITS.reportStatementChars;
  if (at < 0 && text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, at < 0 ? end : Math.min(at, end))} … (cut; CSV and JSON have the whole statement)`;
}
