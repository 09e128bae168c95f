import fc from 'fast-check';
import { type AccessEntry, entryOf, ownAttempt } from '../../src/caller/access-log';
import { AccessViews } from '../../src/caller/access-views';
import { LIMITS } from '../../src/limits';

const T0 = Date.parse('2026-01-05T08:00:00Z');
const VIEW = LIMITS.accessLogViewMs;
const REPEAT = LIMITS.accessLogRepeatMs;

function read(atMs: number, operation: string, parameters: object, change: Partial<AccessEntry> = {}) {
  const attempt = { ...ownAttempt(operation, new Date(T0 + atMs), parameters), entrance: 'dashboard' };
  return { ...entryOf({ ...attempt, keyId: 'k', tenantIds: [7] }, { outcome: 'ok', rows: 1 }), ...change };
}

function opened() {
  const entries: AccessEntry[] = [];
  const views = new AccessViews((entry) => entries.push(entry));
  const told = () =>
    entries.map(
      ({ operation, parameters }) =>
        [operation, JSON.parse(parameters) as { readonly with?: object }] as const,
    );
  return { entries, views, told };
}

const FILTER = {
  filter: 'objectName:Payroll',
  startTime: '2026-01-05T07:00:00Z',
  endTime: '2026-01-05T08:00:00Z',
};

