import { parseState } from '../../dashboard/src/explore/explore-state';
import { barsCsv, endOf, seriesOf } from '../../dashboard/src/explore/groups/bars-data';
import { layFlow } from '../../dashboard/src/explore/groups/flow-layout';
import { cellsOf, gridCsv, markAt, placesOf } from '../../dashboard/src/explore/groups/grid-data';
import { markFilter, markHref } from '../../dashboard/src/explore/groups/group-links';
import { fieldsOf } from '../../dashboard/src/explore/groups/shape-fields';
import { weekHoursCsv, weekHoursOf } from '../../dashboard/src/explore/groups/week-hours-data';

describe('the fields of a shape', () => {
  it('are the chosen ones, and who, from where, on what, where it needs more', () => {
    expect(fieldsOf('table', ['hostName'])).toEqual(['hostName']);
    expect(fieldsOf('heat', ['hostName'])).toEqual(['hostName', 'serverPrincipalName']);
    expect(fieldsOf('heat', ['hostName', 'clientIp', 'actionId'])).toEqual(['hostName', 'clientIp']);
    expect(fieldsOf('flow', ['serverPrincipalName'])).toEqual([
      'serverPrincipalName',
      'hostName',
      'objectName',
    ]);
    expect(fieldsOf('flow', ['clientIp', 'hostName'])).toEqual([
      'clientIp',
      'hostName',
      'serverPrincipalName',
    ]);
    expect(fieldsOf('hours', ['clientIp'])).toEqual([]);
  });
});

describe('a mark of a chart', () => {
  it('leads to its events within those of the view', () => {
    const mark = { only: [['hostName', 'WS01'] as const, ['objectName', null] as const] };
    expect(markFilter('actionId:SL AND hostName:(WS01 OR WS02)', mark)).toBe(
      'actionId:SL AND hostName:WS01 AND NOT objectName:*',
    );
    const others = { not: [[['hostName', 'WS01'] as const], [['hostName', 'WS02'] as const]] };
    expect(markFilter('', others)).toBe('NOT hostName:(WS01 OR WS02)');
    const groups = { not: [[['hostName', 'A'] as const, ['actionId', null] as const]] };
    expect(markFilter('x OR y', groups)).toBe('(x OR y) AND NOT (hostName:A AND NOT actionId:*)');
  });

  it('shows events without groups, and leads nowhere where no filter is long enough', () => {
    const state = parseState('range=7d&groupBy=hostName&shape=flow&columns=hostName');
    const href = markHref(state, { only: [['hostName', 'WS01']] });
    expect(href).toBe('/explore?range=7d&filter=hostName%3AWS01&columns=hostName');
    expect(markHref(state, { only: [['hostName', 'a'.repeat(5_000)]] })).toBeNull();
  });
});

describe('bars over time', () => {
  const ANSWER = {
    totalCount: 10,
    groupCount: 3,
    bucketSeconds: 3_600,
    timeZone: null,
    starts: ['2026-01-05T08:00:00.0000000Z', '2026-01-05T09:00:00.0000000Z'],
    endTime: '2026-01-05T09:30:00.0000000Z',
    events: [4, 6],
    groups: [{ values: ['sa', ''], events: [3, 1] }],
  };

  it('are the first groups and all others together, where there are some', () => {
    expect(seriesOf(ANSWER)).toEqual([
      { values: ['sa', null], events: [3, 1], total: 4 },
      { values: null, events: [1, 5], total: 6 },
    ]);
    expect(seriesOf({ ...ANSWER, events: [3, 1] })).toHaveLength(1);
    expect([endOf(ANSWER, 0), endOf(ANSWER, 1)]).toEqual([ANSWER.starts[1], ANSWER.endTime]);
  });

  it('become CSV that states its extent', async () => {
    const { name, content } = barsCsv(['serverPrincipalName', 'hostName'], ANSWER);
    expect(name).toBe(
      'audit-activity-over-time-by-serverPrincipalName-hostName-1-of-3-groups-and-others.csv',
    );
    expect((await content.text()).split('\r\n')).toEqual([
      'startTime,endTime,group,serverPrincipalName,hostName,events',
      `${ANSWER.starts[0]},${ANSWER.starts[1]},1,sa,,3`,
      `${ANSWER.starts[0]},${ANSWER.starts[1]},others,,,1`,
      `${ANSWER.starts[1]},${ANSWER.endTime},1,sa,,1`,
      `${ANSWER.starts[1]},${ANSWER.endTime},others,,,5`,
      '',
    ]);
    expect(barsCsv(['hostName'], { ...ANSWER, groupCount: 1 }).name).toContain('-all-groups.csv');
  });
});

const GRID = {
  totalCount: 12,
  groupCount: 4,
  axes: [
    { field: 'serverPrincipalName', values: ['sa', ''], distinct: 5 },
    { field: 'hostName', values: ['WS01'], distinct: 1 },
    { field: 'objectName', values: ['Payroll'], distinct: 2 },
  ],
  first: [0, 1, 2],
  second: [0, 0, 0],
  third: [0, 1, 0],
  succeeded: [5, 2, 3],
  failed: [1, 0, 1],
  sum: null,
};

