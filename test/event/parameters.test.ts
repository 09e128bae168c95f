import fc from 'fast-check';
import { DomainError } from '../../src/errors';
import type { ParameterSpecs } from '../../src/event/parameter-specs';
import { LIST_PARAMETERS, RECORD_PARAMETERS, SORTS, SUMMARY_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventQuery } from '../../src/event/query';
import { LIMITS } from '../../src/limits';

const list = (given: Record<string, unknown>) => parseParameters(LIST_PARAMETERS, given);
/** The message of the refusal, which must be an `invalid_parameter`. */
function problemsOf(specs: ParameterSpecs, given: Record<string, unknown>): string {
  try {
    parseParameters(specs, given);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid_parameter') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('parameters of the list', () => {
  it('have the defaults of the specification', () => {
    expect(list({})).toMatchObject({ page: 1, pageSize: 20, sortDirection: 'desc' });
    expect(toAuditEventQuery(list({}))).toMatchObject({
      sort: 'recordId',
      descending: true,
      page: 1,
      pageSize: 20,
    });
  });

  it('count as not given when null or undefined, as GraphQL sends them', () => {
    const absent = Object.fromEntries(
      Object.keys(LIST_PARAMETERS).map((name, i) => [name, i % 2 ? null : undefined]),
    );
    expect(list(absent)).toEqual(list({}));
  });

  it.each([
    ['page', 0],
    ['page', '1.5'],
    ['page', '1e2'],
    ['page', ''],
    ['page', String(LIMITS.pageMax + 1)],
    ['pageSize', 0],
    ['pageSize', 101],
    ['pageSize', '0x10'],
    ['sortDirection', 'DESC'],
    ['sortBy', 'statement'],
    ['sortBy', 'constructor'],
    ['search', '"'],
    ['search', 'x'.repeat(LIMITS.searchCharsMax + 1)],
    ['actionId', ''],
    ['databaseName', 'x'.repeat(LIMITS.filterCharsMax + 1)],
    ['principalName', 7],
    ['serverInstanceName', true],
    ['succeeded', 'yes'],
    ['succeeded', 1],
    ['succeeded', ''],
    ['startTime', 'now'],
    ['endTime', '2026-02-30'],
  ])('refuse %s=%j, and name the parameter', (name, value) => {
    expect(problemsOf(LIST_PARAMETERS, { [name]: value })).toContain(`${name} `);
  });

  it('take true and false both as a query string and as GraphQL writes them', () => {
    for (const succeeded of [true, false]) {
      expect(list({ succeeded }).succeeded).toBe(succeeded);
      expect(list({ succeeded: String(succeeded) }).succeeded).toBe(succeeded);
    }
  });

  it('name every problem of a request at once', () => {
    const text = problemsOf(LIST_PARAMETERS, {
      page: '0',
      pageSize: '101',
      sortBy: 'x',
      startTime: 'y',
      databasename: 'Payroll',
      actionId: ['SL', 'IN'],
    });
    for (const name of [
      'page ',
      'pageSize ',
      'sortBy ',
      'startTime ',
      '"databasename"',
      'actionId must be given once',
    ])
      expect(text).toContain(name);
  });

  it('refuse any unknown name, since an ignored filter would widen an audit search', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        fc.pre(!Object.hasOwn(LIST_PARAMETERS, name) && name !== '__proto__');
        expect(problemsOf(LIST_PARAMETERS, { [name]: 'x' })).toContain('is not a parameter here');
      }),
    );
    for (const name of ['toString', 'constructor', 'Page']) {
      expect(problemsOf(LIST_PARAMETERS, { [name]: 'x' })).toContain(name);
    }
  });

  it('name the allowed values of a choice', () => {
    for (const value of Object.keys(SORTS)) expect(list({ sortBy: value }).sortBy).toBe(value);
    const text = problemsOf(LIST_PARAMETERS, { sortBy: 'when' });
    for (const value of Object.keys(SORTS)) expect(text).toContain(value);
  });

  it('take any whole number within bounds, as text or as number, and no other value', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1000, max: 1000 }), (n) => {
        const sound = n >= 1 && n <= LIMITS.pageSizeMax;
        for (const value of [n, String(n)]) {
          if (sound) expect(list({ pageSize: value }).pageSize).toBe(n);
          else expect(problemsOf(LIST_PARAMETERS, { pageSize: value })).toContain('pageSize');
        }
      }),
    );
  });
});

