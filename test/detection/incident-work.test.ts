import { randomUUID } from 'node:crypto';
import { formatTicks, parseTicks } from '../../src/event/event-time';
import type { AuditEventQuery } from '../../src/event/query';
import { recordIdFloor } from '../../src/event/record-id';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { AlertCounts } from '../../src/modules/detection/alerts/alert-counts';
import { growIncidents } from '../../src/modules/detection/alerts/grow-incidents';
import { IncidentReader } from '../../src/modules/detection/alerts/incident.reader';
import { IncidentStore, type IncidentWork } from '../../src/modules/detection/alerts/incident.store';
import { noteAlerts } from '../../src/modules/detection/alerts/note-alerts';
import { putIncidents } from '../../src/modules/detection/alerts/put-incidents';
import { writeFindings } from '../../src/modules/detection/detector/write-findings';
import type { Finding } from '../../src/rules/finding';
import { Folder } from '../../src/store/counts/fold';
import { planOf } from '../../src/store/plan';
import { tenantSet } from '../../src/tenant-set';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const START_US = Date.parse('2026-01-05T00:00:00Z') * 1_000;
const NOW_MS = Date.parse('2026-02-03T04:05:06.007Z');
const RESOLVED: IncidentWork = {
  kind: 'resolved',
  actor: 'Ada',
  comment: 'a test of ours',
  set: { status: 'resolved', verdict: 'expected' },
};

const findingOf = (login: string, n: number): Finding => ({
  findingId: randomUUID(),
  ruleId: '638edcb2-98cc-48ad-a5fb-fc4fedb65f74',
  ruleVersion: 1,
  title: `Story ${login} ${n}`,
  severity: 'high',
  group: { objectName: `${login}${n}` },
  groupKey: `${login}${n}`,
  dedupMinutes: 60,
  firstAt: START_US + n,
  lastAt: START_US + n,
  eventCount: 1,
  recordIds: [recordIdFloor(BigInt(START_US + n) * 10n)],
  principals: [login],
  instances: [],
});

