import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { ownAttempt } from '../../src/caller/access-log';
import { LIMITS } from '../../src/limits';
import { PostgresAuditSourceStore } from '../../src/modules/sources/audit-source.store';
import { checkReport } from '../../src/modules/sources/check-report';
import { readCoverage } from '../../src/modules/sources/coverage';
import { expireGaps } from '../../src/modules/sources/expire-gaps';
import { listComplete } from '../../src/modules/sources/list-complete';
import { listLags } from '../../src/modules/sources/list-lags';
import type { AreGapsHeld } from '../../src/modules/sources/remove-sources';
import { heldNow } from '../../src/modules/tenants/holds/held';
import { HoldStore } from '../../src/modules/tenants/holds/hold.store';
import { PostgresRetentionStore } from '../../src/modules/tenants/retention/retention.store';
import { readFigures } from '../../src/observe/stored-figures';
import { oneTenant } from '../../src/tenant-set';
import { AN_ATTEMPT } from '../support/attempt';
import { aGap, aReport } from '../support/audit-sources';
import { describeOnPostgres, ENGINES, type EngineName } from '../support/engines';
import { recording } from '../support/recorded-statements';
import { Store } from '../support/store';

const MAX = LIMITS.sourceGapsMax;
const NOW = new Date('2026-03-01T00:00:00Z');
const report = (change: object = {}) => checkReport(aReport(change), NOW.getTime());

const areGapsHeld: AreGapsHeld = async (tx, id, at) => (await heldNow(tx, id, at)) !== 'nothing';

/** Opens a new store. @returns it with its sources */
async function open(engine: EngineName) {
  const store = await Store.open(engine);
  const { service, migrator } = store.database;
  return { store, sources: new PostgresAuditSourceStore(service, migrator, areGapsHeld) };
}
type Opened = Awaited<ReturnType<typeof open>>;

/** Fills a source with gaps: one from a report, the others directly in the table. */
async function fill({ store, sources }: Opened, tenantId: number, total: number): Promise<void> {
  await sources.report(tenantId, report({ gaps: [aGap()] }), NOW);
  await store.query(
    `INSERT INTO audit_gap SELECT tenant_id, host_name, database_name, gen_random_uuid(), reason, file_name, file_guid,
       detail, after_time, before_time, detected_at, first_reported
     FROM audit_gap, generate_series(2, $1::int) WHERE tenant_id = $2::int`,
    total,
    tenantId,
  );
}

