import { clampTicks, DAY_MS, formatTicks, parseTicks, TICKS_PER_MS } from '../../event/event-time';
import type { ParameterValues, QuerySpecs } from '../../event/parameter-specs';
import { FILTER_PARAMETERS, PAGING } from '../../event/parameters';
import { type AuditEventFilter, toAuditEventFilter, withExpression } from '../../event/query';
import { zoneProblems } from '../../event/zone';
import { frameworkProblems } from '../../framework-ids';
import { LIMITS } from '../../limits';
import { conflict, type Problem, problem } from '../../problem';
import type { Report } from './declarations';
import type { Question } from './document';
import { REPORT_FORMAT_NAMES } from './files';

const FORMAT = {
  kind: 'choice',
  values: REPORT_FORMAT_NAMES,
  default: 'html',
  doc: 'Form of the file.',
} as const;
const DEFAULT_DAYS = 30;

export const REPORTS_PARAMETERS = PAGING;
export const RUN_PARAMETERS = {
  runId: { kind: 'id', isRequired: true, doc: 'The id of the run: a UUID.' },
} as const satisfies QuerySpecs;
export const FILE_PARAMETERS = { format: FORMAT } as const satisfies QuerySpecs;
export const REPORT_ID_PARAMETERS = {
  reportId: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    isRequired: true,
    doc: 'Id of the report, such as `log-ons`.',
  },
} as const satisfies QuerySpecs;

const { startTime, endTime, ...FILTERS } = FILTER_PARAMETERS;
export const MAKE_PARAMETERS = {
  format: FORMAT,
  tenantId: { kind: 'text', charsMax: 10, doc: 'Tenant of the report. Optional for a key of one tenant.' },
  startTime: { ...startTime, doc: `${startTime.doc} Default: ${DEFAULT_DAYS} days before the end.` },
  endTime: { ...endTime, doc: `${endTime.doc} Default: now.` },
  timeZone: {
    kind: 'text',
    charsMax: 64,
    default: 'UTC',
    check: zoneProblems,
    doc: 'IANA time zone of the times, days and hours in the report.',
  },
  framework: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    check: frameworkProblems,
    doc: 'Id of a framework. Of the report `controls` only; default: all frameworks.',
  },
  ...FILTERS,
} as const satisfies QuerySpecs;

type Given = ParameterValues<typeof MAKE_PARAMETERS>;

/** A question that is ready to be asked. */
export interface Asked {
  readonly question: Question;
  readonly filter: AuditEventFilter;
  readonly from: bigint;
  readonly to: bigint;
}

/** What a call asks a report. @param isDeclared whether what it needs is declared @returns the problems, if there are any */
export function askedOf(
  report: Report,
  given: Given,
  nowMs: number,
  isDeclared = false,
): Asked | { readonly problems: Problem[] } {
  const { format, tenantId, timeZone, startTime: start, endTime: end, ...asked } = given;
  const to = clampTicks((end === undefined ? null : parseTicks(end)) ?? BigInt(nowMs) * TICKS_PER_MS);
  const from = clampTicks(
    (start === undefined ? null : parseTicks(start)) ?? to - BigInt(DEFAULT_DAYS * DAY_MS) * TICKS_PER_MS,
  );
  const parameters = Object.fromEntries(
    Object.entries(asked).filter((entry): entry is [string, string | boolean] => entry[1] !== undefined),
  );
  const own = report.source === 'events' ? report.filter : undefined;
  const problems = [...periodProblems(from, to), ...unusable(report, Object.keys(parameters), isDeclared)];
  if (problems.length > 0) return { problems };
  const [startTime, endTime] = [formatTicks(from), formatTicks(to)];
  const { framework, ...filters } = asked;
  return {
    question: { startTime, endTime, timeZone, filter: own ?? null, parameters },
    // Each is parsed by itself: together they may be larger than an expression may be.
    filter: withExpression(own, toAuditEventFilter({ ...filters, startTime, endTime })),
    from,
    to,
  };
}

function periodProblems(from: bigint, to: bigint): Problem[] {
  if (from > to) return [conflict('startTime', 'startTime must not be after endTime')];
  const days = Number((to - from) / TICKS_PER_MS) / DAY_MS;
  return days > LIMITS.reportPeriodDaysMax
    ? [conflict('startTime', `the period may have ${LIMITS.reportPeriodDaysMax} days`)]
    : [];
}

function unusable({ reportId, ...report }: Report, names: readonly string[], isDeclared: boolean): Problem[] {
  if (report.source === 'events') {
    const { needs = [] } = report;
    const isMissing = !isDeclared && needs.length > 0 && !needs.some((name) => names.includes(name));
    return [
      ...(isMissing
        ? [problem(needs[0] ?? '', 'missing', `must be given, or another of ${needs.join(', ')}`)]
        : []),
      ...names.filter((name) => name === 'framework').map((name) => foreign(name, reportId)),
    ];
  }
  const own = report.source === 'controls' ? ['framework'] : [];
  return names.filter((name) => !own.includes(name)).map((name) => foreign(name, reportId));
}

const foreign = (name: string, reportId: string) => conflict(name, `${name} is no parameter of ${reportId}`);