describe('work on incidents', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  /** A reader of incidents. @param note gets each question about events */
  const readerOf = (note: (query: AuditEventQuery) => unknown = () => {}) => {
    const { service } = store.database;
    const events = new PostgresAuditEventReader(service);
    return new IncidentReader(service, (tenants, query) => {
      note(query);
      return events.page(tenants, query);
    });
  };

  /** Three incidents of two alerts each, and a route. */
  async function made() {
    const own = await store.forNewTenant();
    const { tenantId, database } = own;
    const { models } = database.owner;
    await models.alertRoute.create({
      data: {
        tenantId,
        routeId: randomUUID(),
        name: 'soc',
        severityMin: 1,
        ruleId: null,
        kind: 'email',
        target: JSON.stringify({ to: ['soc@example.com'] }),
        enabled: true,
        createdAt: new Date(NOW_MS),
      },
    });
    const logins = ['eve', 'sa', 'app'];
    const findings = logins.flatMap((login) => [findingOf(login, 1), findingOf(login, 2)]);
    await models.$transaction((tx) => writeFindings(tx, tenantId, findings, NOW_MS));
    const incidents = await models.incident.findMany({ where: { tenantId }, orderBy: { number: 'asc' } });
    expect(incidents.map(({ number }) => number)).toEqual([1, 2, 3]);
    return { own, tenantId, models, ids: incidents.map(({ incidentId }) => incidentId) };
  }
  const work = (tenants: readonly number[], ids: readonly string[], what = RESOLVED) =>
    new IncidentStore(store.database.service, () => NOW_MS, noteAlerts).work(
      tenantSet(tenants as [number]),
      ids,
      what,
      AN_ATTEMPT,
    );

  it('is done to all of them and their alerts with one reason, and notices say so', async () => {
    const { tenantId, models, ids } = await made();
    const chosen = ids.slice(0, 2);
    const [first] = await models.alert.findMany({ where: { tenantId, incidentId: ids[0] ?? '' } });
    await models.alert.updateMany({
      where: { tenantId, alertId: first?.alertId ?? '' },
      data: { status: 'suppressed' },
    });

    expect(await work([tenantId], [...chosen, chosen[0] as string])).toBe(2);

    const incidents = await models.incident.findMany({ where: { tenantId }, orderBy: { number: 'asc' } });
    expect(incidents.map(({ status, verdict, acknowledgedAt }) => [status, verdict, acknowledgedAt])).toEqual(
      [
        ['resolved', 'expected', new Date(NOW_MS)],
        ['resolved', 'expected', new Date(NOW_MS)],
        ['new', null, null],
      ],
    );
    const alerts = await models.alert.findMany({ where: { tenantId } });
    const resolved = alerts.filter(({ status }) => status === 'resolved').map(({ alertId }) => alertId);
    expect(resolved).toHaveLength(3);
    expect(resolved).not.toContain(first?.alertId);
    for (const changes of [
      await models.incidentChange.findMany({ where: { tenantId } }),
      await models.alertChange.findMany({ where: { tenantId } }),
    ])
      for (const { actor, comment, at } of changes)
        expect({ actor, comment, at }).toEqual({
          actor: 'Ada',
          comment: 'a test of ours',
          at: new Date(NOW_MS),
        });
    const notices = await models.alertNotice.findMany({ where: { tenantId, state: 'resolved' } });
    expect(notices.map(({ alertId }) => alertId).sort()).toEqual(resolved.sort());
  });

  it('is done to all alerts of one incident, however many, and goes on where it was broken off', async () => {
    const { tenantId, models, ids } = await made();
    const [incidentId = ''] = ids;
    await models.alert.updateMany({ where: { tenantId }, data: { incidentId } });
    const bound = jest.replaceProperty(LIMITS, 'incidentAlertsWorkedMax', 4 as never);
    let parts = 0;
    const incidents = new IncidentStore(
      store.database.service,
      () => NOW_MS,
      async (tx, alerts) => {
        parts += 1;
        if (parts === 2) throw new Error('broken off');
        await noteAlerts(tx, alerts);
      },
    );
    const resolve = () => incidents.work(tenantSet([tenantId]), [incidentId], RESOLVED, AN_ATTEMPT);
    const state = async () => [
      (await models.incident.findFirst({ where: { tenantId, incidentId } }))?.status,
      await models.alert.count({ where: { tenantId, status: 'resolved' } }),
      await models.alertChange.count({ where: { tenantId } }),
      await models.incidentChange.count({ where: { tenantId } }),
      await models.alertNotice.count({ where: { tenantId, state: 'resolved' } }),
    ];
    try {
      await expect(resolve()).rejects.toThrow();
      expect(await state()).toEqual(['new', 4, 4, 0, 4]);
      expect(await resolve()).toBe(1);
      expect(await state()).toEqual(['resolved', 6, 6, 1, 6]);
    } finally {
      bound.restore();
    }
  });

  it('ends an incident: a later alert of the same login begins another one', async () => {
    const { tenantId, models, ids } = await made();
    await work([tenantId], ids);
    const later = [findingOf('eve', 3), findingOf('eve', 4)];
    await models.$transaction((tx) => writeFindings(tx, tenantId, later, NOW_MS + 60_000));
    const incidents = await models.incident.findMany({ where: { tenantId }, orderBy: { number: 'asc' } });
    const [open, ...none] = incidents.filter(({ incidentId }) => !ids.includes(incidentId));
    expect([open?.number, open?.status, none]).toEqual([4, 'new', []]);
    const alerts = await models.alert.findMany({ where: { tenantId, incidentId: open?.incidentId ?? '' } });
    expect(alerts.map(({ title }) => title).sort()).toEqual(['Story eve 3', 'Story eve 4']);
    expect(await models.alert.count({ where: { tenantId, incidentId: ids[0] ?? '' } })).toBe(2);
  });

  it('sends no second notice of a state that an alert has already', async () => {
    const { tenantId, models, ids } = await made();
    await work([tenantId], ids);
    const counts = new AlertCounts(store.database.service);
    const ofEve = () => counts.ofEntity(tenantSet([tenantId]), { kind: 'login', value: 'EVE', limit: 1 });
    expect(await ofEve()).toEqual({ count: 0, alerts: [] });
    await models.alert.updateMany({ where: { tenantId }, data: { status: 'acknowledged' } });
    expect(await ofEve()).toMatchObject({ count: 2, alerts: [{ title: 'Story eve 2', severity: 'high' }] });
    await models.alert.updateMany({ where: { tenantId }, data: { instances: ['SQL01'] } });
    const ofInstance = { kind: 'instance', value: 'sql01', limit: 1 };
    expect(await counts.ofEntity(tenantSet([tenantId]), ofInstance)).toMatchObject({ count: 6 });
    const set = { status: 'acknowledged', verdict: null };
    await work([tenantId], ids, { ...RESOLVED, kind: 'acknowledged', set });

    expect(await models.alertNotice.count({ where: { tenantId, state: 'acknowledged' } })).toBe(0);
  });

  it('and its alerts are told by mail once, each of them to who wants one rule, and none by a disabled route', async () => {
    const { tenantId, models } = await made();
    const [soc] = await models.alertRoute.findMany({ where: { tenantId } });
    const { ruleId } = findingOf('eve', 1);
    const severity = 3;
    const ofRule = {
      ...(soc as NonNullable<typeof soc>),
      routeId: randomUUID(),
      ruleId,
      severityMin: severity,
    };
    const disabled = { ...ofRule, routeId: randomUUID(), enabled: false };
    await models.alertRoute.createMany({ data: [ofRule, disabled] });
    const alert = { tenantId, ruleId, severity, status: 'new', incidentId: randomUUID() };
    const alerts = [0, 1].map(() => ({ ...alert, alertId: randomUUID() }));
    await models.$transaction((tx) => noteAlerts(tx, alerts));
    const told = async (routeId = '') =>
      models.alertNotice.count({
        where: { tenantId, routeId, alertId: { in: alerts.map(({ alertId }) => alertId) } },
      });
    const routes = [soc?.routeId, ofRule.routeId, disabled.routeId];
    expect(await Promise.all(routes.map(told))).toEqual([1, 2, 0]);
    // Of those of one step, mail tells of the worst.
    const incidentId = randomUUID();
    const [mild, worst] = [2, 4].map((severity) => ({
      ...alert,
      incidentId,
      severity,
      alertId: randomUUID(),
    }));
    await models.$transaction((tx) => noteAlerts(tx, [mild, worst] as never));
    const of = [mild?.alertId ?? '', worst?.alertId ?? ''];
    const notices = await models.alertNotice.findMany({
      where: { tenantId, routeId: soc?.routeId ?? '', alertId: { in: of } },
    });
    expect(notices.map(({ alertId }) => alertId)).toEqual([worst?.alertId]);
  });

  it('are told on no route that the alert is about, at once or where nobody acknowledges them', async () => {
    const { tenantId, models } = await made();
    const [soc] = await models.alertRoute.findMany({ where: { tenantId } });
    await models.alertRoute.updateMany({ where: { tenantId }, data: { enabled: false } });
    const { ruleId } = findingOf('eve', 1);
    const route = (more: object) => ({ ...(soc as NonNullable<typeof soc>), routeId: randomUUID(), ...more });
    const routes = [null, 15].flatMap((escalateMinutes) => [
      route({ escalateMinutes }),
      route({ escalateMinutes, severityMin: 3, ruleId }),
      route({ escalateMinutes, severityMin: 4 }),
      route({ escalateMinutes, ruleId: randomUUID() }),
      route({ escalateMinutes }),
    ]);
    await models.alertRoute.createMany({ data: routes });
    const ids: readonly string[] = routes.map(({ routeId }) => routeId);
    const exceptRouteIds = [4, 9].map((place) => ids[place] ?? '');
    const alertId = randomUUID();
    const alert = { tenantId, ruleId, severity: 3, status: 'new', alertId, incidentId: null, exceptRouteIds };
    await models.$transaction((tx) => noteAlerts(tx, [alert]));
    const notices = await models.alertNotice.findMany({ where: { tenantId, alertId } });
    const told = notices.map(({ routeId, state }) => [ids.indexOf(routeId), state]);
    expect(told.sort()).toEqual([
      [0, 'new'],
      [1, 'new'],
      [5, 'escalated'],
      [6, 'escalated'],
    ]);
  });

  it('are found by each filter, from the first moment of a range up to its end and not at it', async () => {
    const { tenantId, models, ids } = await made();
    const at = (second: number) => `2026-01-07T10:00:0${second}.0000000Z`;
    const ticks = (second: number) => parseTicks(at(second)) ?? 0n;
    const spans = [
      { firstEvent: ticks(1), lastEvent: ticks(3), severity: 2, status: 'resolved' },
      { firstEvent: ticks(4), lastEvent: ticks(5), severity: 3, status: 'new' },
      { firstEvent: ticks(6), lastEvent: ticks(6), severity: 4, status: 'new' },
    ];
    for (const [i, data] of spans.entries())
      await models.incident.updateMany({
        where: { tenantId, incidentId: ids[i] ?? '' },
        data,
      });
    const found = async (filters: object) => {
      const asked = { page: 1, pageSize: 9, sortBy: 'firstEventTime', sortDirection: 'asc', ...filters };
      const { items, totalCount } = await readerOf().incidents(tenantSet([tenantId]), asked as never);
      expect(totalCount).toBe(items.length);
      return items.map(({ incidentId }) => ids.indexOf(incidentId));
    };
    expect(await found({})).toEqual([0, 1, 2]);
    expect(await found({ startTime: at(3) })).toEqual([0, 1, 2]);
    expect(await found({ startTime: at(3).replace('0Z', '1Z') })).toEqual([1, 2]);
    expect(await found({ endTime: at(6) })).toEqual([0, 1]);
    expect(await found({ endTime: at(6).replace('0Z', '1Z') })).toEqual([0, 1, 2]);
    expect(await found({ startTime: at(4), endTime: at(6) })).toEqual([1]);
    expect(await found({ severity: 'high' })).toEqual([1]);
    expect(await found({ status: 'new', sortDirection: 'desc' })).toEqual([2, 1]);
    expect(await found({ status: 'acknowledged' })).toEqual([]);
  });

  it.each([
    ['are one up to the time of the tenant', 120 * 60_000_000, 1],
    ['are two beyond it', 120 * 60_000_000 + 1, 2],
  ])('of alerts of one login that come together %s, whichever is the later one', async (_, apart, number) => {
    for (const times of [
      [1, 1 + apart],
      [1 + apart, 1],
    ]) {
      const { tenantId, database } = await store.forNewTenant();
      const { models } = database.owner;
      const findings = times.map((n) => findingOf('eve', n));
      await models.$transaction((tx) => writeFindings(tx, tenantId, findings, NOW_MS));
      expect(await models.incident.count({ where: { tenantId } })).toBe(number);
    }
  });

  it('counts the rows that their logins read, from wherever, or from the addresses that are known', async () => {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const { models } = own.database.owner;
    const rowsOf = { eve: 5, sa: 7 };
    const reads = Object.entries(rowsOf).map(([serverPrincipalName, responseRows], i) => ({
      ...{ eventTime: `2026-01-05T00:00:0${i + 1}.0000000Z`, actionId: 'SL', clientIp: '10.0.0.1' },
      ...{ serverPrincipalName, additional: { responseRows } },
    }));
    await own.insert(own.checked(reads));
    await models.$transaction((tx) => writeFindings(tx, tenantId, [findingOf('eve', 1)], NOW_MS));
    const [alert] = await models.alert.findMany({ where: { tenantId } });
    const [alertId, incidentId, about] = [alert?.alertId ?? '', alert?.incidentId ?? '', alert?.about ?? ''];
    /** @param more entities of the alert, beside its login */
    const rowsWith = async (...more: readonly object[]) => {
      const { entities, ...rest } = JSON.parse(about) as { entities: object[] };
      const changed = JSON.stringify({ ...rest, entities: [...entities, ...more] });
      await models.alert.updateMany({ where: { tenantId, alertId }, data: { about: changed } });
      await models.$transaction((tx) => putIncidents(tx, tenantId, [incidentId], { nowMs: NOW_MS }));
      return (await models.incident.findFirst({ where: { tenantId, incidentId } }))?.rowsRead;
    };
    expect(await rowsWith()).toBe(5n);
    expect(await rowsWith({ kind: 'login', name: 'sa', part: 'got' })).toBe(5n);
    expect(await rowsWith({ kind: 'login', name: 'sa', part: 'did' })).toBe(12n);
    expect(await rowsWith({ kind: 'address', name: '10.0.0.9', part: 'did' })).toBe(0n);
    // The trail may write an address of IPv4 as IPv6.
    const mapped = { eventTime: '2026-01-05T00:00:09.0000000Z', actionId: 'SL', clientIp: '::ffff:10.0.0.9' };
    await own.insert(
      own.checked([{ ...mapped, serverPrincipalName: 'eve', additional: { responseRows: 3 } }]),
    );
    expect(await rowsWith({ kind: 'address', name: '10.0.0.9', part: 'did' })).toBe(3n);
    await own.query(
      'DELETE FROM audit_event WHERE tenant_id = $1 AND client_ip = $2',
      tenantId,
      mapped.clientIp,
    );
    // Of more logins, the rows of the first ones count.
    const logins = ['sa', ...Array.from({ length: 18 }, (_, i) => `app${i}`)].map((name) => ({
      ...{ kind: 'login', name, part: 'did' },
    }));
    expect(await rowsWith(...logins)).toBe(12n);
    expect(await rowsWith(...logins, { kind: 'login', name: 'app', part: 'did' })).toBe(12n);
  });

  it('is made of names that the database cannot hold as they are', async () => {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const { models } = own.database.owner;
    const login = 'a\0b\ud800';
    const read = (second: number) => ({
      ...{ eventTime: `2026-01-05T00:00:0${second}.0000000Z`, actionId: 'SL' },
      ...{ serverPrincipalName: login, hostName: '\0', additional: { responseRows: 5 } },
    });
    const events = own.checked([read(1)]);
    await own.insert(events);
    const recordIds = events.map(({ recordId }) => recordId);
    const finding = { ...findingOf(login, 1), recordIds };
    await models.$transaction((tx) => writeFindings(tx, tenantId, [finding], NOW_MS));
    const more = own.checked([read(2)]);
    await own.insert(more);
    const arrived = more.map(({ recordId }) => ({
      ...{ recordId, position: 0, at: 0 },
      ...{ fields: { serverPrincipalName: login }, additional: { responseRows: 5 } },
    }));
    await models.$transaction((tx) => growIncidents(tx, tenantId, arrived as never, NOW_MS));
    expect((await models.incident.findFirst({ where: { tenantId } }))?.rowsRead).toBe(10n);
    const counts = new AlertCounts(store.database.service);
    expect(
      await counts.ofEntity(tenantSet([tenantId]), { kind: 'login', value: login, limit: 1 }),
    ).toMatchObject({ count: 1 });
  });

  it('has a late finding in the open alert of its time, however many alerts its group has had since', async () => {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const { models } = own.database.owner;
    const write = (finding: Finding) =>
      models.$transaction((tx) => writeFindings(tx, tenantId, [finding], NOW_MS));
    await write(findingOf('eve', 1));
    await own.query(
      `INSERT INTO alert (tenant_id, alert_id, rule_id, title, severity, status, group_key, group_values, anchor, first_event,
         last_event, finding_count, event_count, principals, instances, created_at, updated_at)
       SELECT tenant_id, gen_random_uuid(), rule_id, title, severity, 'resolved', group_key, group_values, anchor + n, anchor,
         anchor, 0, 0, principals, instances, created_at, updated_at
       FROM alert CROSS JOIN generate_series(1, 10001) n WHERE tenant_id = $1`,
      tenantId,
    );
    await write(findingOf('eve', 1));
    const open = await models.alert.findMany({ where: { tenantId, status: 'new' } });
    expect(open.map(({ findingCount }) => findingCount)).toEqual([2]);
  });

  it('keeps the rows of incidents that are too many to count again in one step', async () => {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const { models } = own.database.owner;
    const logins = Array.from({ length: 52 }, (_, i) => `login${i}`);
    await models.$transaction((tx) =>
      writeFindings(
        tx,
        tenantId,
        logins.map((login) => findingOf(login, 1)),
        NOW_MS,
      ),
    );
    const incidents = await models.incident.findMany({ where: { tenantId }, orderBy: { number: 'asc' } });
    const ids = incidents.map(({ incidentId }) => incidentId);
    expect(ids).toHaveLength(logins.length);
    await models.incident.updateMany({ where: { tenantId }, data: { rowsRead: 698_411n, rowsChanged: 9n } });
    await models.$transaction((tx) => putIncidents(tx, tenantId, ids, { nowMs: NOW_MS }));
    const after = await models.incident.findMany({ where: { tenantId }, orderBy: { number: 'asc' } });
    const rows = after.map(({ rowsRead, rowsChanged }) => [rowsRead, rowsChanged].map(Number));
    // What was counted again is what is stored: these logins read nothing.
    expect(rows.slice(0, 50)).toEqual(Array(50).fill([0, 0]));
    expect(rows.slice(50)).toEqual(Array(2).fill([698_411, 9]));
    // One that is new counts its rows, however many there are.
    const late = {
      eventTime: '2026-01-05T00:00:01.0000000Z',
      actionId: 'SL',
      serverPrincipalName: 'login51',
    };
    await own.insert(own.checked([{ ...late, additional: { responseRows: 7 } }]));
    await models.incident.updateMany({ where: { tenantId }, data: { rowsRead: 0n } });
    await models.$transaction((tx) => putIncidents(tx, tenantId, ids, { nowMs: NOW_MS }));
    const last = await models.incident.findFirst({ where: { tenantId, incidentId: ids[51] ?? '' } });
    expect(last?.rowsRead).toBe(7n);
  });

  it('keeps when a person first took it up, and counts the open alerts of all tenants together', async () => {
    const [a, b] = [await made(), await made()];
    const at = { ms: NOW_MS };
    const incidents = new IncidentStore(store.database.service, () => at.ms);
    const both = [a.ids[0] as string, b.ids[0] as string];
    const tenants = tenantSet([a.tenantId, b.tenantId]);
    const bound = jest.replaceProperty(LIMITS, 'incidentAlertsWorkedMax', 3 as never);
    try {
      // Two incidents of two alerts each.
      const refused = { code: 'invalid_parameter' };
      await expect(incidents.work(tenants, both, RESOLVED, AN_ATTEMPT)).rejects.toMatchObject(refused);
    } finally {
      bound.restore();
    }
    const set = { status: 'acknowledged', verdict: null };
    await incidents.work(tenants, both, { ...RESOLVED, kind: 'acknowledged', set }, AN_ATTEMPT);
    at.ms += 60_000;
    await incidents.work(tenants, both, RESOLVED, AN_ATTEMPT);
    for (const { tenantId, models, ids } of [a, b]) {
      const where = { tenantId, incidentId: ids[0] as string };
      const [incident, ...others] = await models.incident.findMany({ where });
      expect(others).toEqual([]);
      const times = { acknowledgedAt: new Date(NOW_MS), updatedAt: new Date(at.ms), status: 'resolved' };
      expect([incident, ...(await models.alert.findMany({ where }))]).toMatchObject([times, times, times]);
    }
  });

  it('leaves an incident without alerts empty, in no list, and both as people have left them', async () => {
    const { tenantId, models, ids } = await made();
    const tenants = tenantSet([tenantId]);
    const incidents = new IncidentStore(store.database.service, () => NOW_MS);
    const reader = readerOf();
    const [from, to, other] = ids as [string, string, string];
    for (const { alertId } of await models.alert.findMany({ where: { tenantId, incidentId: from } })) {
      await models.incident.updateMany({ where: { tenantId }, data: { rowsRead: 7n, rowsChanged: 9n } });
      await incidents.move(tenants, alertId, to, { actor: 'Ada', comment: null }, AN_ATTEMPT);
    }
    const empty = { alertCount: 0, eventCount: 0n, rowsRead: 0n, rowsChanged: 0n, touched: true };
    const one = (incidentId: string) => models.incident.findFirstOrThrow({ where: { tenantId, incidentId } });
    expect(await one(from)).toMatchObject(empty);
    expect(await one(to)).toMatchObject({ alertCount: 4, touched: true });
    expect(await one(other)).toMatchObject({ alertCount: 2, touched: false, rowsRead: 7n });
    const asked = { page: 1, pageSize: 9, sortBy: 'firstEventTime', sortDirection: 'asc' } as never;
    const { items, totalCount } = await reader.incidents(tenants, asked);
    expect([items.map(({ incidentId }) => incidentId).sort(), totalCount]).toEqual([[to, other].sort(), 2]);

    const began = new Date('2026-01-06T00:00:00Z');
    await models.incident.updateMany({ where: { tenantId, incidentId: other }, data: { createdAt: began } });
    expect(await reader.open(tenants)).toEqual([
      { severity: 'high', incidents: 2, unacknowledged: 2, oldestTime: began.toISOString() },
    ]);
    await models.incident.updateMany({
      where: { tenantId, incidentId: other },
      data: { status: 'acknowledged', severity: 4 },
    });
    const more = { incidents: 1, oldestTime: expect.any(String) };
    expect(await reader.open(tenants)).toEqual([
      { severity: 'critical', ...more, unacknowledged: 0 },
      { severity: 'high', ...more, unacknowledged: 1 },
    ]);
    await models.incident.updateMany({ where: { tenantId }, data: { status: 'resolved' } });
    expect(await reader.open(tenants)).toEqual([]);
  });

  it('gives its events away with its last alert, also what was taken out of the other incident or is in both', async () => {
    const { tenantId, models, ids } = await made();
    const [from, to] = ids as [string, string];
    const [again, both, alone] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [
      string,
      string,
      string,
    ];
    const put = { tenantId, at: new Date(NOW_MS), holder: 'h', placedBy: 'Ada' };
    await models.incidentEvent.createMany({
      data: [
        ...[again, both, alone].map((recordId) => ({ ...put, incidentId: from, recordId, note: 'carried' })),
        { ...put, incidentId: to, recordId: again, note: 'before', takenOut: true },
        { ...put, incidentId: to, recordId: both, note: 'before' },
      ],
    });
    const incidents = new IncidentStore(store.database.service, () => NOW_MS);
    for (const { alertId } of await models.alert.findMany({ where: { tenantId, incidentId: from } }))
      await incidents.move(tenantSet([tenantId]), alertId, to, { actor: 'Ada', comment: null }, AN_ATTEMPT);
    const placed = await models.incidentEvent.findMany({
      where: { tenantId, takenOut: false },
      orderBy: { recordId: 'asc' },
    });
    expect(placed.map(({ incidentId, recordId, note }) => [incidentId, recordId, note])).toEqual([
      [to, again, 'carried'],
      [to, both, 'before'],
      [to, alone, 'carried'],
    ]);
  });

  it('has the title of an alert that had no incident before it was moved', async () => {
    const { tenantId, models } = await made();
    const [alert] = await models.alert.findMany({ where: { tenantId }, orderBy: { title: 'asc' } });
    const alertId = alert?.alertId ?? '';
    const none = { title: 'Trail unhealthy: a part is missing', incidentId: null, about: '{}', links: [] };
    await models.alert.updateMany({ where: { tenantId, alertId }, data: none });
    const incidents = new IncidentStore(store.database.service, () => NOW_MS);
    const by = { actor: 'Ada', comment: null };
    const incidentId = await incidents.move(tenantSet([tenantId]), alertId, null, by, AN_ATTEMPT);
    const found = await models.incident.findFirst({ where: { tenantId, incidentId } });
    expect(found).toMatchObject({ title: 'Trail unhealthy', alertCount: 1 });
  });

  it('is shown with a timeline that joins what is the same, and not what is worse', async () => {
    const { tenantId, models, ids } = await made();
    const reader = readerOf();
    const timeline = async () => (await reader.incident(tenantSet([tenantId]), ids[0] as string))?.timeline;
    await models.finding.updateMany({ where: { tenantId }, data: { title: 'The same' } });
    expect(await timeline()).toMatchObject([{ text: 'The same', severity: 'high', findingCount: 2 }]);
    const [last] = await models.finding.findMany({
      where: { tenantId, principals: { has: 'eve' } },
      orderBy: { firstEvent: 'desc' },
    });
    const where = { tenantId, findingId: last?.findingId ?? '' };
    await models.finding.updateMany({ where, data: { severity: 4 } });
    expect(await timeline()).toMatchObject([
      { severity: 'high', findingCount: 1 },
      { severity: 'critical', findingCount: 1 },
    ]);
  });

  it('is shown with the end of the longest of what is the same, also where that began first', async () => {
    const { tenantId, models, ids } = await made();
    const reader = readerOf();
    const where = { tenantId, principals: { has: 'eve' } };
    await models.finding.updateMany({ where, data: { title: 'The same' } });
    const [first] = await models.finding.findMany({ where, orderBy: { firstEvent: 'asc' } });
    const lastEvent = (first?.firstEvent ?? 0n) + 600_000_000n;
    await models.finding.updateMany({
      where: { tenantId, findingId: first?.findingId ?? '' },
      data: { lastEvent },
    });
    const incident = await reader.incident(tenantSet([tenantId]), ids[0] as string);
    expect(incident?.timeline).toMatchObject([{ findingCount: 2, lastEventTime: formatTicks(lastEvent) }]);
  });

  it('tells of each server instance whose audit was stopped since when nothing was recorded', async () => {
    const { own, tenantId, models, ids } = await made();
    const [alert] = await models.alert.findMany({ where: { tenantId, incidentId: ids[0] as string } });
    const about = JSON.stringify({ ...JSON.parse(alert?.about ?? ''), step: 'audit stopped' });
    const [began, stopped] = [alert?.firstEvent ?? 0n, (alert?.firstEvent ?? 0n) + 9_000_000_000n];
    await models.alert.updateMany({
      where: { tenantId, alertId: alert?.alertId ?? '' },
      data: { about, instances: ['SQL01', 'SQL02', 'SQL03', 'SQL04'], firstEvent: began, lastEvent: stopped },
    });
    // Events while the audit still runs, and the first ones after its stop: SQL03 goes on at once, SQL04 after a minute.
    const at = (serverInstanceName: string, ticks: bigint) => ({
      serverInstanceName,
      eventTime: formatTicks(ticks),
    });
    const next = stopped + 12_000_000_000n;
    await own.insert(
      own.checked([
        ...['SQL01', 'SQL02', 'SQL03', 'SQL04'].map((name) => at(name, began + 10_000_000n)),
        at('SQL01', next),
        at('SQL03', stopped + 599_999_999n),
        at('SQL04', stopped + 600_000_000n),
      ]),
    );
    const asked: string[] = [];
    const reader = readerOf(({ filter }) => asked.push(planOf({ kind: 'page', filter }).by));
    const incident = await reader.incident(tenantSet([tenantId]), ids[0] as string);
    const from = formatTicks(stopped);
    expect(incident?.unrecorded).toEqual([
      { serverInstanceName: 'SQL01', from, to: formatTicks(next) },
      { serverInstanceName: 'SQL02', from, to: null },
      { serverInstanceName: 'SQL04', from, to: formatTicks(stopped + 600_000_000n) },
    ]);
    // The events of other servers are not read for that.
    expect(asked).toEqual(['counts', 'counts', 'counts', 'counts']);
  });

  it('grows by what its logins read or changed until its end, unless it is resolved', async () => {
    const { own, tenantId, models, ids } = await made();
    const [ofEve, ofSa, ofApp] = ids as [string, string, string];
    const incidents = await models.incident.findMany({ where: { tenantId } });
    const end = incidents.map(({ lastEvent }) => lastEvent)[0] ?? 0n;
    const within = 120n * 600_000_000n;
    const event = (serverPrincipalName: string, ticks: bigint, additional: object, server = 'SQL01') => ({
      ...{ serverPrincipalName, eventTime: formatTicks(ticks), actionId: 'UP', serverInstanceName: server },
      additional: additional as never,
    });
    /** Stores events, and lets the incidents grow by them. @returns the rows that each incident read and changed */
    const grown = async (...changes: ReturnType<typeof event>[]) => {
      const events = own.checked(changes);
      await own.insert(events);
      const arrived = events.map(({ recordId }, i) => ({
        ...{ recordId, position: 0, at: 0 },
        fields: { serverPrincipalName: changes[i]?.serverPrincipalName },
        additional: changes[i]?.additional,
      }));
      await models.$transaction((tx) => growIncidents(tx, tenantId, arrived as never, NOW_MS + 1));
      const rows = await models.incident.findMany({ where: { tenantId } });
      const of = new Map(rows.map((row) => [row.incidentId, [row.rowsRead, row.rowsChanged]]));
      return [ofEve, ofSa, ofApp].map((id) => of.get(id)?.map(Number));
    };
    await models.incident.updateMany({
      where: { tenantId, incidentId: ofApp },
      data: { status: 'resolved' },
    });
    expect(
      await grown(
        event('eve', end + within - 10n, { affectedRows: 3 }),
        event('app', end + 10n, { affectedRows: 5 }),
      ),
    ).toEqual([
      [0, 3],
      [0, 0],
      [0, 0],
    ]);
    // Of a step, the first event is late and the last one is behind the end of all incidents.
    expect(
      await grown(
        event('SA', end + 10n, { responseRows: 7 }),
        event('sa', end + 20n, { responseRows: 11 }),
        event('eve', end + within + 20_000_000n, { affectedRows: 100 }),
      ),
    ).toEqual([
      [0, 3],
      [18, 0],
      [0, 0],
    ]);
    // What arrived before is counted under its spelling.
    await new Folder(own.database.migrator).run();
    expect(await grown(event('sa', end + 30n, { affectedRows: 1 }))).toEqual([
      [0, 3],
      [18, 1],
      [0, 0],
    ]);
    expect(await grown(event('eve', end + within + 40_000_000n, { affectedRows: 1_000 }))).toEqual([
      [0, 3],
      [18, 1],
      [0, 0],
    ]);
    // Those of several servers are added up.
    expect(await grown(event('sa', end + 50n, { responseRows: 5 }, 'SQL02'))).toEqual([
      [0, 3],
      [23, 1],
      [0, 0],
    ]);
  });

  it('is done to none where one is not there, or belongs to a tenant that the caller does not see', async () => {
    const [own, other] = [await made(), await made()];
    for (const strange of [randomUUID(), other.ids[0] as string])
      await expect(work([own.tenantId], [...own.ids, strange])).rejects.toMatchObject({ code: 'not_found' });

    for (const { tenantId, models } of [own, other])
      expect(await models.incident.count({ where: { tenantId, status: 'new' } })).toBe(3);
  });

  it('reaches incidents of several tenants, each with its own routes', async () => {
    const [a, b] = [await made(), await made()];
    expect(await work([a.tenantId, b.tenantId], [a.ids[0] as string, b.ids[1] as string])).toBe(2);

    for (const { tenantId, models } of [a, b])
      expect(await models.alertNotice.count({ where: { tenantId, state: 'resolved' } })).toBe(2);
  });
});