describe('a heat map and a flow', () => {
  it('have cells, and others where a field has more values', () => {
    expect(cellsOf(GRID)[0]).toEqual({ places: [0, 0, 0], events: 6, failed: 1, sum: null, weight: 6 });
    expect([0, 1, 2].map((axis) => placesOf(GRID, axis))).toEqual([3, 1, 2]);
    expect(markAt(GRID, [1, 0, 1])).toEqual({
      only: [
        ['serverPrincipalName', null],
        ['hostName', 'WS01'],
      ],
      not: [[['objectName', 'Payroll']]],
    });
    expect(markFilter('', markAt(GRID, [2, undefined, undefined]))).toBe(
      'NOT (principalName:sa OR NOT principalName:*)',
    );
  });

  it('become CSV that states its extent, and names the fields of which a row has the others', async () => {
    const { name, content } = gridCsv('flow', GRID, null);
    expect(name).toBe(
      'audit-activity-flow-2-of-5-serverPrincipalName-and-others-all-hostName-1-of-2-objectName-and-others.csv',
    );
    expect((await content.text()).split('\r\n')).toEqual([
      'serverPrincipalName,hostName,objectName,others,events,failed',
      'sa,WS01,Payroll,,6,1',
      ',WS01,,objectName,2,0',
      ',WS01,Payroll,serverPrincipalName,4,1',
      '',
    ]);
  });

  it('weigh by a sum where one is asked for, and their CSV has it', async () => {
    const weighed = { ...GRID, sum: ['480000', '', '12'] };
    expect(cellsOf(weighed).map(({ sum, weight }) => [sum, weight])).toEqual([
      ['480000', 480_000],
      [null, 0],
      ['12', 12],
    ]);
    const { nodes, links } = layFlow(cellsOf(weighed), 3, 200);
    expect(nodes.map(({ weight }) => weight)).toEqual([480_000, 0, 12, 480_012, 480_012, 0]);
    expect(links.every(({ left, right }) => [...left, ...right].every(Number.isFinite))).toBe(true);
    const { content } = gridCsv('heat-map', weighed, 'responseRows');
    expect((await content.text()).split('\r\n').slice(0, 3)).toEqual([
      'serverPrincipalName,hostName,objectName,others,events,failed,responseRows',
      'sa,WS01,Payroll,,6,1,480000',
      ',WS01,,objectName,2,0,',
    ]);
  });

  it('have nodes that do not touch, and ribbons that fill the sides of their nodes', () => {
    const { nodes, links, height } = layFlow(cellsOf(GRID), 3, 200);
    expect(nodes.map(({ axis, place, weight }) => [axis, place, weight])).toEqual([
      ...[0, 1, 2].map((place) => [0, place, [6, 2, 4][place]]),
      [1, 0, 12],
      ...[0, 1].map((place) => [2, place, [10, 2][place]]),
    ]);
    for (const [i, node] of nodes.entries()) {
      const next = nodes[i + 1];
      if (next?.axis === node.axis) expect(next.top).toBeGreaterThan(node.top + node.height);
      expect(node.height).toBeGreaterThanOrEqual(22);
    }
    expect(height).toBeLessThanOrEqual(200);
    // Beside the height of a text, each has its share of what is free.
    const heights = nodes.filter(({ axis }) => axis === 0).map((node) => node.height);
    const free = 200 - 3 * (22 + 6);
    for (const [i, weight] of [6, 2, 4].entries())
      expect(heights[i]).toBeCloseTo(22 + (free * weight) / 12, 6);
    const middle = nodes[3];
    expect(links.filter(({ axis }) => axis === 0).at(-1)?.right[1]).toBeCloseTo(
      (middle?.top ?? 0) + (middle?.height ?? 0),
    );
    expect(links.map(({ axis, from, to, weight }) => [axis, from, to, weight])).toEqual([
      [0, 0, 0, 6],
      [0, 1, 0, 2],
      [0, 2, 0, 4],
      [1, 0, 0, 10],
      [1, 0, 1, 2],
    ]);
  });
});

describe('the hours of the week', () => {
  const none = Array<number>(168).fill(0);
  const at = (place: number, n: number) => none.with(place, n);
  const ANSWER = {
    startTime: '2026-01-05T00:00:00.0000000Z',
    endTime: '2026-02-05T00:00:00.0000000Z',
    succeeded: at(25, 7),
    failed: at(25, 2),
    busiest: at(25, 5),
    busiestTime: Array<string>(168).fill('').with(25, '2026-01-13T00:00:00.000Z'),
  };

  it('begin with those of Monday', () => {
    const hours = weekHoursOf(ANSWER);
    expect(hours).toHaveLength(168);
    expect(hours[25]).toEqual({
      weekday: 1,
      clock: 1,
      events: 9,
      failed: 2,
      busiestTime: '2026-01-13T00:00:00.000Z',
      busiest: 5,
    });
  });

  it('become CSV that states zone and range', async () => {
    const { name, content } = weekHoursCsv(ANSWER, 'Europe/Berlin');
    expect(name).toBe('audit-activity-week-hours-Europe-Berlin-2026-01-05-to-2026-02-05.csv');
    const lines = (await content.text()).split('\r\n');
    const { name: ofFar } = weekHoursCsv(ANSWER, 'America/Argentina/Salta');
    expect(ofFar).toContain('-America-Argentina-Salta-');
    expect([lines.length, lines[26]]).toEqual([170, 'Tuesday,1,9,2,2026-01-13T00:00:00.000Z,5']);
  });
});
