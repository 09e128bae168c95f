import type { Incident, PlacedEvent } from '../../dashboard/src/incidents/incident';
import { markdownOf } from '../../dashboard/src/incidents/incident-markdown';
import { incidentQuestion } from '../../dashboard/src/incidents/incident-question';

const line = (text: string, findingCount: number) => ({
  firstEventTime: '2026-01-05T08:00:00.1234567Z',
  lastEventTime: '2026-01-05T08:01:00Z',
  severity: 'high' as const,
  alertId: 'a-1',
  text,
  findingCount,
});
const incident = {
  incidentId: 'i-1',
  title: '203.0.113.9 guessed sa → [audit] stopped',
  severity: 'critical',
  status: 'acknowledged',
  rowsRead: 7,
  rowsChanged: 2,
  firstEventTime: '2026-01-05T08:00:00.1234567Z',
  lastEventTime: '2026-01-05T09:30:00.5Z',
  entities: [
    { kind: 'login', name: 'sa', part: 'did' },
    { kind: 'login', name: 'CORP\\eve', part: 'did' },
    { kind: 'login', name: 'svc_backup2', part: 'got' },
    { kind: 'address', name: '203.0.113.9', part: 'did' },
  ],
  timeline: [line('guessed sa', 3), line('read *everything* | <b>#1', 1)],
  unrecorded: [
    { serverInstanceName: 'SQL_01', from: '2026-01-05T09:00:00Z', to: '2026-01-05T09:10:00Z' },
    { serverInstanceName: 'SQL02', from: '2026-01-05T09:20:00Z', to: null },
  ],
} as unknown as Incident;

describe('an incident', () => {
  it('asks for what its logins did, up to and with its last event', () => {
    const { filter = '', ...range } = incidentQuestion(incident);
    expect(filter).toContain('sa');
    expect(filter).toContain('CORP');
    expect(filter).not.toContain('svc_backup2');
    expect(filter).not.toContain('203.0.113.9');
    expect(range).toEqual({
      startTime: '2026-01-05T08:00:00.1234567Z',
      endTime: '2026-01-05T09:30:00.501Z',
    });
    expect(incidentQuestion({ ...incident, entities: [] })).not.toHaveProperty('filter');
  });

  it('is copied as Markdown, in which no name is markup', () => {
    expect(markdownOf(incident, [])).toBe(
      [
        '# 203.0.113.9 guessed sa → \\[audit\\] stopped',
        '',
        'Severity critical, acknowledged. 7 rows read, 2 changed.',
        'Incident i-1',
        '',
        '## Who',
        '- login sa (did it)',
        '- login CORP\\\\eve (did it)',
        '- login svc\\_backup2 (got it)',
        '- address 203.0.113.9 (did it)',
        '',
        '## What happened',
        '- 2026-01-05T08:00:00.1234567Z guessed sa (3 times)',
        '- 2026-01-05T08:00:00.1234567Z read \\*everything\\* \\| \\<b\\>\\#1',
        '- nothing was recorded on SQL\\_01 from 2026-01-05T09:00:00Z to 2026-01-05T09:10:00Z',
        '- nothing was recorded on SQL02 from 2026-01-05T09:20:00Z to now',
        '',
      ].join('\n'),
    );
  });

  it('has the events that people put into it by their times, behind lines of the same time, each on one line', () => {
    const placed = (eventTime: string, objectName: string, note: string | null) =>
      ({
        event: { eventTime, actionId: 'SL', succeeded: true, serverPrincipalName: 'eve', objectName },
        placedBy: 'ana_b',
        note,
      }) as PlacedEvent;
    const { timeline } = incident;
    const later = {
      ...timeline[0],
      firstEventTime: '2026-01-05T08:30:00Z',
      text: 'left',
    } as (typeof timeline)[number];
    const text = markdownOf({ ...incident, timeline: [...timeline, later], unrecorded: [] }, [
      placed('2026-01-05T08:10:00Z', 'Salary', 'why\nand\n\n# more'),
      placed('2026-01-05T08:00:00.1234567Z', 'Bonus', null),
    ]);
    const told = text.split('\n').slice(text.split('\n').indexOf('## What happened') + 1, -1);
    expect(told).toEqual([
      '- 2026-01-05T08:00:00.1234567Z guessed sa (3 times)',
      '- 2026-01-05T08:00:00.1234567Z read \\*everything\\* \\| \\<b\\>\\#1',
      expect.stringMatching(/^- 2026-01-05T08:00:00\.1234567Z .*Bonus.* \(put there by ana\\_b\)$/),
      expect.stringMatching(/^- 2026-01-05T08:10:00Z .*Salary.* \(put there by ana\\_b: why and \\# more\)$/),
      '- 2026-01-05T08:30:00Z left (3 times)',
    ]);
  });
});
