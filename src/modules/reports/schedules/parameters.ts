import type { ParameterSpecs, ParameterValues } from '../../../event/parameter-specs';
import { checkParameters } from '../../../event/parse-parameters';
import { zoneProblems } from '../../../event/zone';
import { LIMITS } from '../../../limits';
import { conflict, empty, type Problem, problem } from '../../../problem';
import { findReport } from '../declarations';
import { REPORT_FORMAT_NAMES } from '../files';
import { askedOf, MAKE_PARAMETERS } from '../parameters';
import { type Definition, timingOf } from './schedule';
import { cronProblems, EVERY_NAMES, PERIODS } from './timing';

const EMAILS_MAX = 20;
const EMAIL = /^[^\s@<>,;"]{1,64}@[A-Za-z0-9.-]{1,255}$/;
const CRON_CHARS_MAX = 100;

const TENANT = { kind: 'reference', isRequired: true } as const;
export const SCHEDULES_OF = { tenantId: TENANT } as const satisfies ParameterSpecs;
export const OF_SCHEDULE = {
  tenantId: TENANT,
  scheduleId: { kind: 'id', isRequired: true },
} as const satisfies ParameterSpecs;

const NAME = {
  kind: 'text',
  charsMax: LIMITS.nameCharsMax,
  check: (text: string, field: string): Problem[] => (text.trim() === '' ? [empty(field)] : []),
} as const;
const REPORT_ID = {
  kind: 'text',
  check: (id: string, field: string): Problem[] =>
    findReport(id) ? [] : [problem(field, 'refused', 'must be the id of a report, such as log-ons')],
} as const;

const SETTINGS = {
  every: {
    kind: 'choice',
    values: EVERY_NAMES,
    doc: 'At 15 minutes past each hour; or at 6:00 each day, each Monday, or on the first of each month.',
  },
  cron: {
    kind: 'text',
    charsMax: CRON_CHARS_MAX,
    check: cronProblems,
    doc: 'In place of `every`: minute, hour, day of the month, month, day of the week, in local time.',
  },
  timeZone: { kind: 'text', charsMax: 64, check: zoneProblems, doc: 'IANA time zone. Default: UTC.' },
  period: {
    kind: 'choice',
    values: PERIODS,
    doc: 'What a run covers: the newest whole hour, day, week or month; or, as `schedule`, the time since the run before it.',
  },
  parameters: {
    kind: 'json',
    doc: 'Filters of the report by their names, as `GET /reports/{reportId}/content` takes them.',
  },
  formats: {
    kind: 'texts',
    itemsMax: REPORT_FORMAT_NAMES.length,
    check: (formats: readonly string[], field: string): Problem[] =>
      formats.length > 0 && formats.every((one) => (REPORT_FORMAT_NAMES as readonly string[]).includes(one))
        ? []
        : [problem(field, 'malformed', `must be of ${REPORT_FORMAT_NAMES.join(', ')}`)],
    doc: 'Files that are sent. Default: pdf.',
  },
  emails: {
    kind: 'texts',
    itemsMax: EMAILS_MAX,
    check: (addresses: readonly string[], field: string): Problem[] =>
      addresses.every((one) => EMAIL.test(one))
        ? []
        : [problem(field, 'malformed', 'must be addresses such as auditor@example.com')],
    doc: 'Who gets a mail with a link.',
  },
  attach: { kind: 'boolean', doc: 'Whether files of up to 10 MB in all come with the mail.' },
  destinationId: {
    kind: 'id',
    doc: 'In place of mail: a destination, which gets a message; one of the type s3 gets the files too.',
  },
  keepDays: {
    kind: 'integer',
    min: 0,
    max: LIMITS.reportDaysMax,
    doc: 'Days that the files of its runs are kept. Default, and 0: as other runs.',
  },
} as const satisfies ParameterSpecs;

export const CREATE_SCHEDULE = {
  tenantId: TENANT,
  name: { ...NAME, isRequired: true },
  reportId: { ...REPORT_ID, isRequired: true },
  ...SETTINGS,
} as const satisfies ParameterSpecs;

/** What is not given stays as it is. */
export const UPDATE_SCHEDULE = {
  ...OF_SCHEDULE,
  name: NAME,
  reportId: REPORT_ID,
  ...SETTINGS,
} as const satisfies ParameterSpecs;

type GivenSettings = Omit<ParameterValues<typeof UPDATE_SCHEDULE>, 'tenantId' | 'scheduleId'>;

/** The definition that a call asks for, and what is wrong with it. @param former null: it is a new one */
export function definitionOf(given: GivenSettings, former: Definition | null): Definition {
  const { name, reportId, every, cron, timeZone, period, parameters, formats } = given;
  const { emails, attach, destinationId, keepDays } = given;
  const isTimed = every !== undefined || cron !== undefined;
  const toMail = emails !== undefined && emails.length > 0;
  const byName = { every: every ?? null, cron: cron ?? null, period: period ?? null };
  return {
    name: name ?? former?.name ?? '',
    reportId: reportId ?? former?.reportId ?? '',
    ...(isTimed || !former
      ? byName
      : { every: former.every, cron: former.cron, period: period ?? former.period }),
    timeZone: timeZone ?? former?.timeZone ?? 'UTC',
    parameters: (parameters ?? former?.parameters ?? {}) as Definition['parameters'],
    formats: (formats ?? former?.formats ?? ['pdf']) as Definition['formats'],
    emails: destinationId !== undefined ? (emails ?? []) : (emails ?? former?.emails ?? []),
    attach: attach ?? former?.attach ?? false,
    destinationId: destinationId ?? (toMail ? null : (former?.destinationId ?? null)),
    keepDays: (keepDays ?? former?.keepDays) || null,
  };
}

/** @param nowMs by which the report's parameters are tried */
export function definitionProblems(definition: Definition, nowMs: number): readonly Problem[] {
  const { every, cron, emails, attach, destinationId, parameters } = definition;
  return [
    ...((every === null) === (cron === null) ? [conflict('every', 'give either every or cron')] : []),
    ...(emails.length > 0 === (destinationId !== null)
      ? [conflict('emails', 'give either emails or destinationId')]
      : []),
    ...(attach && emails.length === 0 ? [conflict('attach', 'attach is of mail')] : []),
    ...(isFlat(parameters)
      ? parameterProblems(definition, nowMs)
      : [problem('parameters', 'malformed', 'must be an object of texts and booleans')]),
  ];
}

/** Parameters that the schedule itself gives. */
const OWN = ['startTime', 'endTime', 'timeZone', 'format', 'tenantId'];

function parameterProblems(definition: Definition, nowMs: number): readonly Problem[] {
  const report = findReport(definition.reportId);
  if (!report) return [];
  const foreign = Object.keys(definition.parameters).filter((name) => OWN.includes(name));
  if (foreign.length > 0) return foreign.map((name) => conflict(name, `${name} is given by the schedule`));
  const { values, problems } = checkParameters(MAKE_PARAMETERS, definition.parameters);
  if (problems.length > 0) return problems;
  // What is declared sensitive is known when the run is made.
  const mayBeDeclared = report.source === 'events' && report.of === 'sensitive';
  const asked = askedOf(report, values, nowMs, mayBeDeclared);
  return 'problems' in asked ? asked.problems : [];
}

const isFlat = (given: unknown): boolean =>
  typeof given === 'object' &&
  given !== null &&
  !Array.isArray(given) &&
  Object.values(given).every((value) => typeof value === 'string' || typeof value === 'boolean');

/** Whether two definitions have other times. */
export const hasOtherTimes = (a: Definition, b: Definition): boolean =>
  timingOf(a).cron !== timingOf(b).cron || a.timeZone !== b.timeZone;
