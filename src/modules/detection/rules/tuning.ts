import type { Call } from '../../../caller/call';
import { refusal } from '../../../errors';
import type { ParameterValues } from '../../../event/parameter-specs';
import { hiddenProblem } from '../../../event/parse-parameters';
import type { Problem } from '../../../problem';
import { fieldSlot, tellsLiterals } from '../../../rules/field-names';
import type { Tuning } from '../../../rules/rule';
import type { About } from '../../../rules/rule-reader';
import { parseSpan } from '../../../rules/sigma/correlation';
import { exceptionOf, type TUNING } from '../base/parameters';
import { RULE_SETTING } from '../base/work-answers';

/** @param given checked settings @returns null: no tuning */
export function toTuning(given: ParameterValues<typeof TUNING>): Tuning | null {
  const { threshold, timespan, severity, dedupMinutes, exceptions } = given;
  const span = timespan === undefined ? null : parseSpan(timespan);
  const tuning: Tuning = {
    ...(threshold !== undefined && { threshold }),
    ...(span !== null && { timespanMs: span / 1_000 }),
    ...(severity !== undefined && { severity }),
    ...(dedupMinutes !== undefined && { dedupMinutes }),
    ...(exceptions?.length && { exceptions: exceptions.map(exceptionOf).filter((one) => one !== null) }),
  };
  return Object.keys(tuning).length === 0 ? null : tuning;
}

type Setting = keyof typeof RULE_SETTING.values;
const SETTINGS = Object.keys(RULE_SETTING.values) as Setting[];

/** Whether a caller sees the statements of a tenant without literals. */
export const masksOf = ({ masked }: Pick<Call, 'masked'>, tenantId: number): boolean =>
  masked?.has(String(tenantId)) === true;

/**
 * Refuses exceptions about statements to a caller who sees them without literals: what a rule still finds would tell
 * them. @throws DomainError `invalid_parameter`
 */
export function refuseHiddenTuning(tuning: Tuning | null, field: string, masks: boolean): void {
  if (!masks) return;
  const slots = (tuning?.exceptions ?? []).flatMap((one) => Object.keys(one).map(fieldSlot));
  if (slots.some((slot) => slot !== null && tellsLiterals(slot))) throw refusal([hiddenProblem(field)]);
}

/** The settings that change what a rule does. */
export const settingsOf = ({ takes }: Pick<About, 'takes'>): Setting[] =>
  SETTINGS.filter((name) => !(name in takes) || takes[name as keyof typeof takes]);

/** Refuses tuning that would change nothing, so that nobody relies on it. @throws DomainError `invalid_parameter` */
export function assertTunes({ takes }: Pick<About, 'takes'>, tuning: Tuning): void {
  const { threshold, timespanMs, exceptions } = tuning;
  const problems = [
    ...(threshold !== undefined && !takes.threshold ? [unfit('threshold', 'it has no threshold')] : []),
    ...(timespanMs !== undefined && !takes.timespan ? [unfit('timespan', 'it has no timespan')] : []),
    ...(exceptions && !takes.exceptions
      ? [unfit('exceptions', 'it is not about events: there is nothing to except')]
      : []),
  ];
  if (problems.length > 0) throw refusal(problems, 'The rule cannot be tuned so: ');
}

const unfit = (field: Setting, message: string): Problem => ({
  code: 'refused',
  field,
  message,
  detail: {},
});