describe.each(ENGINES)('the lag of a source on %s', (engine) => {
  const MINUTE_MS = 60_000;
  const at = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE_MS);
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(engine);
  });
  afterAll(() => opened.store.close());

  it('is added up from reports over any hours, with the silence since, until retention', async () => {
    const { store, sources } = opened;
    const { service, migrator } = store.database;
    const { tenantId } = await store.forNewTenant();
    const send = (minutes: number, caughtUp: number, more: object = {}) =>
      sources.report(
        tenantId,
        checkReport(aReport({ caughtUpAt: at(caughtUp).toISOString(), ...more }), at(minutes).getTime()),
        at(minutes),
      );
    for (const minutes of [0.5, 1.5, 2.5]) await send(minutes, minutes - 1 / 60);
    await send(2.9, 2.9);
    await send(62.5, 62.4);
    await send(62.6, 2, { hostName: 'Other' });
    const lags = async (from: number, to: number, now = to) => {
      const list = listLags(service, () => at(now).getTime());
      return list(oneTenant(tenantId), at(from).getTime(), at(to).getTime());
    };

    expect(await lags(0, 59)).toMatchObject([
      { hostName: 'Other', minutes: 0, p50Seconds: null },
      // Three reports, then a minute for each without one.
      { hostName: 'SQLPROD01', minutes: 60, p99Seconds: 3_366, worstSeconds: 3_366 },
    ]);
    expect(await lags(60, 62.7)).toMatchObject([
      { minutes: 1, worstSeconds: 3_636 },
      { minutes: 3, worstSeconds: 3_576 },
    ]);
    // The agents are silent for half an hour more.
    expect((await lags(60, 92.5))[1]).toMatchObject({ minutes: 33 });
    expect((await lags(60, 1_000, 92.5))[1]).toMatchObject({ minutes: 33 });
    // A silence that began before the hours counts in them alone.
    expect((await lags(180, 239))[1]).toMatchObject({ minutes: 60 });
    await sources.retire(
      tenantId,
      { hostName: 'Other', databaseName: null, reason: 'gone' },
      at(63),
      AN_ATTEMPT,
    );
    expect((await lags(60, 92.5))[0]).toMatchObject({ minutes: 1 });

    await new PostgresRetentionStore(service, migrator).setDays(tenantId, 30, AN_ATTEMPT);
    await sources.removeGaps(tenantId, 29, at(60), NOW);
    expect((await lags(0, 59))[1]).toMatchObject({ minutes: 60 });
    await sources.removeGaps(tenantId, 30, at(60), NOW);
    expect((await lags(0, 62.5))[1]).toMatchObject({ minutes: 3 });
  });

  it('comes with a problem while two agents report it, since when they do, and not when one starts again', async () => {
    const { store, sources } = opened;
    const { tenantId } = await store.forNewTenant();
    const [one, clone, later] = [randomUUID(), randomUUID(), randomUUID()];
    const reported = async (minutes: number, runId: string | null, problem: string | null = null) => {
      await sources.report(
        tenantId,
        checkReport(aReport({ runId, problem }), at(minutes).getTime()),
        at(minutes),
      );
      const [source] = await store.query<{ problem: string | null; problem_since: Date | null }>(
        'SELECT problem, problem_since FROM audit_source WHERE tenant_id = $1::int',
        tenantId,
      );
      return [source?.problem, source?.problem_since?.toISOString()];
    };
    const two = [expect.stringContaining('2 agents report this source'), at(2).toISOString()];
    expect(await reported(0, one)).toEqual([null, undefined]);
    expect(await reported(0.5, clone)).toEqual([null, undefined]);
    expect(await reported(2, one.toUpperCase())).toEqual(two);
    expect(await reported(2.5, clone)).toEqual(two);
    expect(await reported(3, one, 'its own')).toEqual(['its own', at(2).toISOString()]);
    expect(await reported(3.2, null)).toEqual([null, undefined]);
    expect((await reported(3.5, clone))[0]).toEqual(two[0]);
    expect(await reported(8.6, clone)).toEqual([null, undefined]);
    expect(await reported(8.7, later)).toEqual([null, undefined]);
    expect(await reported(12, later)).toEqual([null, undefined]);
  });
});

describe.each(ENGINES)('the gaps of a time on %s', (engine) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(engine);
  });
  afterAll(() => opened.store.close());

  it('are listed however many are newer, and those that are too many are counted', async () => {
    const { store } = opened;
    const { tenantId } = await store.forNewTenant();
    const [listed, within] = [LIMITS.sourceGapsListed, LIMITS.sourceGapsShownMax];
    const [june, july, august] = ['2025-06-01', '2025-07-01', '2025-08-01'].map(
      (day) => `${day}T00:00:00.0000000Z`,
    ) as [string, string, string];
    const old = aGap({ afterTime: june, beforeTime: june, detectedAt: july });
    await opened.sources.report(tenantId, report({ gaps: [old] }), NOW);
    await store.query(
      `INSERT INTO audit_gap SELECT tenant_id, host_name, database_name, gen_random_uuid(), reason, file_name, file_guid,
         detail, $3, $3, $3, first_reported
       FROM audit_gap, generate_series(1, $1::int) WHERE tenant_id = $2::int`,
      ...[within + 7, tenantId, august],
    );
    const list = listComplete(store.database.service, () => NOW.getTime());
    const found = async (range?: { from: string; to: string }) => {
      const [source] = await list(oneTenant(tenantId), range);
      return [source?.gapCount, source?.gaps.length, source?.moreGaps];
    };

    expect(await found()).toEqual([within + 8, listed, undefined]);
    expect(await found({ from: '2025-05-01', to: july })).toEqual([within + 8, 1, 0]);
    expect(await found({ from: june, to: july })).toEqual([within + 8, 0, 0]);
    expect(await found({ from: july, to: '2025-09-01' })).toEqual([within + 8, within, 7]);
  });
});

