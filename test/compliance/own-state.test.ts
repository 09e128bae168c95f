import { formatTicks, TICKS_PER_MS } from '../../src/event/event-time';
import {
  judgeAlerts,
  judgeClocks,
  judgeFailures,
  judgeOffLoad,
  judgeRetention,
  judgeVerified,
} from '../../src/modules/compliance/judge-own';
import {
  type AlertWork,
  AUDIT_STOPPED,
  alertsBetween,
  concerns,
  isRuleOn,
  retentionDays,
  TRAIL_UNHEALTHY,
} from '../../src/modules/compliance/own-state';
import type { InstanceTrail } from '../../src/modules/compliance/trail';
import { readShippedRules } from '../../src/modules/detection/rules/shipped-rules';
import { ONE_ENGINE } from '../support/engines';
import { Store } from '../support/store';
import { useLimits } from '../support/use-limits';

const HOUR_MS = 3_600_000;
const END_MS = Date.UTC(2026, 4, 31);
const textOf = (ms: number) => formatTicks(BigInt(ms) * TICKS_PER_MS);
const hoursAgo = (hours: number) => END_MS - hours * HOUR_MS;
const BUSY = 'a1b2c3d4-0000-8000-8000-000000000001';

/** An alert that came some hours before the end, and was answered after `waited` hours. */
const alert = (ago: number, waited: number | null, more: Partial<AlertWork> = {}): AlertWork => ({
  ruleId: BUSY,
  createdAt: new Date(hoursAgo(ago)),
  firstEvent: BigInt(hoursAgo(ago)) * TICKS_PER_MS,
  lastEvent: BigInt(hoursAgo(ago)) * TICKS_PER_MS,
  instances: ['PAY01'],
  group: {},
  answeredAt: waited === null ? null : new Date(hoursAgo(ago - waited)),
  isSuppressed: false,
  isEarlier: false,
  ...more,
});
interface Given {
  readonly isWatched?: boolean;
  readonly alerts?: readonly AlertWork[];
  readonly stops?: readonly object[];
  readonly sources?: readonly object[];
  readonly lags?: readonly object[];
  readonly verified?: object | null;
  readonly kept?: { isNow?: boolean; days?: number | null; oldestDays?: number };
}
const trail = ({
  alerts = [],
  stops = [],
  sources = [],
  kept = {},
  lags = [],
  verified = null,
  isWatched = true,
}: Given) =>
  ({
    isWatched: async () => isWatched,
    hasAllAlerts: async () => alerts.length < 9,
    alerts: async () => alerts.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime()),
    replay: { stops },
    sources,
    isNow: kept.isNow ?? true,
    lags: async () => lags,
    verified: async () => verified,
    lagsThen: async () => lags,
    keptDays: async () => kept.days ?? null,
    isOlderThan: async (days: number) => days < (kept.oldestDays ?? 0),
    period: { from: textOf(hoursAgo(720)), to: textOf(END_MS) },
  }) as unknown as InstanceTrail;
const ALL = { kind: 'alerts', hours: 24, about: 'all' } as const;

