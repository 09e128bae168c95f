import { problemOf } from '../../dashboard/src/explore/explore-filter';
import { formatState, parseState, viewOf } from '../../dashboard/src/explore/explore-state';
import { boundedWidth, moved } from '../../dashboard/src/explore/own-columns';
import { savedQuery } from '../../dashboard/src/explore/saved/saved-query';
import { savedText } from '../../dashboard/src/explore/saved/saved-text';
import { EXPLORE } from '../../dashboard/src/explore/texts';
import { FIELD_LABELS } from '../../dashboard/src/lib/field-labels';
import { LIMITS } from '../../src/limits';

const rangeOf = (query: string) => parseState(query).range;

describe('the address of a view', () => {
  it.each([
    ['2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'],
    ['2026-01-05T08:00:00', '2026-01-05T08:00:00.0000000Z'],
    ['2026-01-05', '2026-01-05'],
    ['2026-01-05T08:00:00.1234567+02', '2026-01-05T06:00:00.1234567Z'],
    // As long as nothing: the service finds no event in it, and neither does the page.
    ['2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z'],
  ])('reads the time %s as the service does', (startTime, from) => {
    const query = new URLSearchParams({ startTime, endTime: '2026-02-01T00:00:00Z' });
    expect(rangeOf(`${query}`)).toEqual({ kind: 'fixed', from, to: '2026-02-01T00:00:00Z' });
  });

  it('asks for everything from a time on, or up to a time, if only one end is given', () => {
    const from = '2026-01-05T08:00:00Z';
    const open = rangeOf(`startTime=${from}`);
    expect(open).toMatchObject({ kind: 'fixed', from });
    expect(Date.now() - Date.parse('to' in open ? String(open.to) : '')).toBeLessThan(60_000);
    expect(rangeOf(`endTime=${from}`)).toEqual({
      kind: 'fixed',
      from: '1990-01-01T00:00:00.0000000Z',
      to: from,
    });
  });

  it.each([
    '',
    'startTime=bogus',
    'startTime=9999-12-31T23:59:59.99999999Z',
    'startTime=2026-01-02Z&endTime=2026-01-01Z',
    'startTime=2026-01-03&endTime=2026-01-02',
  ])('shows the last 24 hours if its range makes no sense: %s', (query) => {
    expect(rangeOf(query)).toEqual({ kind: 'last', amount: 24, unit: 'h' });
  });

  it('is the same view again when it is read', () => {
    const query =
      'startTime=2026-01-05T08%3A00%3A00Z&endTime=2026-01-06T08%3A00%3A00Z&filter=objectName%3Aa&around=2026-01-05T09%3A00%3A00Z';
    expect(formatState(parseState(query))).toBe(query);
    expect(parseState('around=2026-01-01T00:00:00,5Z').around).toBe('2026-01-01T00:00:00.5000000Z');
  });

  it('holds each part of the view, and as little as it can', () => {
    const query =
      'range=7d&search=a&filter=b&sortBy=actionId&sortDirection=asc&page=2&pageSize=50&columns=eventTime%2ChostName&event=e&groupBy=hostName%2CclientIp%2CobjectName&shape=flow&groupSort=-change&sumOf=responseRows&chart=table';
    expect(formatState(parseState(query))).toBe(query);
    expect(formatState(parseState('range=24h&sortBy=eventTime&sortDirection=desc&page=1'))).toBe('');
    // Without groups, nobody sees their order and shape.
    expect(formatState(parseState('groupSort=-change&shape=flow'))).toBe('');
    expect(parseState('columns=hostName,eventTime,hostName').columns).toEqual(['hostName', 'eventTime']);
  });

  it('is kept without what is there only now, beside its filter, and is the same view again', () => {
    const query =
      'range=7d&search=a&filter=b&sortBy=actionId&page=2&columns=eventTime%2ChostName&event=e&around=2026-01-05&groupBy=hostName&shape=bars&groupSort=count&chart=table&live=1';
    const view = viewOf(parseState(query));
    expect(view).toBe(
      'range=7d&sortBy=actionId&columns=eventTime%2ChostName&groupBy=hostName&shape=bars&groupSort=count&chart=table',
    );
    expect(parseState(savedQuery('objectName:"a b"', view))).toMatchObject({
      filter: 'objectName:"a b"',
      columns: ['eventTime', 'hostName'],
      groupBy: ['hostName'],
      shape: 'bars',
      groupOrder: { sortBy: 'count', descending: false },
      chart: 'table',
      range: parseState(query).range,
      page: 1,
      event: null,
    });
    expect([savedQuery('a', null), savedQuery('a', 'filter=b&filter=c'), savedQuery('', 'range=7d')]).toEqual(
      [...['filter=a', 'filter=a', 'range=7d']],
    );
    expect(savedQuery('', 'range=7d&filter=b')).toBe('range=7d');
  });

  it.each([
    ['b', null, 'b'],
    ['b', '', 'b · Last 24 hours'],
    [
      '',
      'range=7d&columns=eventTime%2ChostName&groupBy=hostName%2CclientIp&chart=table',
      'all events · Last 7 days · by Host, Client address · 2 columns · numbers of the chart',
    ],
    ['b', 'range=7d&groupBy=hostName&shape=heat', 'b · Last 7 days · by Host · Heat map'],
    ['b', 'range=7d&shape=heat', 'b · Last 7 days'],
    [
      'b',
      'startTime=2026-01-05T08:00:00Z&endTime=2026-01-06T09:30:00Z',
      'b · 2026-01-05T08:00 – 2026-01-06T09:30',
    ],
  ])('says in a line what is kept: filter "%s", view %s', (filter, view, text) => {
    expect(savedText({ filter, view }, EXPLORE, FIELD_LABELS)).toBe(text);
  });

  it.each([
    ...[
      'page=0',
      'page=1.5',
      'page=2147483648',
      'pageSize=101',
      'pageSize=0',
      'sortBy=hostName',
      'sortBy=nothing',
    ],
    ...[
      'columns=',
      'columns=nothing',
      'groupBy=statement',
      'sumOf=hostName',
      'shape=cake',
      'groupSort=-nothing',
      'around=soon',
      'sortDirection=up',
    ],
  ])('is the usual view where it names no other: %s', (query) => {
    expect(parseState(query)).toEqual(parseState(''));
  });

  it('groups by three fields at most', () => {
    expect(parseState('groupBy=hostName,nothing,clientIp,actionId,objectName').groupBy).toEqual([
      'hostName',
      'clientIp',
      'actionId',
    ]);
  });

  it('turns plain filters of the API into conditions', () => {
    expect(parseState('filter=a OR b&principalName=svc etl&succeeded=false').filter).toBe(
      '(a OR b) AND principalName:"svc etl" AND succeeded:false',
    );
  });
});