describe.each(ENGINES)('a folder of several hosts on %s', (engine) => {
  let opened: Opened;
  let tenantId: number;
  beforeAll(async () => {
    opened = await open(engine);
  });
  afterAll(() => opened.store.close());
  beforeEach(async () => {
    tenantId = (await opened.store.forNewTenant()).tenantId;
  });
  const FILE = 'e51337b0-990d-48c3-bc9b-8a085513e40f';
  const at = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
  const send = (hostName: string, minutes: number, more: object = {}, of = tenantId) =>
    opened.sources.report(
      of,
      checkReport(aReport({ hostName, ...more }), at(minutes).getTime()),
      at(minutes),
    );
  const there = (...wholeFiles: string[]) => ({ shared: { isStandby: false, wholeFiles } });
  const AWAY = { shared: { isStandby: true, wholeFiles: [] } };
  const gone = (fileGuid = FILE, reason = 'FILE_DELETED') => aGap({ reason, fileGuid });

  it('has a gap only if no other host published the file whole, whoever reports first', async () => {
    const gaps = async (of = tenantId) =>
      (await opened.sources.sources(of)).map(({ hostName, gapCount }) => [hostName, gapCount]);
    const other = (await opened.store.forNewTenant()).tenantId;
    const lost = { gaps: [gone(), gone(FILE, 'SPOOL_FULL'), gone(FILE, 'BLOCKS_MISSING')] };
    await send('A', 0, { ...lost, ...there() });
    await send('A', 0, { ...lost, ...there() }, other);
    await send('alone', 0, lost);
    expect(await gaps()).toEqual([
      ['A', 3],
      ['alone', 3],
    ]);
    for (const minutes of [1, 2]) await send('B', minutes, there(FILE.toUpperCase()));
    expect(await gaps()).toEqual([
      ['A', 1],
      ['B', 0],
      ['alone', 3],
    ]);
    await send('A', 3, { gaps: [gone(FILE.toUpperCase()), gone(randomUUID())], ...there() });
    expect(await gaps()).toEqual([
      ['A', 2],
      ['B', 0],
      ['alone', 3],
    ]);
    expect(await gaps(other)).toEqual([['A', 3]]);
  });

  it('is one source where its hosts have one name: with the state of the one that had the folder last', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const list = listComplete(opened.store.database.service, () => at(minute).getTime());
    let minute = 0;
    const report = async (runId: string, isAway: boolean, more: object = {}) => {
      minute += 0.5;
      const caughtUpAt = at(isAway ? 0 : minute).toISOString();
      await send('A', minute, { runId, caughtUpAt, ...(isAway ? AWAY : there()), ...more });
      const [source] = await opened.sources.sources(tenantId);
      return source && { ...source, state: (await list(oneTenant(tenantId)))[0]?.state };
    };
    const right = { state: 'current', problem: null, standbySince: null, gapCount: 0 };
    await report(other, true);
    // Whoever has it, for longer than two agents may report side by side.
    for (const [has, away, last] of [
      [one, other, 1],
      [other, one, 2],
      [one, other, 3],
    ] as const) {
      for (let times = 0; times < 2; times++) {
        expect(await report(has, false)).toMatchObject(right);
        await report(away, true);
      }
      for (let times = 0; times < 6; times++) {
        expect(await report(has, false, { waitingBytes: last })).toMatchObject(right);
        const beside = { waitingBytes: 99, publishedCount: 5 };
        expect(await report(away, true, beside)).toMatchObject({ ...right, waitingBytes: last });
      }
    }
    expect(await report(other, true)).toMatchObject({ publishedCount: 3 * 6 * 5 });

    const whole = { shared: { isStandby: true, wholeFiles: [FILE] } };
    expect(await report(other, true, whole)).toMatchObject(right);
    expect(await report(one, false, { gaps: [gone()] })).toMatchObject(right);
    expect(await report(one, false, { gaps: [gone(randomUUID())] })).toMatchObject({ gapCount: 1 });
    // The agent that had it ends, and the other one does not get it.
    for (let times = 0; times < 10; times++) await report(other, true);
    expect(await report(other, true)).toMatchObject({ state: 'stale' });
  });

  it('is behind for nobody who stands by for another host, and for all when no host has it', async () => {
    const { service, migrator } = opened.store.database;
    const tenants = oneTenant(tenantId);
    const seen = async (minutes: number) => {
      const nowMs = () => at(minutes).getTime();
      const [list, lags] = [await listComplete(service, nowMs)(tenants), listLags(service, nowMs)];
      const noted = await lags(tenants, NOW.getTime(), nowMs());
      const { sources } = await readCoverage(service, tenants, { from: null, to: null, filter: null });
      const figures = (await readFigures(migrator, 99, 9_000)).sources;
      return list.map(({ hostName, state }, i) => ({
        hostName,
        state,
        worst: noted[i]?.worstSeconds ?? null,
        standsBy: sources.find((one) => one.hostName === hostName)?.standbySince?.getTime() ?? null,
        isMeasured: figures.some((one) => one.tenantId === tenantId && one.hostName === hostName),
      }));
    };
    const caught = (minutes: number) => ({ caughtUpAt: at(minutes).toISOString() });
    await send('A', 0.5, { ...caught(0.5), ...there() });
    await send('B', 0.5, AWAY);
    for (const minutes of [1.5, 20.5]) {
      await send('A', minutes, { ...caught(minutes), ...there() });
      await send('B', minutes, { ...caught(0.5), ...AWAY });
    }
    const since = at(0.5).getTime();
    expect((await seen(21))[1]).toEqual({
      ...{ hostName: 'B', state: 'standby', worst: null, standsBy: since, isMeasured: false },
    });
    // Nor does one whose source an operator has retired, until it reports again.
    await opened.sources.retire(
      tenantId,
      { hostName: 'A', databaseName: null, reason: 'sold' },
      at(21),
      ownAttempt('retire', at(21)),
    );
    expect((await seen(21))[1]).toMatchObject({ hostName: 'B', standsBy: null });
    // A host of that name with a folder of its own reads none for others.
    for (const minutes of [21.5, 80.5]) {
      await send('C', minutes, caught(minutes));
      await send('A', minutes, { ...caught(20.5), ...AWAY });
      await send('B', minutes, { ...caught(0.5), ...AWAY });
    }
    expect((await seen(81)).map(({ hostName, state, standsBy }) => [hostName, state, standsBy])).toEqual([
      ['A', 'standby', null],
      ['B', 'lagging', null],
      ['C', 'current', null],
    ]);
    await send('A', 120.5, { ...caught(20.5), ...AWAY });
    expect((await seen(121))[0]).toEqual({
      ...{ hostName: 'A', state: 'lagging', worst: 6_000, standsBy: null, isMeasured: true },
    });
  });
});