describe('what the dashboard reads', () => {
  it('is one entry for a view, with the parameters of all its questions', () => {
    const { views, told, entries } = opened();
    views.note(read(0, 'auditHistogram', FILTER));
    views.note(read(40, 'auditFacets', { ...FILTER, fields: ['actionId'] }));
    views.note(read(60, 'auditFacets', { ...FILTER, fields: ['hostName'] }));
    views.note(read(90, 'auditEvents', { ...FILTER, page: 1 }, { rows: 20 }));
    views.settle(T0 + VIEW - 1);
    expect([views.held, told()]).toEqual([4, []]);
    views.settle(T0 + VIEW);
    const beside = {
      auditHistogram: [{}],
      auditFacets: [{ fields: ['actionId'] }, { fields: ['hostName'] }],
    };
    expect(told()).toEqual([['auditEvents', { ...FILTER, page: 1, with: beside }]]);
    expect([entries[0]?.rows, entries[0]?.at.getTime(), views.held]).toEqual([20, T0 + 90, 0]);
  });

  it('is another view with the next list of events, with time, for somebody else, or where an entry is full', () => {
    const { views, told } = opened();
    views.note(read(0, 'auditEvents', { page: 1 }));
    views.note(read(10, 'auditEvents', { page: 2 }));
    views.note(read(20, 'alertCounts', {}, { keyId: 'other' }));
    views.note(read(30, 'alertCounts', {}, { tenantIds: [8] }));
    views.note(read(40, 'auditCoverage', { filter: 'x'.repeat(LIMITS.accessLogParametersCharsMax) }));
    views.note(read(40 + VIEW, 'findings', {}));
    views.end();
    expect(
      told()
        .map(([operation]) => operation)
        .sort(),
    ).toEqual([...['alertCounts', 'alertCounts', 'auditCoverage', 'auditEvents', 'auditEvents', 'findings']]);
  });

  it('is another view when its first question is old, and for another address or another kind of caller', () => {
    const { views, told } = opened();
    for (const ms of [0, VIEW / 2, VIEW - 1, VIEW]) views.note(read(ms, 'alertCounts', { ms }));
    views.note(read(VIEW + 1, 'alertCounts', { ms: 1 }, { address: '192.0.2.9' }));
    views.note(read(VIEW + 2, 'alertCounts', { ms: 1 }, { principalKind: 'operator' }));
    views.end();
    expect(told().map(([, { with: beside = {} }]) => Object.values(beside).flat().length)).toEqual([
      ...[2, 0, 0, 0],
    ]);
  });

  it('is handed on also where the clock was set back', () => {
    const { views, told } = opened();
    views.note(read(0, 'auditEvents', { page: 1 }));
    views.settle(T0 - VIEW + 1);
    expect(told()).toHaveLength(0);
    views.settle(T0 - VIEW);
    expect(told()).toEqual([['auditEvents', { page: 1 }]]);
  });

  it('has an entry of its own for a whole event, and for what is refused', () => {
    const { views, told } = opened();
    const refused = { outcome: 'forbidden', rows: null } as const;
    views.note(read(0, 'auditEvent', { recordId: 'a' }));
    views.note(read(1, 'auditEvent', { recordId: 'a' }));
    views.note(read(2, 'auditEvents', {}, refused));
    expect(told()).toHaveLength(3);
    expect(views.held).toBe(0);
  });

  it('is one entry for a stretch of repeats, with their number, also where the range moves with the clock', () => {
    const { views, told } = opened();
    const at = (ms: number) => new Date(T0 + ms).toISOString();
    const lastHour = (ms: number) => ({ startTime: at(ms - 3_600_000), endTime: at(ms), page: 1 });
    for (let ms = 0; ms < REPEAT + 20_000; ms += 10_000) {
      views.note(read(ms, 'auditEvents', lastHour(ms)));
      views.settle(T0 + ms + 5_000);
    }
    const last = REPEAT + 10_000;
    expect(told()).toEqual([
      ['auditEvents', lastHour(0)],
      ['auditEvents', { ...lastHour(last), repeated: last / 10_000, since: at(10_000) }],
    ]);
    views.note(read(last + 10_000, 'auditEvents', lastHour(last + 10_000)));
    expect(views.held).toBe(1);
    views.settle(T0 + last + 10_000 + REPEAT);
    expect(told()[2]).toEqual([
      'auditEvents',
      { ...lastHour(last + 10_000), repeated: 1, since: at(last + 10_000) },
    ]);
    expect(views.held).toBe(0);
  });

  it('is not a repeat with another range, another page or other parameters', () => {
    const { views, told } = opened();
    for (const [i, parameters] of [
      FILTER,
      { ...FILTER, endTime: '2026-01-05T09:00:00Z' },
      { ...FILTER, startTime: '2026-01-04T07:00:00Z' },
      { ...FILTER, page: 2 },
      { filter: FILTER.filter },
      {},
    ].entries())
      views.note(read(i * 1_000, 'auditEvents', parameters));
    views.end();
    expect(told()).toHaveLength(6);
    expect(told().some(([, parameters]) => 'repeated' in parameters)).toBe(false);
  });

  it('is not a repeat where the range moves away from the stated one step by step', () => {
    const { views, told } = opened();
    const start = (i: number) => T0 - i * 9_000;
    for (let i = 0; i < 60; i++)
      views.note(
        read(i * 10, 'auditEvents', {
          ...FILTER,
          startTime: new Date(start(i)).toISOString(),
          endTime: null,
        }),
      );
    views.end();
    const stated = told().map(([, parameters]) => Date.parse((parameters as typeof FILTER).startTime));
    for (let i = 0; i < 60; i++)
      expect(Math.min(...stated.map((ms) => Math.abs(ms - start(i))))).toBeLessThanOrEqual(10_000);
  });

  it('remembers a bounded number of reads, and states the repeats of those that it forgets', () => {
    const { views, told } = opened();
    const bound = jest.replaceProperty(LIMITS, 'accessLogKnownMax', 2 as never);
    try {
      for (const [i, page] of [1, 1, 1, 2, 3].entries()) views.note(read(i, 'auditEvents', { page }));
      expect(told()).toContainEqual(['auditEvents', expect.objectContaining({ page: 1, repeated: 2 })]);
    } finally {
      bound.restore();
    }
  });

  it('is never lost: each read is in an entry, and the entries state as many reads as there were', () => {
    const one = fc.record({
      passed: fc.constantFrom(0, 5, 900, VIEW, 20_000, REPEAT),
      operation: fc.constantFrom('auditEvents', 'auditHistogram', 'alertCounts', 'auditEvent'),
      what: fc.constantFrom('red', 'blue'),
      keyId: fc.constantFrom('a', 'a', 'b'),
      endTime: fc.constantFrom(undefined, '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 20, maxLength: 60 }), (reads) => {
        const { views, entries } = opened();
        let ms = 0;
        for (const { passed, operation, what, keyId, endTime } of reads) {
          ms += passed;
          views.settle(T0 + ms);
          views.note(read(ms, operation, { what, endTime }, { keyId }));
        }
        views.end();
        const stated = entries.map(({ parameters }) => JSON.parse(parameters) as Record<string, unknown>);
        const count = ({ repeated, with: beside = {} }: (typeof stated)[number]) =>
          Number(repeated ?? 1 + Object.values(beside as object).flat().length);
        expect(stated.reduce((sum, one) => sum + count(one), 0)).toBe(reads.length);
        for (const { operation, what, keyId } of reads)
          expect(
            entries.some((entry, i) => {
              const { what: its, with: beside } = stated[i] as {
                what: string;
                with?: Record<string, object[]>;
              };
              const isBeside = beside?.[operation]?.some((own) => ({ what: its, ...own }).what === what);
              return entry.keyId === keyId && ((entry.operation === operation && its === what) || isBeside);
            }),
          ).toBe(true);
        expect(views.held).toBe(0);
        expect(new Set(entries.map(({ entryId }) => entryId)).size).toBe(entries.length);
      }),
    );
  });
});
