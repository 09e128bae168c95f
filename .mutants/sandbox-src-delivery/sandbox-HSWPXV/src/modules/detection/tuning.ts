import { type Rule, SEVERITIES, type Severity, type Tuning } from '../../detection/rule';
import { parseSpan } from '../../detection/sigma/correlation';
import { LIMITS } from '../../limits';
import { type Given, invalid } from './operations';
import { refused } from './own-rule-bounds';

const EXCEPTIONS_MAX = 100;

/** @returns null: no tuning @throws DomainError `invalid_parameter` that names every problem */
export function toTuning(given: {
  readonly threshold: Given<number>;
  readonly timespan: Given<string>;
  readonly severity: Given<string>;
  readonly dedupMinutes: Given<number>;
  readonly exceptions: Given<readonly string[]>;
}): Tuning | null {
  const { threshold, timespan, severity, dedupMinutes, exceptions } = given;
  const span = timespan == null ? null : parseSpan(timespan);
  const exceptionChars = exceptions?.reduce((sum, { length }) => sum + length, 0) ?? 0;
  const objects = exceptions?.map(exceptionOf) ?? null;
  const problems = [
    ...(threshold != null && threshold < 1 ? ['threshold must be above 0'] : []),
    ...(timespan != null && span === null ? ['timespan must be a number and s, m, h or d'] : []),
    ...(severity != null && !SEVERITIES.includes(severity as Severity)
      ? [`severity must be one of ${SEVERITIES.join(', ')}`]
      : []),
    ...(dedupMinutes != null && (dedupMinutes < 1 || dedupMinutes > 10_080)
      ? ['dedupMinutes must be from 1 to 10080']
      : []),
    ...(objects?.includes(null) ? ['exceptions must be JSON objects of texts by field'] : []),
    ...((objects?.length ?? 0) > EXCEPTIONS_MAX ? [`there are at most ${EXCEPTIONS_MAX} exceptions`] : []),
    ...(exceptionChars > LIMITS.exceptionsCharsMax
      ? [`exceptions have at most ${LIMITS.exceptionsCharsMax} characters in all`]
      : []),
  ];
  if (problems.length > 0) throw invalid(`${problems.join('; ')}.`);
  const tuning: Tuning = {
    ...(threshold != null && { threshold }),
    ...(span !== null && { timespanMs: span / 1_000 }),
    ...(severity != null && { severity: severity as Severity }),
    ...(dedupMinutes != null && { dedupMinutes }),
    ...(objects && objects.length > 0 && { exceptions: objects.filter((one) => one !== null) }),
  };
  return Object.keys(tuning).length === 0 ? null : tuning;
}

function exceptionOf(json: string): Record<string, string> | null {
  try {
    const value: unknown = JSON.parse(json);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
    const entries = Object.entries(value);
    return entries.length > 0 && entries.every(([, one]) => typeof one === 'string')
      ? (Object.fromEntries(entries) as Record<string, string>)
      : null;
  } catch {
    return null;
  }
}

/** Refuses tuning that would change nothing, so that nobody relies on it. @throws DomainError `invalid_parameter` */
export function assertTunes(
  rules: readonly Rule[],
  ruleId: string,
  { threshold, timespanMs, exceptions }: Tuning,
): void {
  const root = rules.find((one) => one.ruleId === ruleId)?.root;
  if (!root) return;
  const problems = [
    ...(threshold !== undefined && !['event_count', 'value_count', 'above'].includes(root.kind)
      ? ['it has no threshold']
      : []),
    ...(timespanMs !== undefined && ['event', 'unseen'].includes(root.kind) ? ['it has no timespan'] : []),
    ...(exceptions && root.kind === 'event' && root.matcher.actions?.size === 0
      ? ['it is not about events: there is nothing to except']
      : []),
  ];
  if (problems.length > 0) throw refused(`The rule cannot be tuned so: ${problems.join('; ')}.`);
}
