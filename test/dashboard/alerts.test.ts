import { sumOf } from '../../dashboard/src/alerts/alert-counts';
import { hrefOfAlert } from '../../dashboard/src/alerts/alert-href';
import { statusText } from '../../dashboard/src/alerts/alert-words';
import { fieldLabel, groupOf, groupText } from '../../dashboard/src/alerts/group-text';
import {
  formatQueue,
  isFiltered,
  NO_FILTERS,
  parseQueue,
  type QueueState,
} from '../../dashboard/src/alerts/queue-state';
import { ALERTS } from '../../dashboard/src/alerts/texts';
import { questionOf } from '../../dashboard/src/alerts/use-finding-events';
import { waitText } from '../../dashboard/src/alerts/wait-text';
import type { Incident, PlacedEvent } from '../../dashboard/src/incidents/incident';
import { markdownOf } from '../../dashboard/src/incidents/incident-markdown';
import { FIELD_LABELS } from '../../dashboard/src/lib/field-labels';
import { countNotes } from '../../dashboard/src/notes/note-counts';
import { attentionOf, newAlerts } from '../../dashboard/src/shell/attention';
import { SHELL } from '../../dashboard/src/shell/texts';
import { LIMITS } from '../../src/limits';

const DEFAULT: QueueState = { status: 'new', sortBy: 'createdAt', page: 1, ...NO_FILTERS };

describe('the address of the queue', () => {
  it('holds each part of the view', () => {
    const state: QueueState = {
      status: 'resolved',
      severity: 'high',
      ruleId: 'r-1',
      principalName: 'CORP\\a b',
      serverInstanceName: 'SQL01',
      sortBy: 'findingCount',
      page: 3,
    };
    expect(formatQueue(state)).toBe(
      'status=resolved&severity=high&ruleId=r-1&principalName=CORP%5Ca+b&serverInstanceName=SQL01&sortBy=findingCount&page=3',
    );
    expect(parseQueue(formatQueue(state))).toEqual(state);
    expect(formatQueue(DEFAULT)).toBe('');
  });

  it.each([
    ...['', 'page=0', 'page=-1', 'page=1.5', 'page=x', 'status=old', 'severity=worst', 'sortBy=title'],
    'sortBy=constructor',
  ])('is the default view where it names no other: %s', (query) => {
    expect(parseQueue(query)).toEqual(DEFAULT);
  });

  it('says whether it filters', () => {
    expect(isFiltered(DEFAULT)).toBe(false);
    expect(isFiltered({ ...DEFAULT, status: 'resolved', page: 2 })).toBe(false);
    for (const name of Object.keys(NO_FILTERS)) expect(isFiltered({ ...DEFAULT, [name]: 'low' })).toBe(true);
  });
});

describe('the words about alerts', () => {
  it('lead to the page of an alert', () => {
    expect(hrefOfAlert('a-1')).toBe('/dashboard/alerts/a-1');
  });

  it('name the group, and values that were not captured', () => {
    const group = { clientIp: '203.0.113.9', serverPrincipalName: null, sessionId: 51 };
    expect(groupOf(group)).toEqual({ clientIp: '203.0.113.9', serverPrincipalName: null, sessionId: '51' });
    expect(groupText(group, FIELD_LABELS, 'not captured')).toBe(
      'Client address 203.0.113.9, Principal not captured, Session 51',
    );
    expect([groupText(null, FIELD_LABELS, ''), fieldLabel('constructor', FIELD_LABELS)]).toEqual([
      '',
      'constructor',
    ]);
  });

  it('name the state of the work, with its verdict', () => {
    expect(statusText({ status: 'acknowledged', verdict: null }, ALERTS)).toBe('Acknowledged');
    expect(statusText({ status: 'resolved', verdict: 'false_positive' }, ALERTS)).toBe(
      'Resolved: false positive',
    );
  });
});

