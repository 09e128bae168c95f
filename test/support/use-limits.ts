import { LIMITS } from '../../src/limits';

/**
 * Sets other limits for the tests of one `describe`, such as how often a background task runs. It must come before
 * `useWorld`, as a service reads some limits when it starts.
 */
export function useLimits(others: Partial<Record<keyof typeof LIMITS, number>>): void {
  let replaced: { restore(): void }[] = [];
  beforeAll(() => {
    replaced = Object.entries(others).map(([name, value]) =>
      jest.replaceProperty(LIMITS, name as never, value as never),
    );
  });
  afterAll(() => {
    for (const one of replaced) one.restore();
  });
}

/**
 * Opens a service on a database that nobody cuts off. On a busy machine, a new connection takes longer than requests wait
 * for one, so that some would get 503.
 */
export async function withPatience<T>(open: () => Promise<T>): Promise<T> {
  const replaced = jest.replaceProperty(LIMITS, 'databaseConnectMs', PATIENT.databaseConnectMs as never);
  try {
    return await open();
  } finally {
    replaced.restore();
  }
}

/** Limits by which no request of a busy machine is cut off, for a test that is not about these times. */
export const PATIENT = {
  databaseConnectMs: 20_000,
  databaseStatementMs: 30_000,
  requestDeadlineMs: 60_000,
  longStatementWaitMs: 20_000,
} as const;
/** Limits by which a test waits only briefly until ingested events are in the evidence log. */
export const QUICK_LOG = { sequenceMs: 100 } as const;
/** Limits by which each test reads the metrics that come from the database anew. */
export const FRESH_METRICS = { metricsKeptMs: 200 } as const;
