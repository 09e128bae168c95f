import { randomUUID } from 'node:crypto';
import { microsecondsOfRecordId, recordIdFloor, ticksOfRecordId } from '../../src/event/record-id';
import { AlertReader } from '../../src/modules/detection/alerts/alert.reader';
import { AlertStore, type ChangedAlert } from '../../src/modules/detection/alerts/alert.store';
import { AlertCounts } from '../../src/modules/detection/alerts/alert-counts';
import { deedAnswers, parsedDeeds } from '../../src/modules/detection/alerts/deeds';
import { toldTimesOf } from '../../src/modules/detection/alerts/told-times';
import { takeTurn } from '../../src/modules/detection/base/tenant-turn';
import { alertKey, writeFindings } from '../../src/modules/detection/detector/write-findings';
import type { Finding } from '../../src/rules/finding';
import { oneTenant } from '../../src/tenant-set';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';
import { until } from '../support/until';

const NOW_MS = Date.parse('2026-02-03T04:05:06.007Z');
const RULE = '638edcb2-98cc-48ad-a5fb-fc4fedb65f74';
const OTHER_RULE = '738edcb2-98cc-48ad-a5fb-fc4fedb65f74';
const at = (minute: number) => `2026-01-05T02:${String(minute).padStart(2, '0')}:00.1234567Z`;

