import { DomainError, serviceUnavailable } from '../errors';

/**
 * SQLSTATE classes and codes that mean a faulty statement, which is our own mistake, and not an unavailable database.
 */
const OUR_MISTAKE = /^(?:0A|21|22|23|26|2F|34|42|54)/;

/** The failures of statements and logins that somebody handles, by PostgreSQL's names and codes (SQLSTATE). */
const FAILURES = {
  unique_violation: '23505',
  /** Also "no partition of relation found for row". */
  check_violation: '23514',
  invalid_parameter_value: '22023',
  invalid_authorization_specification: '28000',
  invalid_password: '28P01',
  invalid_catalog_name: '3D000',
  /** On a replica: it cancelled the statement to continue its replay. */
  serialization_failure: '40001',
  insufficient_privilege: '42501',
  undefined_column: '42703',
  undefined_object: '42704',
  undefined_table: '42P01',
  disk_full: '53100',
  too_many_connections: '53300',
  lock_not_available: '55P03',
  /** A statement took longer than it may. */
  query_canceled: '57014',
  raise_exception: 'P0001',
} as const;
type Failure = keyof typeof FAILURES;
const NAMES = new Map(Object.entries(FAILURES).map(([name, code]) => [code as string, name as Failure]));

/** Which of these failures an error is; null: another one, or none of the database. */
export const failureOf = (error: unknown): Failure | null => NAMES.get(sqlStateOf(error) ?? '') ?? null;

/** Whether an error is one of these failures. */
export function isFailure(error: unknown, ...of: readonly Failure[]): boolean {
  const failure = failureOf(error);
  return failure !== null && of.includes(failure);
}

/**
 * Translates a failed statement for the caller. Any failure that is not our own mistake means an unavailable database.
 */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (isFailure(error, 'query_canceled')) {
    return new DomainError('service_unavailable', {
      public: 'The question took too long to answer. Narrow the time range or the filters.',
      retryAfterSeconds: 5,
      cause: error,
    });
  }
  if (isStatementsOwn(error)) return error;
  return isProgrammingError(error) ? error : serviceUnavailable(error);
}

/** Whether a failure is the statement's: the server that ran it is available. */
export const isStatementsOwn = (error: unknown): boolean => OUR_MISTAKE.test(sqlStateOf(error) ?? '');

/** The SQLSTATE of a database error, found in any of the errors that wrap it. */
function sqlStateOf(error: unknown): string | null {
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

/** SQLSTATEs of a server without room, memory or connections, of one that writes nothing now, and of a broken one. */
const OF_THE_SERVER = /^(?:25006|53|58)/;

/** Whether a failure is the server's, so that no other statement would do better. */
export const isServersOwn = (error: unknown): boolean => OF_THE_SERVER.test(sqlStateOf(error) ?? '');

const isProgrammingError = (error: unknown) =>
  error instanceof TypeError ||
  error instanceof RangeError ||
  (error instanceof Error && error.name === 'PrismaClientValidationError');
