import fc from 'fast-check';
import { LIMITS } from '../../../src/limits';

export const WINDOW_MS = LIMITS.rateWindowMs;

/**
 * The rule in its simplest form: a call is admitted if fewer than `limit` calls were admitted in the window that ends
 * with it.
 */
export class WindowModel {
  readonly admitted: number[] = [];

  admit(at: number, limit: number): boolean {
    const recent = this.admitted.filter((earlier) => at - earlier < WINDOW_MS);
    if (recent.length >= limit) return false;
    this.admitted.push(at);
    return true;
  }
}

/** @returns the most calls in any window of this length */
export const mostInAnyWindow = (times: readonly number[]): number =>
  Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at < start + WINDOW_MS).length));

/** Milliseconds between calls: bursts, steady traffic, and the edges of the window. */
export const gaps = (maxLength: number) =>
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 5_000 }) },
      { weight: 2, arbitrary: fc.integer({ min: 5_000, max: 40_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(WINDOW_MS - 1, WINDOW_MS, WINDOW_MS + 1, 10 * WINDOW_MS) },
    ),
    { maxLength },
  );

/** @returns the times of calls with these gaps, from an uneven start */
export function timesOf(given: readonly number[], start = 12_345): number[] {
  let at = start;
  return given.map((gap) => {
    at += gap;
    return at;
  });
}
