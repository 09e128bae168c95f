import type { RuleSetting, RuleTuning } from '../../generated/operations';
import type { In } from '../lib/texts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/time';
import { exceptionsOf, linesOf } from './exceptions';
import type { RULES } from './texts';

/** The settings of a rule as the form shows them. An empty one is as in the file. */
export interface TypedTuning {
  readonly threshold: number | string;
  readonly timespan: string;
  readonly severity: string;
  readonly dedupMinutes: number | string;
  readonly exceptions: string;
}

interface Stored {
  readonly threshold?: number;
  readonly timespanMs?: number;
  readonly severity?: string;
  readonly dedupMinutes?: number;
  readonly exceptions?: readonly Readonly<Record<string, string>>[];
}

/** The form's content for a rule's stored tuning. */
export function typedOf(tuning: string | null | undefined): TypedTuning {
  const { threshold, timespanMs, severity, dedupMinutes, exceptions } = JSON.parse(tuning ?? '{}') as Stored;
  return {
    threshold: threshold ?? '',
    timespan: timespanMs ? spanText(timespanMs) : '',
    severity: severity ?? '',
    dedupMinutes: dedupMinutes ?? '',
    exceptions: linesOf(exceptions ?? []),
  };
}

/**
 * What is typed, as the service takes it. Settings that the rule does not have are left out.
 * @throws Error with the numbers of the exceptions' lines that do not state values of fields
 */
export function tuningOf(
  typed: TypedTuning,
  settings: readonly RuleSetting[],
  t: In<typeof RULES>,
): RuleTuning {
  const number = (given: number | string) => (given === '' ? null : Number(given));
  const all = {
    threshold: () => number(typed.threshold),
    timespan: () => typed.timespan.trim() || null,
    severity: () => typed.severity || null,
    dedupMinutes: () => number(typed.dedupMinutes),
    exceptions: () => exceptionsOf(typed.exceptions, t).map((exception) => JSON.stringify(exception)),
  } satisfies Record<RuleSetting, () => unknown>;
  return Object.fromEntries(settings.map((name) => [name, all[name]()]));
}

const UNITS = [
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'm'],
  [1000, 's'],
] as const;

/** A length of time as rule files write it, such as `15m`. */
function spanText(ms: number): string {
  const [unit, name] = UNITS.find(([each]) => ms % each === 0) ?? [1000, 's'];
  return `${Math.round(ms / unit)}${name}`;
}