describe('how long an alert waits', () => {
  const NOW = Date.parse('2026-01-05T12:00:00Z');
  const wait = (status: string, createdAt: string, secondsToAcknowledge: number | null) =>
    waitText({ status, createdAt, secondsToAcknowledge }, NOW, ALERTS);

  it('is told until somebody acknowledges it, and how long it waited after that', () => {
    expect(wait('new', '2026-01-05T09:00:00Z', null)).toBe('waits for 3 h');
    expect(wait('new', '2026-01-05T12:00:01Z', null)).toBe('waits for 0 s');
    expect(wait('resolved', '2026-01-05T09:00:00Z', 90)).toBe('taken up after 2 min');
    expect(wait('resolved', '2026-01-05T09:00:00Z', 0)).toBe('taken up after 0 s');
    expect(wait('resolved', '2026-01-05T09:00:00Z', null)).toBe('');
  });
});

describe('the numbers of alerts', () => {
  const count = (status: string, severity: string, ruleId: string, alerts: number) =>
    ({ status, severity, ruleId, alerts }) as never;
  const counts = [
    count('new', 'critical', 'a', 1),
    count('new', 'low', 'a', 20),
    count('resolved', 'critical', 'b', 300),
    count('new', 'critical', 'b', 4_000),
  ];

  it('are those of all given values', () => {
    expect(sumOf(counts, {})).toBe(4_321);
    expect(sumOf(counts, { status: 'new' })).toBe(4_021);
    expect(sumOf(counts, { status: 'new', severity: 'critical' })).toBe(4_001);
    expect(sumOf(counts, { severity: null, ruleId: 'a' })).toBe(21);
    expect(sumOf(counts, { status: 'suppressed' })).toBe(0);
  });

  it('stand in the menu while some are new', () => {
    expect(newAlerts(counts, SHELL)).toEqual({ '/alerts': '4,021 new, 4,001 critical' });
    expect(newAlerts([count('new', 'high', 'a', 2)], SHELL)).toEqual({ '/alerts': '2 new' });
    expect(newAlerts([count('resolved', 'critical', 'a', 2)], SHELL)).toEqual({});
  });
});

describe('what needs the attention of an operator', () => {
  const NOW = Date.parse('2026-01-05T12:00:00Z');
  const inStates = (numbers: Readonly<Record<string, number>>, withGaps = 0) => ({
    states: Object.entries(numbers).map(([state, sources]) => ({ state, sources })),
    withGaps,
  });
  const key = (state: string, days: number | null, replacedBy: string | null = null) => ({
    state,
    replacedBy,
    expiresAt: days === null ? null : new Date(NOW + days * 86_400_000).toISOString(),
  });
  const attention = (given: object) =>
    attentionOf(
      { auditSourceList: inStates({}), apiKeys: [], destinations: [], ...given } as never,
      NOW,
      SHELL,
    );

  it('is nothing where all is well', () => {
    const auditSourceList = inStates({ lagging: 2, current: 3 });
    const apiKeys = [
      key('valid', 15),
      key('valid', null),
      key('expired', -1),
      key('revoked', 2),
      key('valid', 2, 'x'),
    ];
    const destinations = [{ state: 'active', behindRetention: 0 }];
    expect(attention({ auditSourceList, apiKeys, destinations })).toEqual({});
  });

  it('is what is silent, has a problem or gaps, expires, fails, or was overtaken', () => {
    expect(LIMITS.keyExpiresSoonMs).toBe(14 * 86_400_000);
    const auditSourceList = inStates({ stale: 2, problem: 1, current: 4 }, 1);
    const destinations = [
      { state: 'failing', behindRetention: 3 },
      { state: 'active', behindRetention: 1 },
    ];
    expect(attention({ auditSourceList, destinations, apiKeys: [key('valid', 14)] })).toEqual({
      '/sources': '3 with a problem, 1 with gaps',
      '/destinations': '1 failing, 2 behind retention',
      '/keys': '1 expires soon',
    });
    const gaps = { auditSourceList: inStates({ gaps: 1 }, 1), apiKeys: [key('valid', 1), key('valid', 2)] };
    expect(attention(gaps)).toEqual({ '/sources': '1 with gaps', '/keys': '2 expire soon' });
  });
});

