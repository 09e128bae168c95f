import { LIMITS } from '../limits';

/** The problems of a name of a key or a tenant. */
export function nameProblems(name: string): string[] {
  if (name.trim() === '') return ['name must not be empty'];
  if (/\p{Cc}|\p{Cs}/u.test(name)) return ['name must not have control characters'];
  return name.length > LIMITS.nameCharsMax ? [`name must be at most ${LIMITS.nameCharsMax} characters`] : [];
}