describe('controls that our own state answers', () => {
  it.each([
    ['there is none', [], 'unknown'],
    ['each was answered in time', [alert(100, 1), alert(50, 23)], 'pass'],
    ['one was answered at the last moment', [alert(100, 1), alert(50, 24)], 'pass'],
    ['one was answered too late', [alert(100, 1), alert(50, 24.001)], 'fail'],
    ['one waits for too long', [alert(100, 1), alert(25, null)], 'fail'],
    ['one waits and is young', [alert(100, 1), alert(23, null)], 'pass'],
    ['all wait and are young', [alert(23, null)], 'unknown'],
    ['one that is suppressed waits', [alert(100, 1), alert(50, null, { isSuppressed: true })], 'pass'],
  ])('judge how alerts are answered: %s', async (_, alerts, status) => {
    expect((await judgeAlerts(ALL, trail({ alerts }))).status).toBe(status);
  });

  it('say how many alerts waited, for how long, and since when', async () => {
    const alerts = [alert(200, 30), alert(100, 2), alert(90, 4), alert(80, 60)];

    expect(await judgeAlerts(ALL, trail({ alerts }))).toMatchObject({
      since: textOf(hoursAgo(200)),
      reason:
        '2 of 4 alerts waited for more than 24 hours, the longest 60 hours. Half of those answered were answered within 30 hours.',
    });
  });

  it('look at alerts about the trail alone where the control is about failures', async () => {
    const about = { ...ALL, about: 'trail' } as const;

    expect((await judgeAlerts(about, trail({ alerts: [alert(100, 50)] }))).status).toBe('unknown');
    const late = alert(100, 50, { ruleId: TRAIL_UNHEALTHY });
    expect((await judgeAlerts(about, trail({ alerts: [late] }))).status).toBe('fail');
  });

  it('pass a failure of an audit that an alert told of, and fail one that none told of', async () => {
    const stop = { from: textOf(hoursAgo(10)), to: null, recordId: 'record-1' };
    const told = alert(10, 1, { ruleId: AUDIT_STOPPED[0] as string });

    expect((await judgeFailures(trail({}))).status).toBe('unknown');
    expect(await judgeFailures(trail({ stops: [stop], alerts: [told] }))).toMatchObject({
      status: 'pass',
      recordIds: ['record-1'],
    });
    expect(await judgeFailures(trail({ stops: [stop], alerts: [alert(10, 1)] }))).toMatchObject({
      status: 'fail',
      since: stop.from,
    });
    const of = async (ms: number) =>
      (await judgeFailures(trail({ stops: [{ ...stop, to: textOf(hoursAgo(10) + ms) }] }))).status;
    expect([await of(20_000), await of(60_000), await of(60_001)]).toEqual(['unknown', 'unknown', 'fail']);
  });

  it('fail a gap that no alert told of, once rule 40 has looked at it', async () => {
    const gap = (reportedMs: number) => ({
      ...{ fileName: 'a.sqlaudit', afterTime: textOf(hoursAgo(9)), beforeTime: textOf(hoursAgo(8)) },
      firstReported: new Date(reportedMs).toISOString(),
    });
    const source = (hostName: string, ...gaps: object[]) => ({ hostName, gaps });
    const tells = (problem: string, host?: string) =>
      alert(7, 1, { ruleId: TRAIL_UNHEALTHY, instances: [], group: { problem, ...(host && { host }) } });
    const judged = async (gaps: readonly object[], ...alerts: AlertWork[]) =>
      (await judgeFailures(trail({ sources: [...gaps], alerts }))).status;
    const known = source('H1', gap(hoursAgo(7)));
    const told = 'A part of the trail is missing';
    expect(await judged([known])).toBe('fail');
    expect(await judged([known], tells(told, 'H1'))).toBe('pass');
    // Others tell of another one.
    expect(await judged([known], tells(told, 'H2'))).toBe('fail');
    expect(await judged([known], tells('Canary number 4 is missing: events may be lost'))).toBe('fail');
    expect(await judged([known, source('H2', gap(hoursAgo(7)))], tells(told, 'H1'))).toBe('fail');
    expect(await judged([known], tells('Parts of the trails of sources are missing: 3 more'))).toBe('pass');
    // No other alert comes while one of its host is open.
    const earlier = { ...tells(told, 'H1'), createdAt: new Date(hoursAgo(900)), isEarlier: true };
    expect(await judged([known], earlier)).toBe('pass');
    // It was reported just now, or its alert came before the period.
    expect(await judged([source('H1', gap(END_MS - 2 * 60_000))])).toBe('unknown');
    expect(await judged([source('H1', gap(hoursAgo(721)))])).toBe('unknown');
  });

  it('do not pass alerts of which there are more than were read', async () => {
    const alerts = Array.from({ length: 9 }, () => alert(100, 1));
    expect((await judgeAlerts(ALL, trail({ alerts }))).status).toBe('unknown');
  });

  it('fail clocks that an alert told of, and say nothing without an agent', async () => {
    const clock = alert(5, null, {
      ruleId: TRAIL_UNHEALTHY,
      group: { problem: 'The clock of an agent is 400 seconds ahead' },
    });

    const reported = (ago: number) => ({ lastReported: textOf(hoursAgo(ago)) });
    const sources = [reported(1)];
    expect((await judgeClocks(trail({ sources, alerts: [clock] }))).status).toBe('fail');
    // Of a clock that is wrong for months, rule 40 tells once while the alert is open.
    const earlier = { ...clock, createdAt: new Date(hoursAgo(900)), isEarlier: true };
    expect((await judgeClocks(trail({ sources, alerts: [earlier] }))).status).toBe('unknown');
    expect((await judgeClocks(trail({ sources, alerts: [clock, earlier] }))).status).toBe('fail');
    expect((await judgeAlerts(ALL, trail({ alerts: [earlier, alert(100, 1)] }))).status).toBe('pass');
    const suppressed = { ...clock, isSuppressed: true };
    expect((await judgeClocks(trail({ sources, alerts: [suppressed] }))).status).toBe('fail');
    expect((await judgeClocks(trail({ sources }))).status).toBe('pass');
    expect((await judgeClocks(trail({ sources, isWatched: false }))).status).toBe('unknown');
    // Nobody looked at the clocks of agents that are silent for longer.
    const silent = [reported(720), reported(900)];
    expect((await judgeClocks(trail({ sources: silent }))).status).toBe('unknown');
    expect((await judgeClocks(trail({ sources: silent, alerts: [clock] }))).status).toBe('fail');
    expect((await judgeClocks(trail({ sources: [...silent, reported(719)] }))).status).toBe('pass');
    expect((await judgeClocks(trail({}))).status).toBe('unknown');
  });

  it.each([
    ['kept too short', { days: 364 }, 'fail'],
    ['kept just long enough', { days: 365, oldestDays: 366 }, 'pass'],
    ['kept, and old enough', { days: 400, oldestDays: 366 }, 'pass'],
    ['kept, and young', { days: null, oldestDays: 365 }, 'unknown'],
    ['kept, and none', { days: null }, 'unknown'],
    ['of a past moment', { isNow: false, days: 300 }, 'unknown'],
  ])('judge retention: %s', async (_, kept, status) => {
    expect((await judgeRetention({ kind: 'retention', days: 365 }, trail({ kept }))).status).toBe(status);
  });

  it.each([
    ['no agent', [], {}, 'unknown'],
    ['one is behind', [{ hostName: 'A', completeThrough: textOf(END_MS - 300_001) }], {}, 'fail'],
    ['none is behind', [{ hostName: 'A', completeThrough: textOf(END_MS - 300_000) }], {}, 'pass'],
    [
      'one that is retired',
      [
        { hostName: 'A', completeThrough: textOf(END_MS) },
        { hostName: 'B', completeThrough: textOf(hoursAgo(50)), state: 'retired' },
      ],
      {},
      'pass',
    ],
    ['one has not published all', [{ hostName: 'A', completeThrough: null }], {}, 'unknown'],
    ['a past moment', [{ hostName: 'A', completeThrough: textOf(END_MS) }], { isNow: false }, 'unknown'],
  ])('judge how far sources are behind: %s', async (_, sources, kept, status) => {
    const asked = { kind: 'off-load', seconds: 300 } as const;
    expect((await judgeOffLoad(asked, trail({ sources, kept }))).status).toBe(status);
  });

  it.each([
    [300, 'pass'],
    [301, 'fail'],
  ])('judge the lag of a past moment by what was noted then: %s seconds', async (worstSeconds, status) => {
    const lag = {
      hostName: 'A',
      databaseName: 'Pay',
      minutes: 60,
      p50Seconds: 1,
      p99Seconds: 60,
      worstSeconds,
    };
    const given = trail({ kept: { isNow: false }, lags: [{ ...lag, hostName: 'B', minutes: 0 }, lag] });
    const { reason, ...told } = await judgeOffLoad({ kind: 'off-load', seconds: 300 }, given);

    expect(told.status).toBe(status);
    expect(reason).toContain(
      `Pay on A was at most 1 seconds behind in half of the minutes, at most 60 in 99 %, and ${worstSeconds} at worst.`,
    );
  });

  it.each([
    ['nobody verified', null, 'unknown', 'Nobody verified the evidence log in 30 days'],
    ['all was sound', { entries: 7 }, 'pass', 'the events of all 7 entries'],
    ['there was nothing yet', { entries: 0 }, 'unknown', 'no signed entry'],
    ['an event was altered', { entries: 7, wrong: 2 }, 'fail', '2 events altered or missing'],
    ['the log itself was wrong', { entries: 7, problem: 'A tile is gone.' }, 'fail', 'A tile is gone.'],
  ])('judge the verification: %s', async (_, found, status, part) => {
    const verified = found && { endedAt: new Date(hoursAgo(3)), wrong: 0, problem: null, ...found };
    const told = await judgeVerified(trail({ verified }));
    expect(told.status).toBe(status);
    expect(told.reason).toContain(part);
    if (found) expect(told.reason).toContain(textOf(hoursAgo(3)));
  });

  it('take an alert about an instance, its host, or the trail as a whole', () => {
    const about = (more: Partial<AlertWork>) => concerns(alert(1, null, more), 'pay01', ['SQL01']);

    expect(about({})).toBe(true);
    expect(about({ instances: ['WEB01'] })).toBe(false);
    expect(about({ instances: [], group: { host: 'SQL01' } })).toBe(true);
    expect(about({ instances: [], group: { host: 'SQL02' } })).toBe(false);
    expect(about({ instances: [], group: { serverInstanceName: 'WEB01' } })).toBe(false);
    expect(about({ instances: [], group: {} })).toBe(true);
  });

  it('know the rules that tell of failures by the ids that the shipped rules have', () => {
    const ids = new Map([...readShippedRules().values()].map(({ number, rule }) => [number, rule.ruleId]));

    expect([ids.get(40), ids.get(38)]).toEqual([TRAIL_UNHEALTHY, ...AUDIT_STOPPED]);
  });
});