describe('a filter that is typed', () => {
  it('may have as many characters as the service accepts', () => {
    const max = LIMITS.expressionCharsMax;
    expect(problemOf('a'.repeat(max))).toBeNull();
    expect(problemOf('a'.repeat(max + 1))).toEqual({
      problem: `at character ${max + 1}: expected at most ${max} characters`,
      at: max,
    });
    expect([problemOf(''), problemOf('a AND (')?.at]).toEqual([null, 7]);
  });
});

describe('the columns of a person', () => {
  it('take the place of the one to which they are moved, and stay where there is none', () => {
    const columns = ['eventTime', 'actionId', 'hostName', 'clientIp'] as const;
    const orders = [
      moved(columns, 'hostName', 'actionId'),
      moved(columns, 'eventTime', 'hostName'),
      moved(columns, 'clientIp', 'clientIp'),
      moved(columns, 'clientIp', 'objectName'),
      moved(columns, 'objectName', 'clientIp'),
    ];
    expect(orders).toEqual([
      ['eventTime', 'hostName', 'actionId', 'clientIp'],
      ['actionId', 'hostName', 'eventTime', 'clientIp'],
      ...[columns, columns, columns],
    ]);
  });

  it('are as wide as they are drawn, in bounds', () => {
    expect([0, 60, 123.6, 900, 5_000].map(boundedWidth)).toEqual([60, 60, 124, 900, 900]);
  });
});