describe.each(ENGINES)('gaps of a source on %s', (engine) => {
  let opened: Opened;
  let tenantId: number;
  beforeAll(async () => {
    opened = await open(engine);
  });
  afterAll(() => opened.store.close());
  beforeEach(async () => {
    tenantId = (await opened.store.forNewTenant()).tenantId;
  });
  const only = async () => (await opened.sources.sources(tenantId))[0];

  it('are bounded: a report that exceeds the bound is refused as a whole, and no gap is lost', async () => {
    const { sources } = opened;
    await fill(opened, tenantId, MAX - 1);
    const last = aGap();
    await sources.report(tenantId, report({ gaps: [last], waitingBytes: 1 }), NOW);
    const full = await only();
    expect(full).toMatchObject({ gapCount: MAX, waitingBytes: 1 });

    const tooMany = sources.report(
      tenantId,
      report({ gaps: [last, aGap()], waitingBytes: 2, publishedCount: 3 }),
      new Date(NOW.getTime() + 1),
    );
    await expect(tooMany).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining(String(MAX)),
    });
    expect(await only()).toEqual(full);
  });

  it('at their bound delay neither reports without new gaps, nor other sources', async () => {
    const { sources } = opened;
    await fill(opened, tenantId, MAX);
    const [known] = await sources.gaps(tenantId, report(), 1);
    await sources.report(tenantId, report({ gaps: [aGap({ gapId: known?.gapId })], waitingBytes: 7 }), NOW);
    expect(await only()).toMatchObject({ gapCount: MAX, waitingBytes: 7 });
    await sources.report(tenantId, report({ hostName: 'another', gaps: [aGap()] }), NOW);
    expect((await sources.sources(tenantId)).map(({ gapCount }) => gapCount)).toEqual([MAX, 1]);
  });

  it('are refused for a tenant that does not exist', async () => {
    const { sources } = opened;
    const reported = sources.report(2_000_000, report({ gaps: [aGap()] }), NOW);
    await expect(reported).rejects.toMatchObject({ code: 'internal_error' });
    expect(await sources.sources(2_000_000)).toEqual([]);
  });

  it('belong to at most so many sources of a tenant: a report of another one is refused, those of known ones are not', async () => {
    const { store, sources } = opened;
    const replaced = jest.replaceProperty(LIMITS, 'sourcesMax', 2 as never);
    try {
      const other = await store.forNewTenant();
      for (const hostName of ['A', 'B']) await sources.report(tenantId, report({ hostName }), NOW);
      const refused = sources.report(tenantId, report({ hostName: 'C', gaps: [aGap()] }), NOW);
      await expect(refused).rejects.toMatchObject({
        code: 'service_unavailable',
        message: expect.stringContaining('2 sources'),
      });
      // The host is known, the database is not.
      await expect(
        sources.report(tenantId, report({ hostName: 'A', databaseName: 'X' }), NOW),
      ).rejects.toThrow();
      await sources.report(tenantId, report({ hostName: 'B', waitingBytes: 7, gaps: [aGap()] }), NOW);
      await sources.report(other.tenantId, report({ hostName: 'C' }), NOW);
      expect(await sources.sources(tenantId)).toMatchObject([
        { hostName: 'A', gapCount: 0 },
        { hostName: 'B', waitingBytes: 7, gapCount: 1 },
      ]);
      // A tenant that had more before the bound keeps them.
      jest.replaceProperty(LIMITS, 'sourcesMax', 1 as never);
      await sources.report(tenantId, report({ hostName: 'A', waitingBytes: 9 }), NOW);
      expect((await sources.sources(tenantId))[0]).toMatchObject({ waitingBytes: 9 });
    } finally {
      replaced.restore();
    }
  });

  it("expire after their tenant's retention from the first report; those of other tenants stay", async () => {
    const { store, sources } = opened;
    const retention = new PostgresRetentionStore(store.database.service, store.database.migrator);
    const other = await store.forNewTenant();
    const at = (days: number) => new Date(NOW.getTime() - days * 86_400_000);
    const [old, young] = [aGap(), aGap()];
    for (const id of [tenantId, other.tenantId]) {
      await sources.report(id, report({ gaps: [old] }), at(30.001));
      await sources.report(id, report({ gaps: [old, young] }), at(29.999));
    }
    await retention.setDays(tenantId, 30, AN_ATTEMPT);
    const log = pino({ level: 'silent' });
    await expireGaps({ sources, retention, nowMs: () => NOW.getTime(), log });
    const idsOf = async (id: number) =>
      (await sources.gaps(id, report(), 10)).map(({ gapId }) => gapId).toSorted();
    expect(await idsOf(tenantId)).toEqual([young.gapId]);
    expect(await idsOf(other.tenantId)).toEqual([old.gapId, young.gapId].toSorted());
    expect(await only()).toMatchObject({ gapCount: 1, lastReported: at(29.999) });
  });

  it('stay while a legal hold of their tenant is in force', async () => {
    const { store, sources } = opened;
    const { service, migrator } = store.database;
    const [retention, holds] = [new PostgresRetentionStore(service, migrator), new HoldStore(service)];
    const other = await store.forNewTenant();
    const until = new Date(NOW.getTime() + 1);
    const held = { tenantId, filter: 'actionId:DR', reason: 'Case 7', until };
    await holds.create(held, 'legal', { ...AN_ATTEMPT, at: new Date(0) });
    for (const id of [tenantId, other.tenantId]) {
      await sources.report(id, report({ gaps: [aGap()] }), new Date(NOW.getTime() - 31 * 86_400_000));
      await retention.setDays(id, 30, AN_ATTEMPT);
    }
    const left = async (at: Date) => {
      const log = pino({ level: 'silent' });
      await expireGaps({ sources, retention, nowMs: () => at.getTime(), log });
      const gaps = [tenantId, other.tenantId].map((id) => sources.gaps(id, report(), 10));
      return (await Promise.all(gaps)).map(({ length }) => length);
    };
    expect(await left(NOW)).toEqual([1, 0]);
    const asked = { before: NOW, hostName: null, withGaps: true };
    const remove = (at: Date) => sources.remove(tenantId, asked, { ...AN_ATTEMPT, at });
    await expect(remove(NOW)).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining('legal hold'),
    });
    const without = await sources.remove(tenantId, { ...asked, withGaps: false }, { ...AN_ATTEMPT, at: NOW });
    expect(without).toMatchObject({ gaps: 0, kept: 1 });
    expect(await left(until)).toEqual([0, 0]);
    expect(await remove(until)).toMatchObject({ sources: 1, kept: 0 });
  });

  it('do not expire beside a hold that is being made', async () => {
    const { service, migrator } = opened.store.database;
    await opened.sources.report(
      tenantId,
      report({ gaps: [aGap()] }),
      new Date(NOW.getTime() - 31 * 86_400_000),
    );
    await new PostgresRetentionStore(service, migrator).setDays(tenantId, 30, AN_ATTEMPT);
    jest.replaceProperty(LIMITS, 'holdWaitMs', 7 as never);
    const hold = () =>
      new HoldStore(service).create(
        { tenantId, filter: null, reason: 'Case 7', until: null },
        'x',
        AN_ATTEMPT,
      );
    const held = jest.fn(async (...asked: Parameters<AreGapsHeld>) => {
      const isHeld = await areGapsHeld(...asked);
      await expect(hold()).rejects.toMatchObject({ code: 'service_unavailable' });
      return isHeld;
    });
    expect(
      await new PostgresAuditSourceStore(service, migrator, held).removeGaps(tenantId, 30, NOW, NOW),
    ).toBe(1);
    expect(held).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
    await hold();
    await opened.sources.report(
      tenantId,
      report({ gaps: [aGap()] }),
      new Date(NOW.getTime() - 31 * 86_400_000),
    );
    expect(await opened.sources.removeGaps(tenantId, 30, NOW, NOW)).toBe(0);
  });

  it('stay if the retention has changed meanwhile', async () => {
    const { store, sources } = opened;
    const retention = new PostgresRetentionStore(store.database.service, store.database.migrator);
    await sources.report(tenantId, report({ gaps: [aGap()] }), NOW);
    const later = new Date(NOW.getTime() + 1);
    for (const days of [null, 31]) {
      await retention.setDays(tenantId, days, AN_ATTEMPT);
      expect(await sources.removeGaps(tenantId, 30, later, NOW)).toBe(0);
    }
    expect(await sources.removeGaps(tenantId, 31, later, NOW)).toBe(1);
  });
});