describe.each([
  ['list', LIST_PARAMETERS],
  ['summary', SUMMARY_PARAMETERS],
])('the time range of the %s', (_, specs) => {
  it('must not end before it starts, compared as times and not as texts', () => {
    const text = problemsOf(specs, {
      startTime: '2026-01-02T00:00:00+02:00',
      endTime: '2026-01-01T21:59:59Z',
    });
    expect(text).toContain('startTime must not be after endTime');
    expect(() =>
      parseParameters(specs, { startTime: '2026-01-02T00:00:00+02:00', endTime: '2026-01-01T22:00:00Z' }),
    ).not.toThrow();
  });
});

describe('parameters of operations', () => {
  const specs = {
    texts: { kind: 'texts', itemsMax: 3 },
    objects: {
      kind: 'object',
      of: { name: 'Item', fields: { n: { kind: 'integer', min: 1 } } },
      isList: true,
      itemsMax: 2,
    },
    count: { kind: 'count' },
    kept: { kind: 'time', isStored: true },
    several: { kind: 'choices', values: ['a', 'b'] },
  } as const satisfies ParameterSpecs;

  it('have as many items as their list may have, and not one more', () => {
    const items = (length: number, of: unknown) => Array.from({ length }, () => of);
    for (const [name, most, of] of [
      ['texts', 3, 'x'],
      ['objects', 2, { n: 1 }],
    ] as const) {
      expect(parseParameters(specs, { [name]: items(most, of) })[name]).toHaveLength(most);
      expect(problemsOf(specs, { [name]: items(most + 1, of) })).toContain(name);
    }
    expect(problemsOf(specs, { objects: [{ n: 1 }, { n: 0 }] })).toContain('objects[1].n');
  });

  it('count from 0 on in whole numbers that are exact', () => {
    const sound = [0, 1, 2 ** 40, Number.MAX_SAFE_INTEGER];
    for (const count of sound) expect(parseParameters(specs, { count }).count).toBe(count);
    for (const count of [-1, 0.5, 2 ** 53, '1', Number.NaN])
      expect(problemsOf(specs, { count })).toContain('count');
  });

  it('are kept times within the years that the database has in UTC too', () => {
    for (const kept of [
      '0001-01-01',
      '0001-01-01T01:00:00+01:00',
      '9999-12-31T23:59:59.9999999Z',
      '9999-12-31T23:00:00+01:00',
    ])
      expect(parseParameters(specs, { kept }).kept).toBe(kept);
    for (const kept of [
      ...[
        '0000-01-01',
        '0000-12-31T23:59:59Z',
        '0001-01-01T00:59:59+01:00',
        '9999-12-31T23:00:00-01:00',
        '9999-12-31T23:59:59.99999999Z',
      ],
    ])
      expect(problemsOf(specs, { kept })).toContain('kept');
  });

  it('are choices once each, and at least one', () => {
    expect(parseParameters(specs, { several: ['b', 'a', 'b'] }).several).toEqual(['b', 'a']);
    for (const several of [[], ['a', 'c'], 'a']) expect(problemsOf(specs, { several })).toContain('several');
  });
});

describe('the record id parameter', () => {
  it('must be given and must be a UUID', () => {
    for (const recordId of ['1', 'not-a-uuid', '']) {
      expect(problemsOf(RECORD_PARAMETERS, { recordId })).toContain('recordId');
    }
    fc.assert(
      fc.property(
        fc.uuid(),
        (recordId) => parseParameters(RECORD_PARAMETERS, { recordId }).recordId === recordId,
      ),
    );
  });
});
