import { formatTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { Assessments } from '../../src/modules/compliance/assessment';
import type { Control } from '../../src/modules/compliance/frameworks';
import { evaluatedThrough, judge } from '../../src/modules/compliance/judge';
import { stateOfGroup } from '../../src/modules/compliance/judge-groups';
import { AuditReplay } from '../../src/modules/compliance/replay';
import { type Declaration, scopeOf } from '../../src/modules/compliance/scope';
import { seenGroups } from '../../src/modules/compliance/seen';
import type { InstanceTrail } from '../../src/modules/compliance/trail';
import { isInForce } from '../../src/modules/tenants/holds/hold.store';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';

const END_MS = Date.UTC(2026, 4, 31);
/** Minutes before the end of the thirty days. */
const ago = (minutes: number) => formatTicks(BigInt(END_MS - minutes * 60_000) * TICKS_PER_MS);
const DAYS_31 = 31 * 24 * 60;
const source = (more: object = {}) => ({
  hostName: 'PAY01',
  state: 'current',
  completeThrough: ago(1),
  gaps: [],
  ...more,
});
const gap = (afterTime: string | null, beforeTime: string | null) => ({
  fileName: 'a.sqlaudit',
  afterTime,
  beforeTime,
});

const trailOf = (more: object = {}) =>
  ({
    replay: new AuditReplay(() => true),
    seen: new Map(),
    sources: [source()],
    scope: { excluded: null, auditors: ['CORP\\dba.*'], sensitive: [], isSensitiveKnown: false },
    serverStarts: [],
    auditStarts: [],
    auditChanges: [],
    firstEventMs: 0,
    isOlderThan: async () => true,
    period: { from: ago(30 * 24 * 60), to: ago(0) },
    ...more,
  }) as unknown as InstanceTrail;
const judged = (check: object, more: object) =>
  judge({ check } as unknown as Control, trailOf(more), () => 'server');

describe('whether events state details', () => {
  const fields = ['clientIp', 'hostName'];
  const details = (events: number, lacking: readonly number[], percent = 95) =>
    judged({ kind: 'detail', fields, percent }, { events, lacking: async () => lacking });

  it('passes where the share is reached exactly, and names each field that lacks more', async () => {
    expect(await details(200, [10, 0])).toMatchObject({ status: 'pass', since: ago(30 * 24 * 60) });
    expect(await details(200, [11, 10])).toMatchObject({
      status: 'fail',
      reason: 'Fewer than 95 % of the events of 30 days state clientIp (94 %).',
    });
    expect(await details(4, [4, 3], 50)).toMatchObject({
      reason: 'Fewer than 50 % of the events of 30 days state clientIp (0 %), hostName (25 %).',
    });
    expect(await details(0, [0, 0])).toMatchObject({ status: 'unknown' });
  });
});

describe('whether audits run', () => {
  const runs = (more: object) => judged({ kind: 'audit-runs' }, more);
  const stops = (from: string, to: string | null) => ({
    replay: { stops: [{ from, to, recordId: 'r-1' }] },
  });

  it('fails for a stop that goes on, or that ended in the period, and for no earlier one', async () => {
    expect(await runs({})).toMatchObject({ status: 'pass' });
    expect(await runs(stops(ago(90), null))).toMatchObject({ status: 'fail', recordIds: ['r-1'] });
    expect(await runs(stops(ago(90), ago(80)))).toMatchObject({ status: 'fail', since: ago(90) });
    expect(await runs(stops(ago(DAYS_31 + 9), ago(DAYS_31)))).toMatchObject({ status: 'pass' });
  });

  it('passes since the first event, where none is older than the period', async () => {
    const firstEventMs = END_MS - 95 * 60_000;
    const asked: number[] = [];
    const isOlderThan = async (days: number) => {
      asked.push(days);
      return asked.length > 1;
    };
    expect(await runs({ firstEventMs, isOlderThan })).toMatchObject({
      ...{ status: 'pass', since: ago(95) },
      reason: `The trail is complete since its first event, of ${ago(95)}, and no audit stood still.`,
    });
    expect(await runs({ firstEventMs, isOlderThan })).toMatchObject({
      ...{ status: 'pass', since: ago(30 * 24 * 60) },
      reason: 'The trail of the last 30 days is complete, and no audit stood still.',
    });
    expect(asked).toEqual([30, 30]);
  });

  it('is unknown where changes of audits in the period were not read', async () => {
    const unread = { unreadBefore: ago(90) };
    expect(await runs({ unreadBefore: ago(DAYS_31) })).toMatchObject({ status: 'pass' });
    expect(await runs(unread)).toMatchObject({
      ...{ status: 'unknown', reason: expect.stringContaining(`those since ${ago(90)}: nothing is known`) },
    });
    expect(await runs({ ...unread, ...stops(ago(80), null) })).toMatchObject({ status: 'fail' });
    const starts = (at: string) =>
      judged({ kind: 'starts-with-server' }, { ...unread, serverStarts: [{ at, recordId: 's' }] });
    for (const at of [ago(500), ago(89)]) expect(await starts(at)).toMatchObject({ status: 'unknown' });
    expect(await starts(ago(88.9))).toMatchObject({ status: 'fail' });
  });

  it('fails for a gap that reaches into the period', async () => {
    const with_ = (...gaps: object[]) => runs({ sources: [source({ gaps })] });
    expect(await with_(gap(ago(90), ago(80)))).toMatchObject({ status: 'fail' });
    expect(await with_(gap(null, null))).toMatchObject({ status: 'fail' });
    expect(await with_(gap(ago(DAYS_31 + 9), ago(DAYS_31)))).toMatchObject({ status: 'pass' });
  });

  it('is unknown while a source that is in use is not complete, or five minutes behind', async () => {
    const through = (completeThrough: string | null, state = 'current') =>
      runs({ sources: [source(), source({ completeThrough, state })] });
    expect(await through(ago(5))).toMatchObject({ status: 'pass' });
    expect(await through(ago(5.1))).toMatchObject({ status: 'unknown' });
    expect(await through(null)).toMatchObject({ status: 'unknown' });
    for (const state of ['retired', 'standby'])
      expect(await through(null, state)).toMatchObject({ status: 'pass' });
    expect(await runs({ sources: [source({ state: 'standby' })] })).toMatchObject({ status: 'unknown' });
  });
});

describe('whether audits start with the server', () => {
  const starts = (auditStart: string) =>
    judged(
      { kind: 'starts-with-server' },
      {
        serverStarts: [{ at: ago(60), recordId: 's' }],
        auditStarts: [{ at: auditStart, recordId: 'a' }],
      },
    );

  it('wants a start of an audit within a minute, before or after', async () => {
    for (const near of [ago(60), ago(61), ago(59)])
      expect(await starts(near)).toMatchObject({ status: 'pass', recordIds: ['s'] });
    for (const far of [ago(61.1), ago(58.9), ago(500)])
      expect(await starts(far)).toMatchObject({ status: 'fail', recordIds: ['s'] });
  });

  it('is not known within the minute after a start, of which no source has everything', async () => {
    const started = (minutes: number, completeThrough: string | null) =>
      judged(
        { kind: 'starts-with-server' },
        {
          serverStarts: [{ at: ago(minutes), recordId: 's' }],
          sources: [source({ completeThrough })],
        },
      );
    const unknown = { status: 'unknown', recordIds: ['s'] };
    expect(await started(0.5, ago(0))).toMatchObject({
      ...unknown,
      reason: `The server started at ${ago(0.5)}, and the minute after it is not known yet.`,
    });
    expect(await started(1, ago(0))).toMatchObject(unknown);
    expect(await started(1.1, ago(0))).toMatchObject({ status: 'fail', recordIds: ['s'] });
    // What the agent has not published yet may be the start of an audit.
    expect(await started(30, ago(29.5))).toMatchObject(unknown);
    expect(await started(30, ago(28))).toMatchObject({ status: 'fail' });
    expect(await started(30, null)).toMatchObject({ status: 'fail' });
  });
});

it('what is known of a group changes with an event after its end, unless the event may be of one database', () => {
  const [since, lastMs] = [ago(90), END_MS - 90 * 60_000];
  const known = { is: 'contradicted', since, by: 'eve', recordId: 'r-1' };
  const stateAt = (seenMs: number, mayBe = false) => {
    const replay = { of: () => known, mayBeOfDatabase: () => mayBe, stillSince: () => null } as never;
    const seen = new Map([['G', { succeeded: 1, failed: 0, lastMs: seenMs }]]);
    return stateOfGroup('G', trailOf({ replay, seen })).state;
  };
  // The record of the change may be the last event itself.
  expect([lastMs, lastMs + 1, lastMs + 2].map((ms) => stateAt(ms))).toEqual([
    'contradicted',
    'contradicted',
    'observed',
  ]);
  expect(stateAt(lastMs + 2, true)).toBe('contradicted');
});

it('a group that events alone show is not recorded while every audit that is known stands still since', async () => {
  const session = (minutes: number, audit: string, what: string) =>
    ({
      ...{ recordId: `${audit} ${what}`, eventTime: ago(minutes), actionId: 'AUSC', succeeded: true },
      serverPrincipalName: 'eve',
      additional: { additionalInformation: `<session><![CDATA[${audit}$A]]></session>event ${what}` },
    }) as unknown as StoredAuditEvent;
  const judgedAfter = (...events: StoredAuditEvent[]) => {
    const replay = new AuditReplay(() => true);
    for (const event of events) replay.take(event);
    replay.seenThrough(seenMs);
    const seen = new Map([['G', { succeeded: 1, failed: 0, lastMs: END_MS - 20 * 60_000 }]]);
    return judged({ kind: 'groups', groups: ['G'] }, { replay, seen });
  };
  const stop = session(20, 'Main', 'disabled');
  let seenMs = END_MS - 20 * 60_000 + 1_000;
  expect(await judgedAfter(stop)).toMatchObject({
    ...{ status: 'fail', since: ago(20), recordIds: ['Main disabled'] },
    reason: `G is not recorded since ${ago(20)} by eve.`,
  });
  for (const others of [
    [session(21, 'Main', 'disabled')],
    [stop, session(10, 'Main', 'enabled')],
    [session(50, 'Other', 'enabled'), stop],
  ])
    expect(await judgedAfter(...others)).toMatchObject({ status: 'pass' });
  // Another audit wrote the newest event.
  seenMs += 1;
  expect(await judgedAfter(stop)).toMatchObject({ status: 'pass' });
});

it('what is sensitive is known once somebody declared it, on whatever server instance', () => {
  const declared = {
    kind: 'sensitive',
    serverInstanceName: 'WEB01',
    validFrom: new Date(0),
    validUntil: null,
  };
  const scope = scopeOf([declared as unknown as Declaration], 'PAY01', END_MS);
  expect([scope.sensitive, scope.isSensitiveKnown]).toEqual([[], true]);
});

it('a login that no record states is a stranger to audit files', async () => {
  const read = await judged(
    { kind: 'readers', verified: false },
    {
      readers: async () => ['', 'ada'],
      records: async () => [{ at: ago(9), recordId: 'r-1' }],
      scope: { auditors: ['ada'] },
    },
  );
  expect(read).toMatchObject({
    ...{ status: 'fail', since: ago(9), recordIds: ['r-1'] },
    reason: expect.stringMatching(/^a login that is not stated read audit files/),
  });
});

it('nobody is a stranger to audit files while no auditor is declared', async () => {
  const read = (auditors: readonly string[]) =>
    judged(
      { kind: 'readers', verified: true },
      { readers: async () => ['eve'], records: async () => [], scope: { auditors } },
    );
  expect(await read([])).toMatchObject({ status: 'unknown' });
  expect(await read(['ada'])).toMatchObject({ status: 'fail' });
});

describe('whether groups are recorded', () => {
  it('names five groups at most, and counts the others', async () => {
    const reasonOf = async (groups: readonly string[]) =>
      (await judged({ kind: 'groups', groups }, {})).reason;
    expect(await reasonOf(['A', 'B', 'C', 'D', 'E'])).toBe('No record says that A, B, C, D, E are recorded.');
    expect(await reasonOf(['A', 'B', 'C', 'D', 'E', 'F', 'G'])).toBe(
      'No record says that A, B, C, D, E and 2 more are recorded.',
    );
  });

  const GROUP = 'LOGOUT_GROUP';
  const statement = `CREATE SERVER AUDIT SPECIFICATION S FOR SERVER AUDIT Main ADD (${GROUP}) WITH (STATE = ON)`;
  const recorded = () => {
    const replay = new AuditReplay(() => true);
    const event = { recordId: 'r-1', eventTime: ago(90), actionId: 'CR', succeeded: true, additional: {} };
    replay.take({ ...event, statement, objectName: null } as unknown as StoredAuditEvent);
    return replay;
  };
  const groups = (more: object, outcomes: readonly string[] = []) =>
    judged({ kind: 'groups', groups: [GROUP], outcomes }, { replay: recorded(), ...more });

  it('fails in a gap, and passes once it is over', async () => {
    const at = (one: object) => groups({ sources: [source({ gaps: [one] })] });
    expect(await at(gap(ago(20), null))).toMatchObject({ status: 'fail' });
    expect(await at(gap(ago(20), ago(0)))).toMatchObject({ status: 'fail' });
    expect(await at(gap(ago(20), ago(1)))).toMatchObject({ status: 'pass' });
  });

  it('fails since the first of several groups ended, and names who ended it', async () => {
    const ended: Record<string, object> = {
      A: { is: 'contradicted', since: ago(20), by: 'bob', recordId: 'r-2' },
      B: { is: 'contradicted', since: ago(90), by: 'eve', recordId: 'r-3' },
      C: { is: 'configured', since: ago(95), by: null, recordId: 'r-4' },
    };
    const replay = { of: (group: string) => ended[group] };
    expect(await judged({ kind: 'groups', groups: ['A', 'B', 'C'] }, { replay })).toMatchObject({
      status: 'fail',
      since: ago(90),
      reason: `A, B are not recorded since ${ago(90)} by eve.`,
      recordIds: ['r-2', 'r-3'],
    });
  });

  it('passes since the last of several groups is recorded', async () => {
    const since: Record<string, string> = { A: ago(20), B: ago(90) };
    const replay = {
      of: (group: string) => ({ is: 'configured', since: since[group], by: null, recordId: group }),
      filterOf: () => null,
    };
    expect(await judged({ kind: 'groups', groups: ['A', 'B'] }, { replay })).toMatchObject({
      status: 'pass',
      since: ago(20),
      recordIds: ['A', 'B'],
    });
  });

  it('wants an event of each outcome that the control names', async () => {
    const seen = (succeeded: number, failed: number) => ({
      seen: new Map([[GROUP, { succeeded, failed, lastMs: END_MS }]]),
    });
    const both = ['succeeded', 'failed'];
    expect(await groups(seen(1, 1), both)).toMatchObject({ status: 'pass' });
    expect(await groups(seen(1, 0), both)).toMatchObject({ status: 'unknown' });
    expect(await groups(seen(0, 1), both)).toMatchObject({ status: 'unknown' });
    expect(await groups(seen(0, 1), ['failed'])).toMatchObject({ status: 'pass' });
  });

  it('counts events by outcome, of the codes and classes that the group writes', () => {
    const writes = [{ actions: ['LGO'], classes: ['LX'] }];
    const counted = [
      { values: ['SQL01', 'LGO ', 'LX'], n: 5, failed: 2, lastMs: 7 },
      { values: ['SQL01', 'LGO', 'LX '], n: 1, failed: 1, lastMs: 3 },
      { values: ['SQL01', 'LGO', 'DB'], n: 90, failed: 0, lastMs: 9 },
    ];
    const seen = seenGroups(new Map([[GROUP, { writes }]]) as never, counted as never);
    expect(seen.get('SQL01')?.get(GROUP)).toEqual({ succeeded: 3, failed: 3, lastMs: 7 });
  });
});

describe('whether only auditors changed what is audited', () => {
  it('fails for others, whom it names', async () => {
    const by = (login: string | null) =>
      judged({ kind: 'auditors' }, { auditChanges: [{ at: ago(9), recordId: 'r-2', by: login }] });
    expect(await by('CORP\\eve')).toMatchObject({
      status: 'fail',
      reason: expect.stringContaining('CORP\\eve changed what is audited'),
    });
    for (const login of ['CORP\\dba.ali', null])
      expect(await by(login)).not.toMatchObject({ status: 'fail' });
  });
});

describe('the moment up to which an instance is known', () => {
  it('is that of its worst source in use, and not later than the moment asked for', () => {
    const through = (...times: (string | null)[]) =>
      evaluatedThrough(trailOf({ sources: times.map((completeThrough) => source({ completeThrough })) }));
    expect(through(ago(3), ago(9))).toBe(ago(9));
    expect(through(ago(-5))).toBe(ago(0));
    expect(through(ago(3), null)).toBeNull();
    expect(through()).toBeNull();
  });
});

describe('an assessment', () => {
  const ask = { lags: async () => [{ worstSeconds: 5 }, { worstSeconds: null }, { worstSeconds: 900 }] };
  const assessments = new Assessments(null as never, ask as never, null as never, Date.now);

  it('counts the controls of whole instances, not those of their databases', () => {
    const [first] = assessments.frameworks;
    const { frameworkId = '' } = first ?? {};
    const item = (status: string, databaseName: string | null, of = frameworkId) => ({
      frameworkId: of,
      status,
      databaseName,
    });
    const items = [
      ...[item('pass', null), item('pass', 'Payroll'), item('fail', null), item('fail', null)],
      ...[item('unknown', 'Payroll'), item('not_applicable', null), item('pass', null, 'another')],
    ];
    const [counts] = assessments.countsOf(items as never);
    expect(counts).toMatchObject({ frameworkId, pass: 1, fail: 2, unknown: 0, notApplicable: 1 });
  });

  it('names the sources first that were behind the furthest', async () => {
    const lags = await assessments.lags(null as never, 0, 1);
    expect(lags.map(({ worstSeconds }) => worstSeconds)).toEqual([900, 5, null]);
  });
});

describe('what is declared', () => {
  const declared = (from: string, until: string | null, serverInstanceName: string | null = null) =>
    ({
      ...{ kind: 'auditor', principalName: from, serverInstanceName },
      validFrom: new Date(from),
      validUntil: until === null ? null : new Date(until),
    }) as unknown as Declaration;
  const [T1, T2, T3] = ['2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z', '2026-05-03T00:00:00Z'];

  it('holds from its first moment on, up to its end and not at it', () => {
    const all = [declared(T1, T2), declared(T2, T3), declared(T3, null)];
    const validAt = (time: string) => scopeOf(all, 'PAY01', Date.parse(time)).auditors;
    expect([T1, '2026-05-01T23:59:59.999Z', T2, T3].map(validAt)).toEqual([[T1], [T1], [T2], [T3]]);
    expect(validAt('2026-04-30T23:59:59.999Z')).toEqual([]);
  });

  it('is of all instances, or of one whose name is written in any letter case', () => {
    const all = [declared(T1, null), declared(T2, null, 'pay01'), declared(T3, null, 'PAY02')];
    expect(scopeOf(all, 'PAY01', END_MS).auditors).toEqual([T1, T2]);
  });
});

describe('a legal hold', () => {
  it('is in force until its time, and not at it, or until somebody ends it', () => {
    const until = new Date(END_MS);
    const isHeld = (hold: Parameters<typeof isInForce>[0], nowMs = END_MS) => isInForce(hold, nowMs);
    expect([
      isHeld({ endedAt: null, until }, END_MS - 1),
      isHeld({ endedAt: null, until }),
      isHeld({ endedAt: null, until: null }),
      isHeld({ endedAt: until, until: null }, END_MS - 1),
    ]).toEqual([true, false, true, false]);
  });
});