describeOnPostgres('concurrent reports', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open('postgresql');
  });
  afterAll(() => opened.store.close());

  it('all count, and store a gap that all of them have once', async () => {
    const { store, sources } = opened;
    const { tenantId } = await store.forNewTenant();
    const gaps = Array.from({ length: 20 }, () => aGap());
    const orders = [gaps, gaps.toReversed()];
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        sources.report(tenantId, report({ publishedCount: 1, gaps: orders[i % 2] }), NOW),
      ),
    );
    expect(await sources.sources(tenantId)).toMatchObject([{ publishedCount: 12, gapCount: 20 }]);
  });

  it('do not exceed the bound together', async () => {
    const { store, sources } = opened;
    const { tenantId } = await store.forNewTenant();
    await fill(opened, tenantId, MAX - 1);
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => sources.report(tenantId, report({ gaps: [aGap()] }), NOW)),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await sources.sources(tenantId)).toMatchObject([{ gapCount: MAX }]);
  });

  it('name their tenant in every statement, and so do the list of sources and retention', async () => {
    const { store } = opened;
    const texts: string[] = [];
    const { service, migrator } = store.database;
    const sources = new PostgresAuditSourceStore(
      recording(service, texts),
      recording(migrator, texts),
      async () => false,
    );
    const caughtUpAt = NOW.toISOString();
    await sources.report(store.tenantId, report({ gaps: [aGap({ gapId: randomUUID() })], caughtUpAt }), NOW);
    await sources.sources(store.tenantId);
    await sources.removeGaps(store.tenantId, 1, NOW, NOW);
    const questions = texts.filter((text) => !text.startsWith('SET LOCAL'));
    expect(questions).toHaveLength(8);
    for (const text of questions) {
      const aliases = [
        ...text.matchAll(/(?:FROM|JOIN) (?:tenant|audit_source|audit_gap|audit_source_lag) (\w)\b/g),
      ];
      expect(aliases.length).toBeGreaterThan(0);
      for (const [, alias] of aliases) expect(text).toContain(`${alias}.tenant_id = $1`);
      if (text.includes('INSERT'))
        expect(text).toMatch(/INTO \w+ AS \w \(tenant_id,[^)]*\)\s+SELECT t\.tenant_id,/);
    }
  });
});