describe('alerts of a tenant', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  async function aTenant() {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const { models } = own.database.owner;
    const changed: ChangedAlert[] = [];
    const alerts = new AlertStore(
      own.database.service,
      () => NOW_MS,
      async (_, alert) => void changed.push(alert),
    );
    /** Stores grants of a role, and writes a finding of each in one step. */
    const found = async (
      grants: readonly {
        readonly to: string;
        readonly minute: number;
        readonly ruleId?: string;
        readonly dedupMinutes?: number;
      }[],
      nowMs = NOW_MS,
    ) => {
      const events = own.checked(
        grants.map(({ to, minute }) => ({
          ...{ actionId: 'APRL', objectName: 'sysadmin', serverPrincipalName: 'sa', eventTime: at(minute) },
          statement: `ALTER SERVER ROLE sysadmin ADD MEMBER ${to}`,
          additional: { classType: 'SG', targetServerPrincipalName: to },
        })),
      );
      await own.insert(events);
      const findings = events.map(({ recordId }, i): Finding => {
        const us = microsecondsOfRecordId(recordId);
        return {
          ...{ findingId: randomUUID(), ruleId: grants[i]?.ruleId ?? RULE, ruleVersion: 1, severity: 'high' },
          ...{ title: 'Role', group: { serverPrincipalName: 'sa' }, groupKey: 'sa' },
          dedupMinutes: grants[i]?.dedupMinutes ?? 60,
          ...{ firstAt: us, lastAt: us, eventCount: 1, recordIds: [recordId] },
          ...{ principals: ['sa'], instances: [] },
        };
      });
      await models.$transaction((tx) => writeFindings(tx, tenantId, findings, nowMs));
      return events.map(({ recordId }) => ticksOfRecordId(recordId));
    };
    const list = () => models.alert.findMany({ where: { tenantId }, orderBy: { ruleId: 'asc' } });
    const work = (alertId: string, set: object) =>
      alerts.work(
        oneTenant(tenantId),
        alertId,
        { kind: 'acknowledged', actor: 'ada', comment: null, set, detail: {} },
        AN_ATTEMPT,
      );
    return { own, tenantId, models, alerts, found, list, work, changed };
  }

  it('reach from the first of their events to the last, in whatever order their findings come', async () => {
    const { found, list } = await aTenant();
    const [middle, last, first] = await found([
      { to: 'a', minute: 10 },
      { to: 'b', minute: 12 },
      { to: 'c', minute: 8 },
    ]);
    expect(await list()).toMatchObject([
      { firstEvent: first, lastEvent: last, findingCount: 3, anchor: middle },
    ]);
    const [later, earlier, within] = await found([
      { to: 'd', minute: 13 },
      { to: 'e', minute: 5 },
      { to: 'f', minute: 9 },
    ]);
    expect(await list()).toMatchObject([{ firstEvent: earlier, lastEvent: later, findingCount: 6 }]);
    expect(earlier && within && earlier < within).toBe(true);
  });

  // On Citus the lock is one of a node, and the coordinator does not tell who waits for it.
  const itOnOneServer = ANY_ENGINE === 'citus' ? it.skip : it;
  itOnOneServer('are suppressed once a step of the rules that is at work has ended', async () => {
    const { alerts, found, list, models, own, tenantId } = await aTenant();
    await found([{ to: 'a', minute: 10 }]);
    const [alert] = await list();
    let isDone = false;
    let suppressing: Promise<unknown> = Promise.resolve();
    await models.$transaction(async (tx) => {
      await takeTurn(tx, tenantId);
      const suppress = () => ({ fields: {}, until: new Date(NOW_MS + 7_000), reason: 'x' });
      const work = {
        kind: 'suppressed',
        actor: 'ada',
        comment: null,
        set: {},
        detail: {},
        suppress,
      } as const;
      suppressing = alerts.work(oneTenant(tenantId), alert?.alertId ?? '', work, AN_ATTEMPT).finally(() => {
        isDone = true;
      });
      await until(
        () =>
          own.query<{ n: number }>(
            `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()
             AND state = 'active' AND query LIKE 'INSERT INTO detection_position%'`,
          ),
        ([row]) => isDone || row?.n === 1,
      );
      expect(isDone).toBe(false);
    });
    await suppressing;
    expect(await alerts.suppressions(tenantId)).toHaveLength(1);
  });

  it('reach to the last event of a finding, also where it does not name all of its events', async () => {
    const { tenantId, models, list } = await aTenant();
    const us = (minute: number) => Date.parse(at(minute)) * 1_000;
    const named = [10, 11].map((minute) => recordIdFloor(BigInt(us(minute)) * 10n));
    const finding = (recordIds: readonly string[], groupKey: string): Finding => ({
      ...{ findingId: randomUUID(), ruleId: RULE, ruleVersion: 1, severity: 'high', title: 'Reads' },
      ...{ group: {}, groupKey, dedupMinutes: 60, principals: [], instances: [], recordIds },
      ...{ firstAt: us(10), lastAt: us(30), eventCount: 3 },
    });
    const findings = [finding(named, 'two'), finding([...named, recordIdFloor(BigInt(us(20)) * 10n)], 'all')];
    await models.$transaction((tx) => writeFindings(tx, tenantId, findings, NOW_MS));
    const ends = new Map((await list()).map(({ groupKey, lastEvent }) => [groupKey, lastEvent]));
    expect([ends.get(alertKey('two')), ends.get(alertKey('all'))]).toEqual(
      [us(30), us(20)].map((end) => BigInt(end) * 10n),
    );
  });

  it('count a finding once that comes twice, in one step or in a later one', async () => {
    const { tenantId, models, list } = await aTenant();
    const recordIds = [recordIdFloor(BigInt(Date.parse('2026-01-05T02:00:00Z')) * 10_000n)];
    const us = microsecondsOfRecordId(recordIds[0] ?? '');
    const finding: Finding = {
      ...{ findingId: randomUUID(), ruleId: RULE, ruleVersion: 1, severity: 'high', title: 'Role' },
      ...{ group: { serverPrincipalName: 'sa' }, groupKey: 'sa', dedupMinutes: 60, recordIds },
      ...{ firstAt: us, lastAt: us, eventCount: 1, principals: ['sa'], instances: [] },
    };
    const other = { ...finding, findingId: randomUUID() };
    const write = async (...findings: readonly Finding[]) =>
      (await models.$transaction((tx) => writeFindings(tx, tenantId, findings, NOW_MS))).findings;
    expect([await write(finding, other, finding), await write(other, finding)]).toEqual([2, 0]);
    expect(await list()).toMatchObject([{ findingCount: 2, eventCount: 2n }]);
  });

  it('begin anew a whole period after the finding that began them, and before that the nearest one grows', async () => {
    const { found, list } = await aTenant();
    const of = (minute: number) => found([{ to: 'a', minute, dedupMinutes: 10 }]);
    await of(10);
    await of(20);
    await of(16);
    const sizes = (await list()).sort((a, b) => Number(a.anchor - b.anchor)).map((one) => one.findingCount);
    expect(sizes).toEqual([1, 2]);
  });

  it('are open for a login until they are resolved, the worst first, and all findings of a time count', async () => {
    const { own, tenantId, models, found, list } = await aTenant();
    const tenants = oneTenant(tenantId);
    const rules = [
      RULE,
      OTHER_RULE,
      '838edcb2-98cc-48ad-a5fb-fc4fedb65f74',
      '938edcb2-98cc-48ad-a5fb-fc4fedb65f74',
    ];
    await found(rules.map((ruleId, i) => ({ to: 'eve', minute: 10 + i, ruleId })));
    const states = [
      { severity: 3, status: 'acknowledged' },
      { severity: 4, status: 'resolved' },
      { severity: 4, status: 'new' },
      { severity: 2, status: 'new' },
    ];
    const alerts = await list();
    for (const [i, data] of states.entries()) {
      const ruleId = rules[i] ?? '';
      await models.alert.updateMany({ where: { tenantId, ruleId }, data });
    }
    const counts = new AlertCounts(own.database.service);
    const open = await counts.ofEntity(tenants, { kind: 'login', value: 'sa', limit: 2 });
    const idOf = (ruleId = '') => alerts.find((one) => one.ruleId === ruleId)?.alertId;
    expect([open?.count, open?.alerts.map(({ alertId, severity }) => [alertId, severity])]).toEqual([
      3,
      [
        [idOf(rules[2]), 'critical'],
        [idOf(rules[0]), 'high'],
      ],
    ]);
    const since = async (ms: number) =>
      (await counts.findings(tenants, { startTime: new Date(ms).toISOString() })).length;
    expect([await since(NOW_MS), await since(NOW_MS + 1)]).toEqual([4, 0]);
  });

  it('belong to no incident while they are suppressed from the beginning', async () => {
    const { tenantId, models, found, list } = await aTenant();
    const by = { tenantId, reason: 'known', createdBy: 'ada', createdAt: new Date(NOW_MS) };
    await models.alertSuppression.create({
      data: { ...by, suppressionId: randomUUID(), ruleId: RULE, fields: '{}', until: new Date(NOW_MS + 1) },
    });
    await found([
      { to: 'eve', minute: 10 },
      { to: 'eve', minute: 11, ruleId: OTHER_RULE },
    ]);
    const states = async () => (await list()).map(({ status, incidentId }) => [status, incidentId !== null]);
    expect(await states()).toEqual([
      ['suppressed', false],
      ['new', true],
    ]);
    // What such an alert takes in later makes no incident of it.
    await found([{ to: 'eve', minute: 12 }]);
    expect(await states()).toEqual([
      ['suppressed', false],
      ['new', true],
    ]);
    expect((await list()).map(({ findingCount }) => findingCount)).toEqual([2, 1]);
  });

  it('tell what all of their findings did, and when they last grew', async () => {
    const { found, list } = await aTenant();
    await found([{ to: 'eve', minute: 10 }]);
    await found([{ to: 'mallory', minute: 11 }], NOW_MS + 60_000);
    const [alert] = await list();
    expect(parsedDeeds(alert?.deeds).map(({ to }) => to)).toEqual(['eve', 'mallory']);
    expect(alert).toMatchObject({ createdAt: new Date(NOW_MS), updatedAt: new Date(NOW_MS + 60_000) });
  });

  it('name the other alerts of their incident, the worst first, each title once, and not themselves', async () => {
    const { tenantId, models, found, list } = await aTenant();
    const rules = [RULE, OTHER_RULE, '838edcb2-98cc-48ad-a5fb-fc4fedb65f74'];
    await found(rules.map((ruleId, i) => ({ to: 'eve', minute: 10 + i, ruleId })));
    const alerts = await list();
    const [first = '', second = '', third = ''] = alerts.map(({ alertId }) => alertId);
    const put = (alertId: string, data: object) =>
      models.alert.updateMany({ where: { tenantId, alertId }, data });
    await put(second, { severity: 2, title: 'Less' });
    await put(third, { severity: 4, title: 'Worse' });
    const { incidentId } = alerts[0] as { incidentId: string };
    expect(new Set(alerts.map((alert) => alert.incidentId))).toEqual(new Set([incidentId]));
    const reader = new AlertReader(store.database.service, { among: async () => [] });
    const others = await reader.othersOf(oneTenant(tenantId), [{ alertId: first, incidentId }]);
    expect(others({ alertId: first, incidentId })).toEqual(['Worse', 'Less']);
    expect(others({ alertId: third, incidentId })).toEqual(['Role', 'Less']);
    expect(others({ alertId: first, incidentId: null })).toEqual([]);
    await put(second, { title: 'Worse' });
    const again = await reader.othersOf(oneTenant(tenantId), [{ alertId: first, incidentId }]);
    expect(again({ alertId: first, incidentId })).toEqual(['Worse']);
  });

  it('are told again only of another state', async () => {
    const { found, list, work, changed } = await aTenant();
    await found([{ to: 'eve', minute: 10 }]);
    const alertId = (await list())[0]?.alertId ?? '';
    await work(alertId, { status: 'acknowledged' });
    await work(alertId, { status: 'acknowledged', assignee: 'bob' });
    await work(alertId, { assignee: 'eve' });
    expect(changed.map(({ status }) => status)).toEqual(['acknowledged']);
    await work(alertId, { status: 'resolved', verdict: 'expected' });
    expect(changed.map(({ status }) => status)).toEqual(['acknowledged', 'resolved']);
  });

  it('that are suppressed stay so when others of their rule are resolved', async () => {
    const { tenantId, models, alerts, found, list, work, changed } = await aTenant();
    await found([
      { to: 'eve', minute: 10 },
      { to: 'eve', minute: 10, ruleId: OTHER_RULE },
    ]);
    const [open, quiet] = (await list()).map(({ alertId }) => alertId) as [string, string];
    await work(quiet, { status: 'suppressed', suppressedUntil: new Date(NOW_MS + 1_000) });
    const by = { actor: 'ada', verdict: 'expected', comment: null };
    const count = await models.$transaction((tx) =>
      alerts.resolveThese(tx, tenantId, [open, quiet, randomUUID()], by),
    );
    expect(count).toBe(1);
    expect((await list()).map(({ status, verdict }) => [status, verdict])).toEqual([
      ['resolved', 'expected'],
      ['suppressed', null],
    ]);
    expect(changed.map(({ alertId, status }) => [alertId, status])).toEqual([
      [quiet, 'suppressed'],
      [open, 'resolved'],
    ]);
  });

  it('lose their suppression when it is ended, and not that of another rule', async () => {
    const { tenantId, models, alerts, found, list } = await aTenant();
    const until = new Date(NOW_MS + 3_600_000);
    const suppressed = async (ruleId: string | null, ends: Date) => {
      const suppressionId = randomUUID();
      await models.alertSuppression.create({
        data: {
          ...{ tenantId, suppressionId, ruleId, fields: '{}', until: ends, reason: 'r', createdBy: 'ada' },
          createdAt: new Date(NOW_MS),
        },
      });
      return suppressionId;
    };
    const last = await suppressed(randomUUID(), new Date(until.getTime() + 1));
    const ended = await suppressed(RULE, until);
    const other = await suppressed(OTHER_RULE, until);
    const first = await suppressed(randomUUID(), new Date(until.getTime() - 1));
    await suppressed(RULE, new Date(NOW_MS));
    await found([
      { to: 'eve', minute: 10 },
      { to: 'eve', minute: 10, ruleId: OTHER_RULE },
    ]);
    expect((await list()).map(({ suppressedUntil }) => suppressedUntil)).toEqual([until, until]);
    const ids = (await alerts.suppressions(tenantId)).map(({ suppressionId }) => suppressionId);
    expect(ids).toEqual([first, ...[ended, other].sort(), last]);

    await alerts.endSuppression(tenantId, ended, AN_ATTEMPT);
    expect((await list()).map(({ suppressedUntil }) => suppressedUntil)).toEqual([new Date(NOW_MS), until]);
    expect(await alerts.suppressions(tenantId)).toHaveLength(3);
  });
});

