import { within } from '../deadline';
import { DomainError, serviceUnavailable } from '../errors';
import { LIMITS } from '../limits';

/** SQLSTATE classes and codes that blame the statement, not the state of the database: our own mistakes. */
const OUR_MISTAKE = /^(?:0A|21|22|23|26|2F|34|42|54)/;
const STATEMENT_TIMEOUT = '57014';

/** What a failed statement means for the caller. Whatever is not our own mistake is the database's absence. */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  const code = sqlStateOf(error);
  if (code === STATEMENT_TIMEOUT) {
    return new DomainError('service_unavailable', {
      public: 'The question took too long to answer. Narrow the time range or the filters.',
      retryAfterSeconds: 5,
      cause: error,
    });
  }
  if (code && OUR_MISTAKE.test(code)) return error;
  return isProgrammingError(error) ? error : serviceUnavailable(error);
}

/** Whether the statement, not the database, was too slow. */
export const isStatementTimeout = (error: unknown): boolean => sqlStateOf(error) === STATEMENT_TIMEOUT;

/** The SQLSTATE of a database error, wherever the layers above it put it. */
export function sqlStateOf(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at && depth < 6; depth++) {
    const { code, originalCode, meta, cause } = at as Record<string, unknown>;
    for (const candidate of [originalCode, code]) {
      if (
        typeof candidate === 'string' &&
        /^[0-9A-Z]{5}$/.test(candidate) &&
        !/^P[12]\d{3}$/.test(candidate)
      ) {
        return candidate;
      }
    }
    at = cause ?? (meta as Record<string, unknown> | undefined)?.driverAdapterError;
  }
  return null;
}

const isProgrammingError = (error: unknown) =>
  error instanceof TypeError ||
  error instanceof RangeError ||
  (error instanceof Error && error.name === 'PrismaClientValidationError');

/** Runs a database call with a deadline, and says what its failure means. */
export async function guarded<T>(
  call: () => Promise<T>,
  deadlineMs: number = LIMITS.requestDeadlineMs,
): Promise<T> {
  const late = () => serviceUnavailable(new Error(`no answer from the database in ${deadlineMs} ms`));
  try {
    return await within(deadlineMs, late, call);
  } catch (error) {
    throw toDatabaseError(error);
  }
}