describe.each(ENGINES)('sources that an operator retires, on %s', (engine) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(engine);
  });
  afterAll(() => opened.store.close());

  it('keep what is known of them, and are in use again after a report, each for itself', async () => {
    const { store, sources } = opened;
    const [{ tenantId }, other] = [await store.forNewTenant(), await store.forNewTenant()];
    for (const databaseName of ['Payroll', 'Sales'])
      await sources.report(tenantId, report({ databaseName, publishedCount: 7, gaps: [aGap()] }), NOW);
    await sources.report(tenantId, report({ hostName: 'SQL02' }), NOW);
    await sources.report(other.tenantId, report(), NOW);
    const retire = (at: number, asked: object = {}, by = AN_ATTEMPT) =>
      sources.retire(
        tenantId,
        { hostName: 'SQLPROD01', databaseName: null, reason: 'sold', ...asked },
        new Date(NOW.getTime() + at),
        by,
      );
    const retired = async () =>
      (await sources.sources(tenantId)).map(({ retiredAt, retiredReason, publishedCount, gapCount }) => [
        retiredAt && retiredAt.getTime() - NOW.getTime(),
        retiredReason,
        publishedCount,
        gapCount,
      ]);
    const SQL02 = [null, null, 0, 0];

    expect(await retire(5, {}, ownAttempt('retire', new Date()))).toEqual({ sources: 2 });
    const both = [5, 'sold', 7, 1];
    expect(await retired()).toEqual([SQL02, both, both]);
    expect(await retire(9, { databaseName: 'Sales', reason: 'the lease of its machine ended' })).toEqual({
      sources: 1,
    });
    await sources.report(tenantId, report({ publishedCount: 1 }), new Date(NOW.getTime() + 11));
    const again = [null, null, 8, 1];
    expect(await retired()).toEqual([SQL02, again, [5, 'the lease of its machine ended', 7, 1]]);
    expect(await sources.sources(other.tenantId)).toMatchObject([{ retiredAt: null }]);
    for (const asked of [{ hostName: 'SQL03' }, { databaseName: 'payroll' }])
      await expect(retire(12, asked)).rejects.toMatchObject({ code: 'not_found' });
    const entries = await store.query(
      `SELECT row_count AS rows FROM access_log WHERE operation = 'retire' AND $1::int = ANY(tenant_ids)`,
      tenantId,
    );
    expect(entries).toEqual([{ rows: 2 }]);
  });

  it('do not count in the metrics', async () => {
    const { store, sources } = opened;
    const { tenantId } = await store.forNewTenant();
    const figures = () => readFigures(store.database.migrator, 99, 9_000);
    const before = await figures();
    await sources.report(tenantId, report({ problem: 'the disk is full' }), NOW);
    const reported = await figures();
    expect([reported.sourceCount, reported.problemCount]).toEqual([
      before.sourceCount + 1,
      before.problemCount + 1,
    ]);
    await sources.retire(
      tenantId,
      { hostName: 'SQLPROD01', databaseName: 'Payroll', reason: 'sold' },
      NOW,
      AN_ATTEMPT,
    );
    const after = await figures();
    expect([after.sourceCount, after.problemCount, after.sources]).toEqual([
      before.sourceCount,
      before.problemCount,
      before.sources.map((one) => ({ ...one, reportedSeconds: expect.any(Number) })),
    ]);
  });
});

