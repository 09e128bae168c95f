import { LIMITS } from '../../src/limits';
import { toGroupQuestion } from '../../src/modules/explore/group-question';
import { firstGroups, type GroupSort } from '../../src/modules/explore/sort-groups';
import type { EventGroup } from '../../src/store/columns/groups';

describe('a question for groups', () => {
  it('groups by login, the largest first, if nothing is given', () => {
    const { asked } = toGroupQuestion({});
    expect(asked).toEqual({
      fields: ['serverPrincipalName'],
      before: null,
      sumOf: null,
      by: 'count',
      descending: true,
      limit: LIMITS.facetValuesDefault,
    });
  });

  it('takes up to three fields, an order by one of them, and a period before', () => {
    const { asked } = toGroupQuestion({
      fields: ['objectName', 'clientIp', 'hostName'],
      sortBy: 'clientIp',
      sortDirection: 'asc',
      limit: 7,
      beforeStartTime: '2026-01-01T00:00:00Z',
      beforeEndTime: '2026-01-01T00:00:01Z',
    });
    expect(asked).toMatchObject({ by: { field: 1, isNumber: false }, descending: false, limit: 7 });
    expect((asked.before?.to ?? 0n) - (asked.before?.from ?? 0n)).toBe(10_000_000n);
  });

  it('is refused with all its problems at once', () => {
    const all = {
      fields: ['objectName', 'clientIp', 'hostName', 'succeeded'],
      sortBy: 'actionId',
      limit: 0,
      beforeStartTime: '2026-01-01',
    };
    expect(() => toGroupQuestion(all)).toThrow(
      'fields must be one, two or three fields; sortBy must be one of the given fields, or of count, failed, before, ' +
        'change, firstTime, lastTime, sum; beforeStartTime and beforeEndTime must be given together; ' +
        `limit must be a whole number from 1 to ${LIMITS.groupsListedMax}.`,
    );
    const turned = { beforeStartTime: '2026-01-03', beforeEndTime: '2026-01-02' };
    expect(() => toGroupQuestion(turned)).toThrow('beforeStartTime must not be after beforeEndTime');
    expect(() => toGroupQuestion({ sortBy: 'change' })).toThrow(
      'sortBy change needs beforeStartTime, the period to compare with',
    );
    const sameMoment = { beforeStartTime: '2026-01-02', beforeEndTime: '2026-01-02T00:00:00Z' };
    expect(toGroupQuestion(sameMoment).asked.before).toMatchObject({ from: expect.anything() });
    for (const alone of ['beforeStartTime', 'beforeEndTime'])
      expect(() => toGroupQuestion({ [alone]: '2026-01-02' })).toThrow('must be given together');
    const lacking = { sortBy: 'sum' };
    expect(() => toGroupQuestion(lacking)).toThrow(
      'sortBy sum needs sumOf, the field whose numbers are added up',
    );
    expect(toGroupQuestion({ ...lacking, sumOf: 'responseRows' }).asked).toMatchObject({
      by: 'sum',
      sumOf: 'responseRows',
    });
    const soon = { beforeStartTime: 'soon', beforeEndTime: '2026-01-02' };
    expect(() => toGroupQuestion(soon)).toThrow('beforeStartTime must be an ISO 8601 date');
  });
});

describe('groups', () => {
  const group = (values: string[], given: Partial<EventGroup> = {}): EventGroup => ({
    values,
    n: 5,
    failed: 2,
    before: 3,
    firstMs: 1_000,
    lastMs: 2_000,
    sum: 7,
    ...given,
  });
  const order = async (
    groups: readonly EventGroup[],
    by: GroupSort,
    descending: boolean,
    limit = groups.length,
  ) =>
    (await firstGroups(groups, { by, descending, limit }, async () => {})).map(({ values }) =>
      values.join('/'),
    );

  it.each([
    ['count', { n: 4 }],
    ['failed', { failed: 1 }],
    ['before', { before: 0 }],
    ['change', { before: 4 }],
    ['change', { n: 4 }],
    ['firstTime', { firstMs: 999 }],
    ['lastTime', { lastMs: 1_999 }],
    ['sum', { sum: 6 }],
    ['sum', { sum: -(2n ** 70n) }],
  ] as const)('are sorted by %s in both directions', async (by, less) => {
    const groups = [group(['b']), group(['c'], less), group(['a'])];
    expect(await order(groups, by, false)).toEqual(['c', 'a', 'b']);
    expect(await order(groups, by, true)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['before', { before: null }],
    ['change', { before: null }],
    ['sum', { sum: null }],
  ] as const)(
    'without a number stand behind all others by %s, whatever the direction',
    async (by, lacking) => {
      const groups = [group(['b']), group(['c'], lacking), group(['a'])];
      for (const descending of [false, true])
        expect(await order(groups, by, descending)).toEqual(['a', 'b', 'c']);
    },
  );

  it('are sorted by the values of a field, and in ties by all values from A, whatever the direction', async () => {
    const groups = [group(['b', 'x']), group(['a', 'y']), group(['a', 'x']), group(['', 'z'])];
    expect(await order(groups, { field: 0, isNumber: false }, false)).toEqual(['/z', 'a/x', 'a/y', 'b/x']);
    expect(await order(groups, { field: 0, isNumber: false }, true)).toEqual(['b/x', 'a/x', 'a/y', '/z']);
    expect(await order(groups, { field: 1, isNumber: false }, true)).toEqual(['/z', 'a/y', 'a/x', 'b/x']);
  });

  it('are sorted by the numbers of a number field, absent ones before all', async () => {
    const groups = ['10', '9', '', '9223372036854775807', '-5'].map((text) => group([text]));
    const ascending = ['', '-5', '9', '10', '9223372036854775807'];
    expect(await order(groups, { field: 0, isNumber: true }, false)).toEqual(ascending);
    expect(await order(groups, { field: 0, isNumber: true }, true)).toEqual(ascending.toReversed());
  });

  it('are the first ones of all, however many there are', async () => {
    const numbers = Array.from({ length: 12_007 }, (_, i) => (i * 5_003) % 12_007);
    const groups = numbers.map((n) => group([String(n)], { n }));
    expect(await order(groups, 'count', false, 3)).toEqual(['0', '1', '2']);
    expect(await order(groups, 'count', true, 2)).toEqual(['12006', '12005']);
    expect(await order(groups, 'count', true)).toHaveLength(12_007);
  });

  it('are fewer where their values are longer than one answer holds', async () => {
    const limit = jest.replaceProperty(LIMITS, 'groupsListedChars', 9 as never);
    try {
      const groups = ['aaaa', 'bbbbb', 'c'].map((value) => group([value]));
      expect(await order(groups, 'count', true)).toEqual(['aaaa', 'bbbbb']);
    } finally {
      limit.restore();
    }
  });
});
