/** What can be wrong with a value of a request. A program or a translation goes by these codes. */
export const PROBLEMS = {
  unknown: 'There is no such parameter.',
  missing: 'It must be given.',
  repeated: 'It was given more than once.',
  empty: 'It must not be empty.',
  malformed: 'It is not written as it must be.',
  out_of_range: 'It is below `min` or above `max`.',
  too_long: 'It has more than `max` characters.',
  too_many: 'It has more than `max` items.',
  not_one_of: 'It is none of `values`.',
  conflict: 'It does not go with another parameter.',
  not_there: 'It names something that is not there.',
  refused: 'The service does not permit it.',
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** One thing that is wrong with a request. */
export interface Problem {
  readonly code: ProblemCode;
  /** The parameter, or a part of it such as `secrets.headers`. Null: the request as a whole. */
  readonly field: string | null;
  /** For people: a clause that names the field, without a full stop. */
  readonly message: string;
  /** The values that the message names, such as the bounds. */
  readonly detail: ProblemDetail;
}

type ProblemDetail = Readonly<Record<string, string | number | readonly string[]>>;

/** @param says what goes on after the name of the field */
export const problem = (
  field: string,
  code: ProblemCode,
  says: string,
  detail: ProblemDetail = {},
): Problem => ({ code, field, message: `${field} ${says}`, detail });

export const outOfRange = (field: string, min: number, max: number): Problem =>
  problem(field, 'out_of_range', `must be a whole number from ${min} to ${max}`, { min, max });

export const tooLong = (field: string, max: number): Problem =>
  problem(field, 'too_long', `must be at most ${max} characters`, { max });

export const tooMany = (field: string, max: number): Problem =>
  problem(field, 'too_many', `must be at most ${max}`, { max });

export const notOneOf = (field: string, values: readonly string[]): Problem =>
  problem(field, 'not_one_of', `must be one of ${values.join(', ')}`, { values });

export const empty = (field: string): Problem => problem(field, 'empty', 'must not be empty');

/** @param message the whole clause */
export const conflict = (field: string, message: string): Problem => ({
  code: 'conflict',
  field,
  message,
  detail: {},
});
