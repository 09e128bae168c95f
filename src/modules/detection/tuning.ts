import { GraphQLInt, GraphQLString } from 'graphql';
import { ArgsType, Field, InputType } from 'type-graphql';
import { SEVERITIES, type Severity, type Tuning } from '../../detection/rule';
import type { About } from '../../detection/rule-reader';
import { parseSpan } from '../../detection/sigma/correlation';
import { LIMITS } from '../../limits';
import { type Given, invalid, MAYBE, text } from './operations';
import { refused } from './own-rule-bounds';
import { RULE_SETTING } from './work-answers';

const EXCEPTIONS_MAX = 100;

/** The settings of a rule as callers give them: as arguments of their own, or as one. */
@ArgsType()
@InputType('RuleTuning', { description: 'Tuning of a rule. Settings that are not given are as in the file.' })
export class GivenTuning {
  @Field(() => GraphQLInt, MAYBE) threshold?: Given<number>;
  @Field(text, { nullable: true, description: 'For example 15m.' }) timespan?: Given<string>;
  @Field(text, MAYBE) severity?: Given<string>;
  @Field(() => GraphQLInt, MAYBE) dedupMinutes?: Given<number>;
  @Field(() => [GraphQLString], {
    nullable: true,
    description:
      'JSON objects of values by field: the rule ignores an event that has all values of one object.',
  })
  exceptions?: Given<string[]>;
}

/** @returns null: no tuning @throws DomainError `invalid_parameter` that names every problem */
export function toTuning(given: GivenTuning): Tuning | null {
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

type Setting = keyof typeof RULE_SETTING.values;
const SETTINGS = Object.keys(RULE_SETTING.values) as Setting[];

/** The settings that change what a rule does. */
export const settingsOf = ({ takes }: Pick<About, 'takes'>): Setting[] =>
  SETTINGS.filter((name) => !(name in takes) || takes[name as keyof typeof takes]);

/** Refuses tuning that would change nothing, so that nobody relies on it. @throws DomainError `invalid_parameter` */
export function assertTunes({ takes }: Pick<About, 'takes'>, tuning: Tuning): void {
  const { threshold, timespanMs, exceptions } = tuning;
  const problems = [
    ...(threshold !== undefined && !takes.threshold ? ['it has no threshold'] : []),
    ...(timespanMs !== undefined && !takes.timespan ? ['it has no timespan'] : []),
    ...(exceptions && !takes.exceptions ? ['it is not about events: there is nothing to except'] : []),
  ];
  if (problems.length > 0) throw refused(`The rule cannot be tuned so: ${problems.join('; ')}.`);
}