describe('what answers say of an alert', () => {
  const deedOf = (to: string) => ({ by: 'sa', to, got: null, text: `sa made ${to}` });

  it('is its first deed, and how many more there are', () => {
    const summaryOf = (...names: string[]) => deedAnswers(JSON.stringify(names.map(deedOf))).summary;
    expect(summaryOf()).toBeNull();
    expect(summaryOf('eve')).toBe('sa made eve');
    expect(summaryOf('eve', 'bob', 'ada')).toBe('sa made eve, and 2 more');
    const { didIt, gotIt } = deedAnswers(JSON.stringify(['eve', 'bob', 'eve'].map(deedOf)));
    expect({ didIt, gotIt }).toEqual({ didIt: ['sa'], gotIt: ['eve', 'bob'] });
  });

  it('is how long it took until a person acknowledged it, never less than nothing', () => {
    const told = (acknowledged: string | null) =>
      toldTimesOf({ created_at: '2026-01-05T08:00:00.000Z', acknowledged_at: acknowledged } as never);
    expect(told(null)).toEqual({ acknowledgedAt: null, secondsToAcknowledge: null });
    const later = '2026-01-05T08:01:30.400Z';
    expect(told(later)).toEqual({ acknowledgedAt: later, secondsToAcknowledge: 90 });
    // The clocks of two instances may differ.
    expect(told('2026-01-05T07:59:58.000Z').secondsToAcknowledge).toBe(0);
  });
});
