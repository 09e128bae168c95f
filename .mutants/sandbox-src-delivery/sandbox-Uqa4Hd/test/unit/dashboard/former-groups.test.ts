import { parseFilter } from '../../../src/event/expression/parse-filter';

type Value = string | null;
interface Counted {
  readonly values: readonly Value[];
  readonly count: number;
}
type CountBy = (text: string, field: string, limit: number) => Promise<readonly Counted[]>;
const { countGroups } = jest.requireActual<{
  countGroups: (
    countBy: CountBy,
    text: string,
    fields: readonly [string, string | null],
    groups: readonly { values: readonly Value[] }[],
  ) => Promise<ReadonlyMap<string, number>>;
}>('../../../dashboard/src/explore/groups/former');

/** Counts a facet as the service does: the values that a filter names, the largest first, at most `limit` of them. */
const among =
  (counts: ReadonlyMap<Value, number>, asked: string[] = []): CountBy =>
  async (text, field, limit) => {
    asked.push(text);
    if ('problem' in parseFilter(text)) throw new Error(text);
    const named = [...counts].filter(([value]) =>
      value === null ? text.includes(`NOT ${field}:*`) : new RegExp(`[:( ]"?${value}"?([ )]|$)`).test(text),
    );
    return named
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, limit)
      .map(([value, count]) => ({ values: [value], count }));
  };

describe('the number of events that groups had in the period before', () => {
  it('is counted for each group, also for one that was smaller than a thousand others', async () => {
    const counts = new Map<Value, number>(Array.from({ length: 1_000 }, (_, i) => [`login${i}`, 1_000 - i]));
    const groups = [{ values: ['login999'] }, { values: ['login0'] }, { values: ['nobody'] }];
    const found = await countGroups(among(counts), 'succeeded:false', ['serverPrincipalName', null], groups);
    expect([...found]).toEqual([
      ['["login999"]', 1],
      ['["login0"]', 1_000],
      ['["nobody"]', 0],
    ]);
  });

  it('is counted for the group of events without a value', async () => {
    const found = await countGroups(
      among(new Map([[null, 7]])),
      '',
      ['hostName', null],
      [{ values: [null] }],
    );
    expect([...found]).toEqual([['[null]', 7]]);
  });

  it('is asked for in as few filters as their greatest length allows', async () => {
    const asked: string[] = [];
    const groups = Array.from({ length: 50 }, (_, i) => ({ values: [`${i}${'x'.repeat(500)}`] }));
    const found = await countGroups(among(new Map(), asked), 'objectName:a', ['hostName', null], groups);
    expect(found.size).toBe(50);
    expect(asked.length).toBeGreaterThan(5);
    expect(Math.max(...asked.map((text) => text.length))).toBeLessThanOrEqual(4_096);
  });

  it('is unknown if the filter leaves no room for the values', async () => {
    const groups = [{ values: ['y'.repeat(500)] }];
    const found = await countGroups(among(new Map()), `"${'x'.repeat(4_000)}"`, ['hostName', null], groups);
    expect(found.size).toBe(0);
  });

  it('is asked for within each value of the first of two fields', async () => {
    const asked: string[] = [];
    const groups = [{ values: ['a', 'x'] }, { values: ['b', 'x'] }, { values: ['a', 'y'] }];
    const countBy = among(new Map([['x', 3]]), asked);
    const found = await countGroups(countBy, 'objectName:(a OR b)', ['objectName', 'hostName'], groups);
    expect([...found]).toEqual([
      ['["a","x"]', 3],
      ['["a","y"]', 0],
      ['["b","x"]', 3],
    ]);
    expect(asked).toEqual(['objectName:a AND hostName:(x OR y)', 'objectName:b AND hostName:x']);
  });
});