describe.each(ENGINES)('sources that nobody reports any more, on %s', (engine) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(engine);
  });
  afterAll(() => opened.store.close());
  const LATER = new Date(NOW.getTime() + 1);

  it('are removed by the time of their last report, of one tenant, with an entry of the access log', async () => {
    const { store, sources } = opened;
    const [{ tenantId }, other] = [await store.forNewTenant(), await store.forNewTenant()];
    for (let i = 0; i < 20; i++) await sources.report(tenantId, report({ hostName: `invented ${i}` }), NOW);
    await sources.report(tenantId, report({ hostName: 'with gaps', gaps: [aGap(), aGap()] }), NOW);
    await sources.report(tenantId, report({ hostName: 'real' }), LATER);
    await sources.report(other.tenantId, report({ hostName: 'invented 1' }), NOW);
    const remove = (asked: object = {}) =>
      sources.remove(
        tenantId,
        { before: LATER, hostName: null, withGaps: false, ...asked },
        ownAttempt('remove', new Date()),
      );
    const hosts = async () => (await sources.sources(tenantId)).map(({ hostName }) => hostName);

    expect(await remove({ before: NOW })).toEqual({ sources: 0, gaps: 0, kept: 0 });
    expect(await remove({ hostName: 'invented 3' })).toEqual({ sources: 1, gaps: 0, kept: 0 });
    expect(await remove()).toEqual({ sources: 19, gaps: 0, kept: 1 });
    expect(await hosts()).toEqual(['real', 'with gaps']);
    expect(await remove({ withGaps: true })).toEqual({ sources: 1, gaps: 2, kept: 0 });
    expect(await hosts()).toEqual(['real']);
    expect(await store.query('SELECT 1 FROM audit_gap WHERE tenant_id = $1::int', tenantId)).toEqual([]);
    expect(await sources.sources(other.tenantId)).toHaveLength(1);
    const entries = await store.query(
      `SELECT row_count AS rows FROM access_log WHERE operation = 'remove' AND $1::int = ANY(tenant_ids) ORDER BY 1`,
      tenantId,
    );
    expect(entries).toEqual([{ rows: 0 }, { rows: 1 }, { rows: 1 }, { rows: 19 }]);
  });

  it('with very many gaps are removed in several calls', async () => {
    const { store, sources } = opened;
    const { tenantId } = await store.forNewTenant();
    await fill(opened, tenantId, 2);
    for (const hostName of ['second', 'third'])
      await store.query(
        `WITH made AS (INSERT INTO audit_source (tenant_id, host_name, database_name, agent_version, waiting_bytes,
           published_count, last_reported)
           SELECT tenant_id, $2, database_name, agent_version, 0, 0, last_reported FROM audit_source
           WHERE tenant_id = $1::int LIMIT 1 RETURNING 1)
         INSERT INTO audit_gap SELECT tenant_id, $2, database_name, gen_random_uuid(), reason, file_name, file_guid,
           detail, after_time, before_time, detected_at, first_reported
         FROM audit_gap, generate_series(1, $3::int) WHERE tenant_id = $1::int AND host_name <> 'second'`,
        ...[tenantId, hostName, LIMITS.gapsRemovedMax / 4],
      );
    const remove = () =>
      sources.remove(
        tenantId,
        { before: LATER, hostName: null, withGaps: true },
        ownAttempt('remove', new Date()),
      );
    const [first, second] = [await remove(), await remove()];
    expect([first.sources + second.sources, second.kept]).toEqual([3, 0]);
    expect(first.kept).toBeGreaterThan(0);
    expect(first.gaps).toBeLessThanOrEqual(LIMITS.gapsRemovedMax);
  });
});
