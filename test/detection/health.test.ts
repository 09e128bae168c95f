import { type AccessEntry, DROPPED, entryOf, ownAttempt } from '../../src/caller/access-log';
import { PostgresAccessLogStore } from '../../src/caller/access-log.store';
import { PostgresTenantStore } from '../../src/caller/tenant.store';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { AlertStore } from '../../src/modules/detection/alerts/alert.store';
import { readShippedRules } from '../../src/modules/detection/rules/shipped-rules';
import { canaryProblems } from '../../src/modules/detection/watch/canary-problems';
import { HealthAlerts } from '../../src/modules/detection/watch/health-alerts';
import { PostgresAuditSourceStore } from '../../src/modules/sources/audit-source.store';
import { checkReport } from '../../src/modules/sources/check-report';
import { Folder } from '../../src/store/counts/fold';
import { ArchiveTrial } from '../archive/archive-trial';
import { AN_ATTEMPT } from '../support/attempt';
import { aGap, aReport } from '../support/audit-sources';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { until } from '../support/until';

const START_MS = Date.parse('2026-02-03T08:00:00Z');
const MINUTE_MS = 60_000;

describe.each(ENGINES)('the health of the trail on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());

  /** A tenant with its own clock, and the task that looks at its trail. */
  async function aTenant() {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const { service, owner } = store.database;
    const at = { nowMs: START_MS };
    const stopped = new Map<number, string>();
    const sources = new PostgresAuditSourceStore(service, owner, async () => false);
    const anInstance = () =>
      new HealthAlerts(
        owner,
        readShippedRules(),
        () => at.nowMs,
        () => stopped,
        undefined,
        undefined,
        (now, attempt) =>
          canaryProblems({ owner, service, page: (...asked) => page(...asked) }, now, attempt),
      );
    const health = anInstance();
    const another = anInstance();
    const reader = new PostgresAuditEventReader(service);
    let page: PostgresAuditEventReader['page'] = (...asked) => reader.page(...asked);
    const alerts = async () => {
      const rows = await owner.models.alert.findMany({ where: { tenantId }, orderBy: { createdAt: 'asc' } });
      return rows.map(({ groupValues, ...row }) => ({ ...row, group: JSON.parse(groupValues) }));
    };
    return {
      own,
      tenantId,
      at,
      stopped,
      alerts,
      report: (change: object) =>
        sources.report(tenantId, checkReport(aReport(change), at.nowMs), new Date(at.nowMs)),
      look: async (afterMs = 0) => {
        at.nowMs += afterMs;
        await health.look();
      },
      lookOfAnother: async (afterMs: number) => {
        at.nowMs += afterMs;
        await another.look();
      },
      /** Lets no look read events of a tenant. */
      refuse: (ofTenant: number) => {
        page = (tenants, ...asked) =>
          [...tenants].includes(ofTenant)
            ? Promise.reject(new Error(`events of ${ofTenant} cannot be read`))
            : reader.page(tenants, ...asked);
      },
      problems: async () => (await alerts()).map(({ group }) => group.problem),
      retire: (hostName: string) =>
        sources.retire(
          tenantId,
          { hostName, databaseName: null, reason: 'sold' },
          new Date(at.nowMs),
          ownAttempt('retire', new Date()),
        ),
      resolve: () => owner.models.alert.updateMany({ where: { tenantId }, data: { status: 'resolved' } }),
    };
  }

  it('alerts about a silent source once for each silence, without findings', async () => {
    const { report, look, alerts, resolve, at } = await aTenant();
    await report({ hostName: 'SQL01' });
    await look(14 * MINUTE_MS);
    expect(await alerts()).toEqual([]);
    await look(2 * MINUTE_MS);
    await look(MINUTE_MS);
    expect(await alerts()).toMatchObject([
      {
        status: 'new',
        severity: 3,
        findingCount: 0,
        eventCount: 0n,
        group: { problem: 'A source is silent', host: 'SQL01', database: 'Payroll' },
      },
    ]);
    await resolve();
    await look(30 * MINUTE_MS);
    expect(await alerts()).toHaveLength(1);
    await report({ hostName: 'SQL01' });
    for (const after of [0, 16, 1]) await look(after * MINUTE_MS);
    expect((await alerts()).map(({ status }) => status)).toEqual(['resolved', 'new']);
    expect(at.nowMs).toBeGreaterThan(START_MS);
  });

  it('does not alert about sources that report again once the service is there again', async () => {
    const { report, look, problems } = await aTenant();
    for (const hostName of ['SQL01', 'SQL02']) await report({ hostName });
    // The service was away for an hour: its first look comes before the agents report.
    await look(60 * MINUTE_MS);
    await report({ hostName: 'SQL01' });
    await look(MINUTE_MS);
    expect(await problems()).toEqual(['A source is silent']);
  });

  it('no batch waits too long for the evidence log because the clock of the instance is ahead', async () => {
    const { own, at, look, problems } = await aTenant();
    at.nowMs = Date.now() + 20 * MINUTE_MS;
    await own.insert(own.checked([{}]));
    await look();
    await look(MINUTE_MS);
    expect(await problems()).toEqual([]);
    await own.query(
      `UPDATE audit_log_queue SET received_at = now() - interval '301 seconds' WHERE tenant_id = $1`,
      own.tenantId,
    );
    await look(MINUTE_MS);
    await look(MINUTE_MS);
    expect(await problems()).toEqual(['The evidence log has stopped: events wait for it']);
  });

  /** The canaries of an instance, each five minutes after the one before, stored and counted. */
  const canaries = async ({ own }: Awaited<ReturnType<typeof aTenant>>, numbers: readonly number[]) => {
    const events = numbers.map((number) => ({
      actionId: 'UDAU',
      serverInstanceName: 'PAY01',
      eventTime: new Date(START_MS + number * 5 * MINUTE_MS).toISOString().replace('Z', '0000Z'),
      additional: { userDefinedEventId: 4711, userDefinedInformation: `seq=${number}` },
    }));
    await own.insert(own.checked(events));
    await new Folder(own.database.migrator).run();
  };

  it('alerts of canaries that are missing, by their numbers, once, and of none that came late', async () => {
    const tenant = await aTenant();
    const { look, problems, at } = tenant;
    await canaries(tenant, [1, 2, 3]);
    await look(16 * MINUTE_MS);
    await look(MINUTE_MS);
    expect(await problems()).toEqual([]);
    await canaries(tenant, [5, 9]);
    at.nowMs = START_MS + 46 * MINUTE_MS;
    await look();
    await canaries(tenant, [6, 8]);
    await look(MINUTE_MS);
    await look(MINUTE_MS);
    const told = await problems();
    expect(told.sort()).toEqual([
      'Canary number 4 is missing: events between 2026-02-03T08:15:00.000Z and 2026-02-03T08:25:00.000Z may be lost',
      'Canary number 7 is missing: events between 2026-02-03T08:30:00.000Z and 2026-02-03T08:40:00.000Z may be lost',
    ]);
    const { owner } = store.database;
    // Another instance, or the same after a restart, tells nothing twice.
    const other = new HealthAlerts(
      owner,
      readShippedRules(),
      () => at.nowMs,
      undefined,
      undefined,
      undefined,
      (now, attempt) =>
        canaryProblems(
          {
            owner,
            service: store.database.service,
            page: (...asked) => new PostgresAuditEventReader(store.database.service).page(...asked),
          },
          now,
          attempt,
        ),
    );
    for (let i = 0; i < 2; i++) await other.look();
    expect(await problems()).toHaveLength(2);
  });

  it('tells the newest numbers of canaries that are missing, and the others by one alert', async () => {
    const tenant = await aTenant();
    const { look, at, alerts } = tenant;
    const bound = jest.replaceProperty(LIMITS, 'sourceAlertsMax', 2 as never);
    try {
      await canaries(tenant, [1, 3, 5, 7, 9]);
      at.nowMs = START_MS + 46 * MINUTE_MS;
      for (let i = 0; i < 2; i++) await look(MINUTE_MS);
    } finally {
      bound.restore();
    }
    const told = (await alerts()).map(({ group, anchor }) => [
      group.problem.slice(0, 28).trim(),
      Number(anchor / 10_000n - BigInt(START_MS)) / MINUTE_MS,
    ]);
    expect(told.sort()).toEqual([
      ['Canaries are missing: 2 more', 15],
      ['Canary number 6 is missing:', 25],
      ['Canary number 8 is missing:', 35],
    ]);
  });

  it('alerts of canaries that do not come any more, within the third interval', async () => {
    const tenant = await aTenant();
    const { look, problems, at, alerts } = tenant;
    await canaries(tenant, [1, 2, 3]);
    at.nowMs = START_MS + 25 * MINUTE_MS;
    await look();
    await look(MINUTE_MS);
    expect(await problems()).toEqual([]);
    await look(MINUTE_MS);
    await look(MINUTE_MS);
    expect(await alerts()).toMatchObject([
      {
        group: {
          problem: 'No canary came after number 3 of 2026-02-03T08:15:00.000Z: number 4 is missing',
          serverInstanceName: 'PAY01',
        },
      },
    ]);
  });

  it('finds canaries among other records of `sp_audit_write`, and those that ended days ago', async () => {
    const tenant = await aTenant();
    const { own, look, problems, at } = tenant;
    await canaries(tenant, [1, 2, 4, 5]);
    const lines = Array.from({ length: 12 }, (_, i) => ({
      actionId: 'UDAU',
      serverInstanceName: 'PAY01',
      // Some of them have one time.
      eventTime: new Date(START_MS + (30 + Math.floor(i / 4)) * MINUTE_MS)
        .toISOString()
        .replace('Z', '0000Z'),
      additional: { userDefinedEventId: 7, userDefinedInformation: `order ${i} was paid` },
    }));
    await own.insert(own.checked(lines));
    const bound = jest.replaceProperty(LIMITS, 'canariesMax', 5 as never);
    try {
      at.nowMs = START_MS + 36 * MINUTE_MS;
      for (let i = 0; i < 2; i++) await look(MINUTE_MS);
      expect((await problems()).sort()).toEqual([
        expect.stringMatching(/^Canary number 3 is missing/),
        expect.stringMatching(/^No canary came after number 5 /),
      ]);
    } finally {
      bound.restore();
    }
    // While the service was away for two days, the canaries of another one ended.
    const away = await aTenant();
    await canaries(away, [1, 2, 4]);
    away.at.nowMs = START_MS + 48 * 60 * MINUTE_MS;
    for (let i = 0; i < 2; i++) await away.look(MINUTE_MS);
    expect(await away.problems()).toEqual([expect.stringMatching(/^No canary came after number 4 /)]);
  });

  it('tells of canaries that many other records hide, once, and not while their next one is not due', async () => {
    const [flooded, atOnce, forged, alive] = [
      await aTenant(),
      await aTenant(),
      await aTenant(),
      await aTenant(),
    ];
    const flood = async ({ own }: typeof flooded, userDefinedInformation: string, stepMs: number) => {
      const records = Array.from({ length: 60 }, (_, i) => ({
        actionId: 'UDAU',
        serverInstanceName: 'PAY01',
        eventTime: new Date(START_MS + 31 * MINUTE_MS + i * stepMs).toISOString().replace('Z', '0000Z'),
        additional: { userDefinedEventId: 9, userDefinedInformation },
      }));
      await own.insert(own.checked(records));
    };
    const all = [flooded, atOnce, forged, alive];
    for (const one of all) await canaries(one, [1, 2, 3, 4, 5, 6]);
    await flood(flooded, 'x', 1);
    await flood(atOnce, 'x', 0);
    await flood(forged, 'seq=1', 1);
    await flood(alive, 'x', 1);
    await canaries(alive, [7]);
    const bounds = [
      jest.replaceProperty(LIMITS, 'canariesMax', 7 as never),
      jest.replaceProperty(LIMITS, 'canaryRecordsMax', 30 as never),
    ];
    const lookOfAll = async (afterMs: number) => {
      for (const one of all) one.at.nowMs += afterMs;
      // One task looks at the trails of all tenants.
      for (let i = 0; i < 2; i++) await flooded.look();
    };
    const hidden = {
      problem: expect.stringMatching(
        /^Canaries of event id 4711 cannot be found: more records of `sp_audit_write` came since 2026-02-03T08:31:00\.0\d\dZ than are looked at$/,
      ),
      serverInstanceName: 'PAY01',
    };
    try {
      await lookOfAll(40 * MINUTE_MS);
      for (const one of all) expect(await one.problems()).toEqual([]);
      await lookOfAll(4 * MINUTE_MS);
      for (const one of [flooded, atOnce, forged])
        expect((await one.alerts()).map(({ group }) => group)).toEqual([hidden]);
      expect(await alive.problems()).toEqual([]);
      await flooded.resolve();
      await lookOfAll(11 * MINUTE_MS);
      for (let i = 0; i < 2; i++) await flooded.lookOfAnother(MINUTE_MS);
      expect(await flooded.problems()).toHaveLength(1);
    } finally {
      for (const bound of bounds) bound.restore();
    }
  });

  it('tells what is wrong with the trail of others while the canaries of one cannot be read', async () => {
    const [broken, tenant] = [await aTenant(), await aTenant()];
    const { look, problems, report, refuse, at } = tenant;
    await canaries(broken, [1, 2, 3]);
    await canaries(tenant, [1, 2, 3]);
    refuse(broken.tenantId);
    at.nowMs = START_MS + 26 * MINUTE_MS;
    await report({ problem: 'the disk is full' });
    await expect(look(MINUTE_MS)).rejects.toThrow(`events of ${broken.tenantId} cannot be read`);
    // On a distributed database the tenant rests meanwhile, and nothing fails.
    await look(MINUTE_MS).catch(() => {});
    expect((await problems()).sort()).toEqual([
      'A source has a problem: the disk is full',
      'No canary came after number 3 of 2026-02-03T08:15:00.000Z: number 4 is missing',
    ]);
  });

  it('tells an alert that could not be stored at the next look', async () => {
    const { report, look, problems, tenantId } = await aTenant();
    await report({ problem: 'the disk is full' });
    await store.query(`ALTER TABLE alert ADD CONSTRAINT refuses CHECK (tenant_id <> ${tenantId}) NOT VALID`);
    await expect(look()).rejects.toThrow('refuses');
    await store.query('ALTER TABLE alert DROP CONSTRAINT refuses');
    await until(
      () => look().then(problems),
      (told) => told.length > 0,
      5_000,
    );
    expect(await problems()).toEqual(['A source has a problem: the disk is full']);
  });

  it('alerts about a problem that an agent reports, and again when a new problem begins', async () => {
    const { report, look, problems, resolve, at } = await aTenant();
    await report({ problem: 'the key is refused' });
    await look();
    at.nowMs += MINUTE_MS;
    await report({ problem: 'the key is refused' });
    await look();
    expect(await problems()).toEqual(['A source has a problem: the key is refused']);
    await resolve();
    await look(11 * MINUTE_MS);
    expect(await problems()).toHaveLength(1);
    await report({});
    at.nowMs += MINUTE_MS;
    await report({ problem: 'the disk is full' });
    await look();
    expect((await problems())[1]).toBe('A source has a problem: the disk is full');
  });

  it('does not alert about a source that is retired, until it has reported again and is silent', async () => {
    const { report, retire, look, problems, at } = await aTenant();
    const clock = (ms: number) => ({ caughtUpAt: new Date(at.nowMs + ms).toISOString() });
    await report({ hostName: 'SQL01', problem: 'the disk is full', ...clock(-7 * MINUTE_MS) });
    await retire('SQL01');
    for (const after of [MINUTE_MS, MINUTE_MS, 15 * MINUTE_MS, MINUTE_MS]) await look(after);
    expect(await problems()).toEqual([]);
    await report({ hostName: 'SQL01' });
    for (const after of [16, 1]) await look(after * MINUTE_MS);
    expect(await problems()).toEqual(['A source is silent']);
  });

  it('does not alert of a tenant that is disabled, until it is enabled', async () => {
    const { report, look, problems, tenantId } = await aTenant();
    const tenants = new PostgresTenantStore(store.database.service);
    await report({});
    await tenants.setDisabled(tenantId, { at: new Date(), reason: 'unpaid' }, AN_ATTEMPT);
    await look(17 * MINUTE_MS);
    expect(await problems()).toEqual([]);
    await tenants.setDisabled(tenantId, null, AN_ATTEMPT);
    for (let i = 0; i < 2; i++) await look(MINUTE_MS);
    expect(await problems()).toEqual(['A source is silent']);
  });

  it('alerts about each server whose events state times that cannot be right, and again when others come', async () => {
    const { look, alerts, resolve, at, own, tenantId } = await aTenant();
    const put = async (serverInstanceName: string, additional: object = { clock: 'wrong' }) => {
      const eventTime = '2031-01-01T00:00:00.0000000Z';
      await own.insert(own.checked([{ serverInstanceName, eventTime, additional: { ...additional } }]));
      await own.query(
        'UPDATE audit_clock SET received_at = $2 WHERE tenant_id = $1',
        tenantId,
        new Date(at.nowMs),
      );
    };
    await look();
    expect(await alerts()).toEqual([]);
    await put('SQL01');
    await put('SQL02');
    await look(MINUTE_MS);
    await look(MINUTE_MS);
    const problem = expect.stringContaining('times that cannot be right');
    const groups = async () => (await alerts()).map(({ group }) => group);
    expect(await groups()).toEqual(
      expect.arrayContaining(
        ['SQL01', 'SQL02'].map((serverInstanceName) => ({ problem, serverInstanceName })),
      ),
    );
    expect(await groups()).toHaveLength(2);
    await resolve();
    await look(11 * MINUTE_MS);
    expect(await alerts()).toHaveLength(2);
    await put('SQL01');
    await look(MINUTE_MS);
    expect((await alerts()).length).toBeGreaterThan(2);
    await look(25 * 60 * MINUTE_MS);
    const told = (await alerts()).length;
    await resolve();
    await look(11 * MINUTE_MS);
    expect(await alerts()).toHaveLength(told);
  });

  it('alerts about a gap, and about a later gap after the first alert was resolved', async () => {
    const { report, look, problems, resolve } = await aTenant();
    await report({ gaps: [aGap()] });
    await look();
    await look(MINUTE_MS);
    expect(await problems()).toEqual(['A part of the trail is missing']);
    await resolve();
    await look(11 * MINUTE_MS);
    expect(await problems()).toHaveLength(1);
    await report({ gaps: [aGap()] });
    await look();
    expect(await problems()).toHaveLength(2);
  });

  it('tells many problems of one kind by single alerts up to a number, and by one alert for the others', async () => {
    const { report, look, alerts, resolve, at } = await aTenant();
    const [max, further] = [LIMITS.sourceAlertsMax, 7];
    const hosts = Array.from({ length: max + further }, (_, i) => `H${String(i).padStart(3, '0')}`);
    for (const hostName of hosts) {
      at.nowMs += 1_000;
      await report({ hostName, problem: 'no disk' });
    }
    await look();
    await look(MINUTE_MS);
    const told = (found: { group: { host?: string; problem: string } }[]) =>
      found.map(({ group }) => group.host ?? group.problem).sort();
    const newest = hosts.slice(further);
    expect(told(await alerts())).toEqual([...newest, `Sources have a problem: ${further} more`]);
    // They stay the same ones at later looks, also of another instance, and after they were resolved.
    await resolve();
    await look(11 * MINUTE_MS);
    expect(await alerts()).toHaveLength(max + 1);
    // All go silent. The newest silence is told alone, and so is a later one.
    await report({ hostName: 'last' });
    await look(16 * MINUTE_MS);
    await look(MINUTE_MS);
    const silent = (await alerts()).slice(max + 1);
    expect(told(silent)).toEqual([...hosts.slice(further + 1), 'Sources are silent: 8 more', 'last'].sort());
  });

  it('tells of wrong clocks of many agents by the same single alerts, whichever of them reported last', async () => {
    const { report, look, alerts, at } = await aTenant();
    const hosts = Array.from(
      { length: LIMITS.sourceAlertsMax + 2 },
      (_, i) => `H${String(i).padStart(3, '0')}`,
    );
    for (const round of [hosts, hosts.toReversed(), hosts]) {
      for (const hostName of round) {
        at.nowMs += 10;
        const caughtUpAt = new Date(at.nowMs + 10 * MINUTE_MS).toISOString();
        await report({ hostName, caughtUpAt, waitingBytes: 5 });
      }
      await look(MINUTE_MS);
    }
    const found = await alerts();
    expect(found.map(({ group }) => group.host ?? group.problem).sort()).toEqual([
      ...hosts.slice(0, -2),
      'The clocks of agents are wrong: 2 more',
    ]);
  });

  it('alerts once about a tenant that has as many sources as are kept, and other tenants are told as ever', async () => {
    const replaced = jest.replaceProperty(LIMITS, 'sourcesMax', 3 as never);
    try {
      const [{ report, look, problems }, other] = [await aTenant(), await aTenant()];
      await other.report({ hostName: 'A' });
      for (const hostName of ['A', 'B']) await report({ hostName });
      await look();
      await look(MINUTE_MS);
      expect(await problems()).toEqual([]);
      await report({ hostName: 'C' });
      await expect(report({ hostName: 'D' })).rejects.toMatchObject({ code: 'service_unavailable' });
      await look();
      await look(MINUTE_MS);
      await look(11 * MINUTE_MS);
      expect(await problems()).toEqual([
        expect.stringMatching(/^3 sources report, and no report of another/),
      ]);
      expect(await other.problems()).toEqual([]);
    } finally {
      replaced.restore();
    }
  });

  it("alerts about an agent's clock that is wrong at two looks, ahead or behind", async () => {
    const { report, look, problems, at } = await aTenant();
    const caughtUp = (offsetMs: number) => new Date(at.nowMs + offsetMs).toISOString();
    await report({ hostName: 'A', caughtUpAt: caughtUp(10 * MINUTE_MS), waitingBytes: 5 });
    await report({ hostName: 'B', caughtUpAt: caughtUp(-11 * MINUTE_MS) });
    // This agent has bytes waiting: it is late with its work, which says nothing about its clock.
    await report({ hostName: 'C', caughtUpAt: caughtUp(-10 * MINUTE_MS), waitingBytes: 5 });
    await report({ hostName: 'D', caughtUpAt: caughtUp(-1_000) });
    await look();
    expect(await problems()).toEqual([]);
    await look(MINUTE_MS);
    expect((await problems()).sort()).toEqual([
      'The clock of an agent is 600 seconds ahead',
      'The clock of an agent is 660 seconds behind',
    ]);
  });

  it('alerts about an evidence log that has stopped, and about events that wait for it too long', async () => {
    const { tenantId, stopped, look, problems } = await aTenant();
    stopped.set(tenantId, 'its head is not as it was left');
    await look();
    expect(await problems()).toEqual([]);
    await look(MINUTE_MS);
    await look(MINUTE_MS);
    expect(await problems()).toEqual(['The evidence log has stopped: its head is not as it was left']);

    const other = await aTenant();
    await store.database.migrator.models.auditLogQueue.create({
      data: {
        tenantId: other.tenantId,
        batchId: '0190a0a0-0000-7000-8000-000000000001',
        events: 1,
        receivedAt: new Date(START_MS),
        leaves: new Uint8Array(48),
        mac: new Uint8Array(32),
        keyId: '00000000',
        refused: false,
      },
    });
    await other.look(6 * MINUTE_MS);
    await other.look(MINUTE_MS);
    expect(await other.problems()).toEqual(['The evidence log has stopped: events wait for it']);
  });

  it('alerts once about trouble that two instances see from other moments on, until it begins anew', async () => {
    const { tenantId, stopped, report, look, lookOfAnother, resolve, problems, at } = await aTenant();
    const begin = () => stopped.set(tenantId, 'its head is not as it was left');
    const reportAhead = () =>
      report({ caughtUpAt: new Date(at.nowMs + 10 * MINUTE_MS).toISOString(), waitingBytes: 5 });
    const minutes = async (n: number) => {
      for (let i = 0; i < n; i++) {
        await reportAhead();
        await look(20_000);
        await reportAhead();
        await lookOfAnother(40_000);
      }
    };
    begin();
    await minutes(3);
    const both = [
      'The clock of an agent is 600 seconds ahead',
      'The evidence log has stopped: its head is not as it was left',
    ];
    expect((await problems()).sort()).toEqual(both);
    await resolve();
    await minutes(12);
    expect((await problems()).sort()).toEqual(both);

    stopped.clear();
    await minutes(1);
    begin();
    await minutes(3);
    expect((await problems()).sort()).toEqual([...both, both[1]]);
  });

  it('alerts about a destination whose events retention removed before their delivery', async () => {
    const { tenantId, look, problems, at } = await aTenant();
    const { destination } = store.database.migrator.models;
    const create = (destinationId: string, state: string) =>
      destination.create({
        data: {
          tenantId,
          destinationId,
          name: 'SIEM',
          type: 'webhook',
          settings: {},
          secrets: new Uint8Array(1),
          filter: '',
          format: 'native',
          state,
          position: 0n,
          overtakenAt: new Date(at.nowMs),
        },
      });
    await create('0190a0a0-0000-4000-8000-000000000002', 'active');
    await create('0190a0a0-0000-4000-8000-000000000003', 'removed');
    await look(MINUTE_MS);
    expect(await problems()).toEqual(['Retention removed events before a destination had them']);
  });

  it("makes no alert where the rule is off, keeps suppressed ones quiet, and uses the tenant's severity", async () => {
    const ruleId = [...readShippedRules().values()].find(({ number }) => number === 40)?.rule.ruleId ?? '';
    const { tenantId, report, look, alerts, at } = await aTenant();
    const { owner } = store.database;
    const put = (data: object) =>
      owner.models.detectionRule.upsert({
        where: { tenantId_ruleId: { tenantId, ruleId } },
        create: {
          tenantId,
          ruleId,
          enabled: true,
          version: 1,
          digest: '',
          ...data,
          createdAt: new Date(),
          updatedAt: new Date(),
        },
        update: data,
      });
    await put({ enabled: false });
    await report({ hostName: 'SQL01', problem: 'x' });
    await look();
    expect(await alerts()).toEqual([]);
    await put({ enabled: true, tuning: '{"severity":"critical"}' });
    await owner.models.alertSuppression.create({
      data: {
        tenantId,
        suppressionId: '0190a0a0-0000-4000-8000-000000000003',
        ruleId,
        createdBy: 'ada',
        fields: '{"host":"sql01"}',
        reason: 'it moves',
        createdAt: new Date(at.nowMs),
        until: new Date(at.nowMs + 60 * MINUTE_MS),
      },
    });
    await look(11 * MINUTE_MS);
    expect(await alerts()).toMatchObject([{ status: 'suppressed', severity: 4 }]);
    await report({ hostName: 'SQL01', problem: 'x' });
    at.nowMs += 50 * MINUTE_MS;
    await report({ hostName: 'SQL01', problem: 'x' });
    await look();
    expect((await alerts()).map(({ status }) => status)).toEqual(['suppressed', 'new']);
  });

  it('alerts again of a problem that goes on, once the suppression of its alert has ended before its time', async () => {
    const rule = [...readShippedRules().values()].find(({ number }) => number === 40)?.rule;
    const { tenantId, report, look, alerts, at } = await aTenant();
    const { service, owner } = store.database;
    const ids = ['0190a0a0-0000-4000-8000-000000000004', '0190a0a0-0000-4000-8000-000000000005'] as const;
    const until = new Date(at.nowMs + 90 * 24 * 60 * MINUTE_MS);
    await owner.models.alertSuppression.createMany({
      data: ids.map((suppressionId, i) => ({
        ...{ tenantId, suppressionId, ruleId: rule?.ruleId ?? null, createdBy: 'ada', reason: 'it moves' },
        ...{ fields: `{"host":"sql0${i + 1}"}`, createdAt: new Date(at.nowMs), until },
      })),
    });
    for (const hostName of ['SQL01', 'SQL02']) await report({ hostName, problem: 'x' });
    await look();
    const states = async () => (await alerts()).map(({ group, status }) => `${group.host} ${status}`).sort();
    expect(await states()).toEqual(['SQL01 suppressed', 'SQL02 suppressed']);
    at.nowMs += 11 * MINUTE_MS;
    await new AlertStore(service, () => at.nowMs).endSuppression(tenantId, ids[0], AN_ATTEMPT);
    await report({ hostName: 'SQL01', problem: 'x' });
    await report({ hostName: 'SQL02', problem: 'x' });
    await look();
    expect((await states()).filter((state) => state.startsWith('SQL01'))).toEqual([
      'SQL01 new',
      'SQL01 suppressed',
    ]);
    expect((await states()).filter((state) => state.endsWith(' new'))).toEqual(['SQL01 new']);
  });

  // This test must be the last: its problem concerns the tenants of all tests.
  it('alerts every tenant about lost entries of the access log', async () => {
    const { look, problems, at } = await aTenant();
    const lost: AccessEntry = entryOf(ownAttempt(DROPPED, new Date(at.nowMs), { count: 3 }), {
      outcome: 'ok',
      rows: 3,
    });
    await new PostgresAccessLogStore(store.database).append([lost]);
    await look(MINUTE_MS);
    await look(MINUTE_MS);
    expect(await problems()).toEqual(['The access log has lost entries']);
  });

  it('finds canaries of a week that lies in a file', async () => {
    const tenant = await aTenant();
    const { own, look, problems, at } = tenant;
    await canaries(tenant, [1, 2, 3]);
    const archive = await ArchiveTrial.open(own);
    try {
      await archive.settle();
      expect(await archive.seal('2026-02-03T08:00:00Z')).toMatchObject({ outcome: 'sealed' });
      at.nowMs = START_MS + 6 * 24 * 60 * MINUTE_MS;
      await look();
      await look(MINUTE_MS);
      expect(await problems()).toEqual([
        'No canary came after number 3 of 2026-02-03T08:15:00.000Z: number 4 is missing',
      ]);
    } finally {
      await archive.close();
    }
  });
});
