import {
  bodyOf,
  documentIn,
  parseRequest,
  prepareOperation,
  type Route,
  setRateLimitHeaders,
  specsOf,
} from '../../rest-facade/route';
import { ROUTES } from '../../rest-facade/routes';
import { MARK } from '../../src/event/marks';
import { LIMITS } from '../../src/limits';
import { describeSchema } from '../../src/schema';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';
import { anEventInFull } from '../evidence/parts/log-copies';
import { openFakeService, READER } from '../support/fake-service';

const NOW = new Date('2026-01-05T08:00:00.123Z');
const META = { timestamp: '2026-01-05T08:00:00.123Z', apiVersion: '1.0' };
const routeOf = (id: string): Route => {
  const route = ROUTES.find(({ operationId }) => operationId === id);
  if (!route) throw new Error(`no route ${id}; there are ${ROUTES.map((one) => one.operationId)}`);
  return route;
};
const DETAIL = routeOf('getAuditActivity');
const LIST = routeOf('listAuditActivity');

describe('the envelope of an answer', () => {
  it.each([
    ['an empty list', 0, 1, 10, { totalPages: 0, hasPreviousPage: false, hasNextPage: false }],
    ['the only page', 10, 1, 10, { totalPages: 1, hasPreviousPage: false, hasNextPage: false }],
    ['the first of two', 11, 1, 10, { totalPages: 2, hasPreviousPage: false, hasNextPage: true }],
    ['one in between', 30, 2, 10, { totalPages: 3, hasPreviousPage: true, hasNextPage: true }],
    ['the last one', 30, 3, 10, { totalPages: 3, hasPreviousPage: true, hasNextPage: false }],
    ['one beyond the end', 30, 9, 10, { totalPages: 3, hasPreviousPage: true, hasNextPage: false }],
  ])('of a list says where it is: %s', (_, totalCount, page, pageSize, where) => {
    expect(bodyOf(LIST, { items: [1, 2], totalCount, page, pageSize }, NOW)).toEqual({
      data: [1, 2],
      meta: { totalCount, page, pageSize, ...where, ...META },
    });
  });

  it('of a record has it, and without one the answer is 404', () => {
    expect(bodyOf(DETAIL, { a: 1 }, NOW)).toEqual({ data: { a: 1 }, meta: META });
    expect(() => bodyOf(DETAIL, null, NOW)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('is left out where a route has documents, and the format names one', () => {
    const route = { ...LIST, documents: { csv: 'text/csv' } };
    const value = { document: 'a,b' };
    expect(documentIn(route, { format: 'csv' }, value)).toEqual({ type: 'text/csv', text: 'a,b' });
    expect(documentIn(route, { format: 'json' }, value)).toBeNull();
    expect(documentIn(route, {}, value)).toBeNull();
    expect(documentIn(LIST, { format: 'csv' }, value)).toBeNull();
  });
});

describe('the parameters of a request', () => {
  it('are those of the path and of the query, and none of the path is in the query', () => {
    const recordId = '0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a';
    const of = (params: Record<string, string>, query: Record<string, string>) =>
      parseRequest(DETAIL, specsOf(DETAIL), { params, query }).values;
    expect(of({ recordId }, {})).toMatchObject({ recordId });
    expect(() => of({ recordId }, { recordId })).toThrow('recordId (in the query)');
    expect(() => of({ recordId }, { other: 'x' })).toThrow('other');
  });

  it('are one table each, which the resolver finds again', () => {
    expect(specsOf(LIST)).toBe(LIST.query);
    expect(specsOf(DETAIL)).toBe(DETAIL.pathParameters);
    const [mixed] = ROUTES.filter(
      ({ query, pathParameters }) => Object.keys(query).length > 0 && Object.keys(pathParameters).length > 0,
    );
    if (mixed)
      expect(Object.keys(specsOf(mixed))).toEqual([
        ...Object.keys(mixed.pathParameters),
        ...Object.keys(mixed.query),
      ]);
  });
});

it.each([
  [{ limit: 9, remaining: 3, waitMs: 0 }, '"key";r=3;t=0'],
  [{ limit: 9, remaining: 3, waitMs: 1 }, '"key";r=3;t=0'],
  [{ limit: 9, remaining: 0, waitMs: 1_001 }, '"key";r=0;t=1'],
  [{ limit: 9, remaining: 0, waitMs: 1_002 }, '"key";r=0;t=2'],
])(
  'the headers of the rate limit say how many calls are left, and when there are more: %j',
  (decision, left) => {
    const headers: Record<string, string> = {};
    const response = {
      setHeader: (name: string, value: string) => void Object.assign(headers, { [name]: value }),
    };
    setRateLimitHeaders(response as never, { admitted: true, ...decision } as never);
    expect(headers).toEqual({
      'RateLimit-Policy': `"key";q=9;w=${LIMITS.rateWindowMs / 1_000}`,
      RateLimit: left,
    });
  },
);

it.each([
  ['a field that the schema lacks', { fields: ['none'] }, 'does not fit the schema'],
  ['a root field that is none', { rootField: 'none' }, 'does not fit the schema'],
])('a service does not start with a route of %s', (_, change, text) => {
  const schema = describeSchema();
  expect(() => prepareOperation(schema, { ...DETAIL, ...change })).toThrow(text);
  expect(prepareOperation(schema, DETAIL).rule).toMatchObject({ principal: 'public' });
});

describe('a detail with a large statement', () => {
  const recordId = anEventInFull(1).recordId;
  const MIB = 1024 * 1024;
  const charged = async (bytes: number | null, path = `/audit-activity/${recordId}`) => {
    const calls: number[] = [];
    const statement = bytes === null ? 'SELECT 1' : `x${MARK}:1:${recordId}:1:${bytes};`;
    const event = {
      ...anEventInFull(1),
      statement,
      statementPreview: statement,
    } as unknown as StoredAuditEvent;
    const page = { items: [event], totalCount: 1, page: 1, pageSize: 50 };
    const service = await openFakeService({
      reader: { find: async () => event, page: async () => page, summary: async () => [] } as never,
      acceptCall: async ({ requestId, address, entrance, gone }) => ({
        ...{ requestId, address, entrance, gone, principal: READER },
        again: async () => READER,
        note: () => {},
        charge: (count) => void calls.push(count),
      }),
    });
    await service.rest(path);
    await service.close();
    return calls;
  };

  it('counts as a further call for each MiB, which a list with its beginning does not', async () => {
    expect([await charged(null), await charged(MIB - 1), await charged(3 * MIB + 5)]).toEqual([[], [0], [3]]);
    expect(await charged(3 * MIB, '/audit-activity')).toEqual([]);
  });
});
