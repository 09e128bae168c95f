import { LIMITS } from '../limits';
import { empty, type Problem, problem, tooLong } from '../problem';

/** The problems of a name of a key or a tenant. */
export function nameProblems(name: string, field = 'name'): Problem[] {
  if (name.trim() === '') return [empty(field)];
  const controls = controlProblems(name, field);
  if (controls.length > 0) return controls;
  return name.length > LIMITS.nameCharsMax ? [tooLong(field, LIMITS.nameCharsMax)] : [];
}

/** Characters that no stored text has, and that PostgreSQL refuses to compare. */
export const controlProblems = (text: string, field: string): Problem[] =>
  /\p{Cc}|\p{Cs}/u.test(text) ? [problem(field, 'malformed', 'must not have control characters')] : [];