describe('the question for the events of findings', () => {
  const finding = (recordIds: string[], first = '08', last = first) => ({
    recordIds,
    firstEventTime: `2026-01-05T${first}:00:00.9999999Z`,
    lastEventTime: `2026-01-05T${last}:00:00.9999999Z`,
  });

  it('is for the first of each, then the second of each, from the first time past the last', () => {
    expect(
      questionOf([finding(['a', 'b', 'c'], '09', '10'), finding(['d', 'a']), finding([], '07')]),
    ).toEqual({
      filter: 'recordId:(a OR d OR b OR c)',
      startTime: '2026-01-05T07:00:00.9999999Z',
      endTime: '2026-01-05T10:00:01.999Z',
    });
    expect(questionOf([finding([])])).toBeNull();
  });

  it('is for a hundred events at most, as many of each as there is room for', () => {
    const ids = (letter: string) => Array.from({ length: 90 }, (_, i) => `${letter}${i}`);
    const { filter = '' } = questionOf([finding(ids('a')), finding(ids('b'))]) ?? {};
    const asked = filter.slice('recordId:('.length, -1).split(' OR ');
    expect(asked).toHaveLength(100);
    expect([...asked].sort()).toEqual([...ids('a').slice(0, 50), ...ids('b').slice(0, 50)].sort());
  });
});

describe('events that people put into an incident', () => {
  const line = (firstEventTime: string, text: string) => ({
    ...{
      firstEventTime,
      lastEventTime: firstEventTime,
      text,
      severity: 'high' as const,
      findingCount: 1,
      alertId: 'a',
    },
  });
  const incident = {
    ...{
      incidentId: 'i-1',
      tenantId: '1',
      title: 'x',
      severity: 'high',
      status: 'new',
      verdict: null,
      assignee: null,
    },
    ...{ firstEventTime: '', lastEventTime: '', eventCount: 2, rowsRead: 0, rowsChanged: 0 },
    ...{ entities: [], alerts: [], unrecorded: [] },
    timeline: [
      line('2026-01-05T08:00:00.0000000Z', 'guessed'),
      line('2026-01-05T10:00:00.0000000Z', 'stopped'),
    ],
  } satisfies Incident;
  const placed: PlacedEvent = {
    ...{ recordId: 'r', placedBy: 'A_da', placedAt: '2026-02-01T00:00:00.000Z', note: 'the\n*same* tool' },
    event: {
      ...{ recordId: 'r', eventTime: '2026-01-05T09:00:00.0000000Z', actionId: 'SL', succeeded: true },
      ...{ databaseName: 'HR', schemaName: 'dbo', objectName: 'Salary', roleMember: null },
      ...{ serverPrincipalName: 'eve', databasePrincipalName: null, hostName: 'WS', clientIp: null },
    },
  };

  it('stand in its Markdown in the order of time, with who put them there and why', () => {
    const told = markdownOf(incident, [placed])
      .split('\n')
      .filter((one) => one.startsWith('- '));
    expect(told).toEqual([
      '- 2026-01-05T08:00:00.0000000Z guessed',
      '- 2026-01-05T09:00:00.0000000Z eve read dbo.Salary from WS: succeeded (put there by A\\_da: the \\*same\\* tool)',
      '- 2026-01-05T10:00:00.0000000Z stopped',
    ]);
  });

  it('and their notes are counted without the removed ones', () => {
    const note = (recordId: string, removedAt: string | null) => ({ recordId, removedAt });
    expect([...countNotes([note('a', null), note('b', 'x'), note('a', null), note('a', 'x')])]).toEqual([
      ['a', 2],
    ]);
  });
});
