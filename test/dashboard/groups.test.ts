import { orderBy } from '../../dashboard/src/explore/groups/group-order';
import { groupsOf, loadGroups } from '../../dashboard/src/explore/groups/group-rows';
import { changeText, csvOf, extentOf } from '../../dashboard/src/explore/groups/group-text';
import { EXPLORE } from '../../dashboard/src/explore/texts';

const TIMES = { firstTime: ['2026-01-05T08:00:00.123Z'], lastTime: ['2026-01-06T09:00:00.456Z'] };
const ANSWER = {
  totalCount: 12,
  groupCount: 38,
  first: ['=cmd()'],
  second: [''],
  third: ['DB1'],
  succeeded: [5],
  failed: [2],
  before: [3],
  recordedBefore: [true],
  sum: ['12345678901234567890'],
  ...TIMES,
};
const NO_MORE = { second: null, third: null, before: null, recordedBefore: null, sum: null };
const ROW = {
  count: 7,
  failed: 2,
  before: 3,
  sum: '12345678901234567890',
  firstTime: TIMES.firstTime[0],
  lastTime: TIMES.lastTime[0],
};

describe('groups of events', () => {
  it('are the lists of the answer, an absent value being null', () => {
    expect(groupsOf(ANSWER)).toEqual({
      totalCount: 12,
      groupCount: 38,
      hasBefore: true,
      rows: [{ values: ['=cmd()', null, 'DB1'], ...ROW }],
    });
    const one = groupsOf({ ...ANSWER, ...NO_MORE });
    expect(one.rows).toEqual([{ ...ROW, values: ['=cmd()'], before: null, sum: null }]);
  });

  it('come from the service in one question, with the order and the period before', async () => {
    const asked: object[] = [];
    const query = (_: unknown, variables: object) => {
      asked.push(variables);
      return { toPromise: async () => ({ data: { auditGroups: ANSWER } }) };
    };
    const range = { startTime: '2026-01-05T00:00:00.000Z', endTime: '2026-01-07T00:00:00.000Z' };
    await loadGroups(
      { query } as never,
      { ...range, filter: 'a' },
      {
        fields: ['hostName'],
        sumOf: 'affectedRows',
        sortBy: 'failed',
        descending: false,
        limit: 9,
      },
    );
    expect(asked).toEqual([
      {
        ...range,
        filter: 'a',
        fields: ['hostName'],
        sumOf: 'affectedRows',
        sortBy: 'failed',
        sortDirection: 'asc',
        limit: 9,
        beforeStartTime: '2026-01-03T00:00:00.000Z',
        beforeEndTime: range.startTime,
      },
    ]);
  });

  it('say which part of all groups they are', () => {
    const { rows } = groupsOf(ANSWER);
    const many = { totalCount: 1, groupCount: 38_123, hasBefore: false, rows };
    expect(extentOf(many, EXPLORE)).toBe('The first 1 of 38,123 groups');
    expect(extentOf({ ...many, groupCount: 1 }, EXPLORE)).toBe('1 group');
    expect(csvOf(['hostName'], null, many).name).toBe('audit-activity-by-hostName-1-of-38123-groups.csv');
    expect(csvOf(['hostName'], null, { ...many, groupCount: 1 }).name).toBe(
      'audit-activity-by-hostName-all-groups.csv',
    );
  });

  it('become CSV in their order, without a formula', async () => {
    const { content } = csvOf(['objectName', 'clientIp', 'databaseName'], 'affectedRows', groupsOf(ANSWER));
    expect(await content.text()).toBe(
      `objectName,clientIp,databaseName,events,failed,before,affectedRows,firstTime,lastTime\r\n'=cmd(),,DB1,7,2,3,${ROW.sum},${ROW.firstTime},${ROW.lastTime}\r\n`,
    );
    const one = csvOf(['objectName'], null, groupsOf({ ...ANSWER, ...NO_MORE }));
    expect(await one.content.text()).toContain('objectName,events,failed,firstTime,lastTime\r\n');
  });

  it('tell a period in which nothing was recorded from one without such events', async () => {
    const unrecorded = groupsOf({ ...ANSWER, before: [0], recordedBefore: [false] });
    expect(unrecorded).toMatchObject({ hasBefore: true, rows: [{ before: null }] });
    expect(await csvOf(['hostName'], null, unrecorded).content.text()).toContain(',7,2,not recorded,');
    expect([changeText(7, null), changeText(7, 3), changeText(3, 1_007), changeText(3, 3)]).toEqual([
      ...['', '+4', '−1,004', '0'],
    ]);
    expect([changeText(7, 0), changeText(0, 0), changeText(0, null)]).toEqual(['+7', '0', '']);
  });

  it('are sorted by a click on a heading, and the other way round by a second one', () => {
    const now = { sortBy: 'count', descending: true } as const;
    expect(orderBy('count', now)).toEqual({ sortBy: 'count', descending: false });
    for (const sortBy of ['failed', 'before', 'change', 'sum', 'lastTime'] as const)
      expect(orderBy(sortBy, now)).toEqual({ sortBy, descending: true });
    for (const sortBy of ['firstTime', 'hostName'] as const)
      expect(orderBy(sortBy, now)).toEqual({ sortBy, descending: false });
  });
});
