import { LIMITS } from '../../src/limits';

/**
 * Other limits for the tests of one `describe`, such as how often a background task runs: stands before `useWorld`, as a
 * service reads some of them when it starts.
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

/** So that a test waits little until what was ingested is in the evidence log. */
export const QUICK_LOG = { sequenceMs: 100 } as const;
/** So that metrics which are read from the database are read anew for each test. */
export const FRESH_METRICS = { metricsKeptMs: 200 } as const;
