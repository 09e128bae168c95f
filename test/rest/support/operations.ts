import type { Answer } from '../../support/answer';
import type { TestTenant } from '../../support/world';

/** One of the three calls of the public API, for tests of their common behaviour. */
export interface Operation {
  readonly title: string;
  readonly path: (recordId: string) => string;
  /** The path and query of the same call with an invalid value. */
  readonly mistaken: readonly [path: string, query: string];
}

/** A well-formed record id that no event has. */
export const UNKNOWN_RECORD = '019a8f00-0000-8000-8000-000000000000';

export const LIST: Operation = {
  title: 'GET /audit-activity',
  path: () => '/audit-activity',
  mistaken: ['/audit-activity', 'page=0'],
};
export const DETAIL: Operation = {
  title: 'GET /audit-activity/{recordId}',
  path: (recordId) => `/audit-activity/${recordId}`,
  mistaken: ['/audit-activity/no-uuid', ''],
};
export const SUMMARY: Operation = {
  title: 'GET /audit-activity/summary',
  path: () => '/audit-activity/summary',
  mistaken: ['/audit-activity/summary', 'startTime=yesterday'],
};
export const OPERATIONS: readonly Operation[] = [LIST, DETAIL, SUMMARY];

/** @returns the record id of the tenant's newest event */
export async function newestRecord(tenant: TestTenant): Promise<string> {
  const { body } = await tenant.get('/audit-activity', { pageSize: 1 });
  return body.data[0].recordId;
}

/** Fails unless the answer is the documented error: status, code and message, and no other fields. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: {
      error: { code, message: expect.stringMatching(/\S/), requestId: answer.headers.get('X-Request-Id') },
    },
  });
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json\b/);
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
}