describe.each(ONE_ENGINE)('our own state on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());

  const puts = (tenantId: number) => {
    const { owner } = store.database;
    return async (
      alertId: string,
      ago: number,
      status: string,
      answers: readonly number[],
      { ruleId = BUSY, kind = 'acknowledged' }: { readonly ruleId?: string; readonly kind?: string } = {},
    ) => {
      const at = new Date(hoursAgo(ago));
      await owner.models.alert.create({
        data: {
          tenantId,
          alertId,
          ruleId,
          title: 'x',
          severity: 3,
          status,
          groupKey: alertId,
          groupValues: JSON.stringify({ host: 'SQL01' }),
          anchor: 1n,
          firstEvent: 2n,
          lastEvent: 3n,
          findingCount: 0,
          eventCount: 0n,
          principals: [],
          instances: ['PAY01'],
          createdAt: at,
          updatedAt: at,
        },
      });
      for (const [i, hours] of answers.entries())
        await owner.models.alertChange.create({
          data: {
            tenantId,
            alertId,
            changeId: `00000000-0000-8000-8000-00000000000${i}`,
            at: new Date(hoursAgo(hours)),
            actor: 'x',
            kind: i === 0 ? 'commented' : kind,
            detail: '{}',
          },
        });
    };
  };
  const idOf = (n: number) => `11111111-0000-8000-8000-00000000000${n}`;
  const between = (tenantId: number, from: number, to: number) =>
    alertsBetween(store.database.service, tenantId, {
      from: new Date(hoursAgo(from)),
      to: new Date(hoursAgo(to)),
    });

  it('has no alert that came later, and takes one for answered that was resolved at once', async () => {
    const { tenantId } = await store.forNewTenant();
    const put = puts(tenantId);
    await put(idOf(1), 9, 'new', []);
    await put(idOf(2), 40, 'resolved', [39, 38], { kind: 'resolved' });
    expect(await between(tenantId, 720, 10)).toEqual([
      expect.objectContaining({ createdAt: new Date(hoursAgo(40)), answeredAt: new Date(hoursAgo(38)) }),
    ]);
  });

  describe('of more alerts than are read', () => {
    useLimits({ complianceAlertsMax: 2 });

    it('has those about failures of audits, however old they are, and the newest of the others', async () => {
      const { tenantId } = await store.forNewTenant();
      const put = puts(tenantId);
      await put(idOf(1), 40, 'new', [], { ruleId: TRAIL_UNHEALTHY });
      for (const n of [2, 3, 4]) await put(idOf(n), 30 - n, 'new', []);
      const found = await between(tenantId, 720, 10);
      expect(found.map(({ ruleId, createdAt }) => [ruleId, createdAt])).toEqual([
        [BUSY, new Date(hoursAgo(26))],
        [TRAIL_UNHEALTHY, new Date(hoursAgo(40))],
      ]);
    });
  });

  it('has the alerts of a time as they stood at its end, with those that were suppressed', async () => {
    const { tenantId } = await store.forNewTenant();
    const { service, owner } = store.database;
    const put = puts(tenantId);
    const ids = [1, 2, 3, 4].map(idOf) as [string, string, string, string];
    await put(ids[0], 40, 'resolved', [39, 30, 20]);
    await put(ids[1], 20, 'acknowledged', [15, 5]);
    await put(ids[2], 30, 'suppressed', []);
    await put(ids[3], 900, 'new', []);
    const [open, done] = [idOf(5), idOf(6)];
    await put(open, 900, 'new', [], { ruleId: TRAIL_UNHEALTHY });
    await put(done, 901, 'resolved', [], { ruleId: TRAIL_UNHEALTHY });
    await owner.models.alertChange.create({
      data: {
        ...{
          tenantId,
          alertId: done,
          changeId: done,
          at: new Date(hoursAgo(800)),
          actor: 'x',
          kind: 'resolved',
        },
        detail: '{}',
      },
    });
    const found = await between(tenantId, 720, 10);

    expect(found).toEqual([
      {
        ruleId: BUSY,
        createdAt: new Date(hoursAgo(20)),
        firstEvent: 2n,
        lastEvent: 3n,
        instances: ['PAY01'],
        group: { host: 'SQL01' },
        answeredAt: null,
        isSuppressed: false,
        isEarlier: false,
      },
      expect.objectContaining({ createdAt: new Date(hoursAgo(30)), answeredAt: null, isSuppressed: true }),
      expect.objectContaining({ answeredAt: new Date(hoursAgo(30)), isSuppressed: false }),
      expect.objectContaining({ createdAt: new Date(hoursAgo(900)), isEarlier: true }),
    ]);
    expect(await retentionDays(service, tenantId)).toBeNull();
  });

  it('tells whether a rule is on, which it is unless the tenant switched it off', async () => {
    const { tenantId } = await store.forNewTenant();
    const other = await store.forNewTenant();
    const { service, owner } = store.database;
    const put = (enabled: boolean, ruleId: string) =>
      owner.models.detectionRule.create({
        data: {
          ...{ tenantId, ruleId, enabled, version: 1, digest: '' },
          ...{ createdAt: new Date(), updatedAt: new Date() },
        },
      });
    await put(false, TRAIL_UNHEALTHY);
    await put(true, BUSY);

    expect(await isRuleOn(service, tenantId, TRAIL_UNHEALTHY)).toBe(false);
    expect(await isRuleOn(service, tenantId, BUSY)).toBe(true);
    expect(await isRuleOn(service, other.tenantId, TRAIL_UNHEALTHY)).toBe(true);
  });
});
