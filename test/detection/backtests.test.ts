import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DAY_MS, parseTicks } from '../../src/event/event-time';
import { recordIdFloor } from '../../src/event/record-id';
import { BacktestStore } from '../../src/modules/detection/backtests/backtest.store';
import { Backtests } from '../../src/modules/detection/backtests/backtests';
import type { EngineHost } from '../../src/rules/host';
import { parseRules } from '../../src/rules/sigma/rule-file';
import type { ArrivalLimits, ArrivalReader } from '../../src/store/log/arrivals/arrival-reader';
import { tenantSet } from '../../src/tenant-set';
import { AN_ATTEMPT } from '../support/attempt';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { until } from '../support/until';
import { unseenInLogins } from './support/sigma';

const SOURCE = 'title: A rule\nlogsource:\n  product: sqlserver\ndetection:\n  k: [x]\n  condition: k\n';
const RULE = {
  ruleId: randomUUID(),
  title: 'A rule',
  source: SOURCE,
  tuning: null,
  version: 1,
  filters: [],
};
const LATER_MS = 60_000;

/** An event a day. @param before how many of them are older than the tested time */
function readerOf(tenantId: number, events: readonly object[], before = 0): ArrivalReader {
  const items = events.map((change, position) => {
    const time = `2026-01-${String(position + 1).padStart(2, '0')}T08:00:00Z`;
    const recordId = recordIdFloor(parseTicks(time) ?? 0n);
    const fields = { recordId, serverInstanceName: 'SQL01', ...change };
    return { recordId, position, at: Date.parse(time) * 1_000, fields, additional: {} };
  });
  const since = Date.now() - 8 * DAY_MS;
  return {
    positionAt: async (_: number, at: Date) => (at.getTime() > since ? before : 0),
    readRows: async (_: number, from: number, { end = items.length }: ArrivalLimits) => {
      const next = Math.min(from + 4, end);
      const some = items.slice(from, next);
      return {
        ...{ tenantId, from, next, size: items.length, items: some },
        ...{ removed: 0, others: [], skipped: 0, bytes: 0 },
      };
    },
  } as unknown as ArrivalReader;
}
const ENTRIES = 10;

describe.each(ENGINES)('a backtest on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());
  // Instances take waiting backtests of any tenant.
  beforeEach(async () => {
    await store.database.owner.models.backtest.deleteMany({});
  });

  /** A tenant with a backtest that has begun, and instances that may run it. */
  async function aBacktest() {
    const { tenantId } = await store.forNewTenant();
    const { service, owner } = store.database;
    const at = { nowMs: Date.now() };
    const storeOf = () => new BacktestStore(service, owner, Date.now, async () => new Date(at.nowMs));
    const own = storeOf();
    const begin = () => own.begin(tenantId, RULE, 7, AN_ATTEMPT);
    const { backtestId } = await begin();
    /** @param hold a promise that each read waits for, or null */
    const anInstance = (hold: Promise<void> | null = null) => {
      let reads = 0;
      const reader: Pick<ArrivalReader, 'readRows' | 'positionAt'> = {
        positionAt: async () => 0,
        readRows: async (_, from) => {
          reads += 1;
          await hold;
          const next = Math.min(from + 4, ENTRIES);
          return {
            ...{ tenantId, from, next, size: ENTRIES, items: [] },
            ...{ removed: 0, others: [], skipped: 1, bytes: 0 },
          };
        },
      };
      const instance = new Backtests({
        owner,
        store: storeOf(),
        nowMs: Date.now,
        log: { warn: () => {} },
        reader: reader as ArrivalReader,
      });
      return { instance, reads: () => reads };
    };
    const state = async () => (await own.find(tenantSet([tenantId]), backtestId)).state;
    return { tenantId, backtestId, at, own, begin, anInstance, state };
  }
  const held = () => {
    let letGo = () => {};
    const hold = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    return { hold, letGo };
  };
  const isDone = (state: string) => state === 'done';

  it('runs to its end and is shown only to its tenant, which has one backtest at a time', async () => {
    const { begin, anInstance, state, own, tenantId, backtestId } = await aBacktest();
    await expect(begin()).rejects.toThrow('Another backtest is running');
    const one = anInstance();
    await one.instance.run();
    await until(state, isDone);
    expect(await own.find(tenantSet([tenantId]), backtestId)).toMatchObject({
      // One of each read was passed over.
      eventsRead: ENTRIES - one.reads(),
      eventsLeft: 0,
      title: 'A rule',
    });
    const other = await aBacktest();
    await expect(own.find(tenantSet([other.tenantId]), backtestId)).rejects.toThrow(
      'There is no such record',
    );
    expect((await begin()).state).toBe('running');
  });

  it('that a stop of its instance gave back has lost none, and of a tenant the newest twenty are kept', async () => {
    const { own, begin, tenantId, backtestId } = await aBacktest();
    const { models } = store.database.owner;
    for (let i = 0; i < 4; i++) {
      const taken = await own.take(tenantId, backtestId);
      expect(taken?.tries).toBe(1);
      if (taken) await own.putBack(taken);
    }
    const [row] = await models.backtest.findMany({ where: { tenantId } });
    if (!row) throw new Error('it is not there');
    const day = (n: number) => new Date(Date.UTC(2026, 0, n));
    await models.backtest.createMany({
      data: Array.from({ length: 20 }, (_, i) => ({
        ...row,
        backtestId: randomUUID(),
        createdAt: day(i + 1),
      })),
    });
    await models.backtest.updateMany({ where: { tenantId }, data: { state: 'done' } });
    await models.backtest.updateMany({ where: { tenantId, backtestId }, data: { createdAt: day(0) } });
    const { backtestId: newest } = await begin();
    const left = await models.backtest.findMany({ where: { tenantId }, orderBy: { createdAt: 'desc' } });
    expect([left.length, left[0]?.backtestId, left.at(-1)?.createdAt]).toEqual([20, newest, day(2)]);
  });

  it('continues on another instance when its own instance stops', async () => {
    const { anInstance, state } = await aBacktest();
    const { hold, letGo } = held();
    const first = anInstance(hold);
    await first.instance.run();
    await until(first.reads, (reads) => reads > 0);
    const second = anInstance();
    await second.instance.run();
    expect(second.reads()).toBe(0);
    const stopped = first.instance.stop();
    letGo();
    await stopped;
    expect(await state()).toBe('running');
    await second.instance.run();
    await until(state, isDone);
  });

  it('continues on another instance when its own is lost, and the lost one changes nothing later', async () => {
    const { anInstance, state, at, own, tenantId, backtestId } = await aBacktest();
    const { hold, letGo } = held();
    const lost = anInstance(hold);
    await lost.instance.run();
    await until(lost.reads, (reads) => reads > 0);
    at.nowMs += LATER_MS;
    await anInstance().instance.run();
    await until(state, isDone);
    const answer = await own.find(tenantSet([tenantId]), backtestId);
    letGo();
    await lost.instance.stop();
    expect(await own.find(tenantSet([tenantId]), backtestId)).toEqual(answer);
  });

  it("learns a rule's baseline from the time before", async () => {
    const own = unseenInLogins('Who is that', 'serverPrincipalName');
    const { ruleId } = parseRules(own)[0] as { ruleId: string };
    const { tenantId } = await store.forNewTenant();
    const { service, owner } = store.database;
    const tests = new BacktestStore(service, owner, Date.now);
    const { backtestId } = await tests.begin(tenantId, { ...RULE, ruleId, source: own }, 7, AN_ATTEMPT);
    const names = [...Array(9).fill('ada'), 'ada', 'eve'] as string[];
    const reader = readerOf(
      tenantId,
      names.map((serverPrincipalName) => ({ actionId: 'LGIS', serverPrincipalName })),
      9,
    );
    const instance = new Backtests({ owner, store: tests, nowMs: Date.now, log: { warn: () => {} }, reader });
    await instance.run();
    const found = () => tests.find(tenantSet([tenantId]), backtestId);
    const done = await until(found, ({ state }) => state !== 'running');
    expect(done).toMatchObject({ state: 'done', eventsRead: 2, findingCount: 1 });
    expect(done.examples[0]?.group).toMatchObject({ serverPrincipalName: 'eve' });
  });

  it('finds what happens at the end of the log, also for a rule that depends on the clock', async () => {
    const source = readFileSync(path.join(__dirname, '../../rules/38-audit-stopped.yml'), 'utf8');
    const { ruleId } = parseRules(source)[0] as { ruleId: string };
    const { tenantId } = await store.forNewTenant();
    const { service, owner } = store.database;
    const tests = new BacktestStore(service, owner, Date.now);
    const { backtestId } = await tests.begin(tenantId, { ...RULE, ruleId, source }, 7, AN_ATTEMPT);
    const reader = readerOf(tenantId, [{ actionId: 'SL' }, { actionId: 'SVSD' }]);
    const instance = new Backtests({ owner, store: tests, nowMs: Date.now, log: { warn: () => {} }, reader });
    await instance.run();
    const found = () => tests.find(tenantSet([tenantId]), backtestId);
    const done = await until(found, ({ state }) => state !== 'running');
    expect(done).toMatchObject({ state: 'done', days: [{ day: '2026-01-02', findings: 1 }] });
  });

  it('tells at how many events its rule could not be evaluated', async () => {
    const { tenantId } = await store.forNewTenant();
    const { service, owner } = store.database;
    const tests = new BacktestStore(service, owner, Date.now);
    const { backtestId } = await tests.begin(tenantId, RULE, 7, AN_ATTEMPT);
    const host = {
      open: async () => ({ actions: null, learns: false }),
      evaluate: async (_: number, items: readonly { readonly recordId: string }[]) => ({
        ...{ findings: [], seen: items.length },
        unread: items.slice(0, 1).map(({ recordId }) => ({ recordId, error: 'RangeError' })),
      }),
      close: async () => {},
    } as unknown as EngineHost;
    const reader = readerOf(tenantId, Array(6).fill({ actionId: 'SL' }));
    const parts = { owner, store: tests, nowMs: Date.now, log: { warn: () => {} }, reader };
    await new Backtests({ ...parts, openHost: () => host }).run();
    const found = () => tests.find(tenantSet([tenantId]), backtestId);
    const done = await until(found, ({ state }) => state !== 'running');
    // Of each of two reads one.
    expect(done).toMatchObject({ state: 'done', eventsRead: 6, eventsUnread: 2 });
  });

  it('fails when three instances in turn were lost while they ran it', async () => {
    const { anInstance, state, at } = await aBacktest();
    const { hold, letGo } = held();
    const lost = [1, 2, 3].map(() => anInstance(hold));
    for (const { instance, reads } of lost) {
      await instance.run();
      await until(reads, (count) => count > 0);
      at.nowMs += LATER_MS;
    }
    await anInstance().instance.run();
    await until(state, (now) => now === 'failed');
    letGo();
    await Promise.all(lost.map(({ instance }) => instance.stop()));
    expect(await state()).toBe('failed');
  });

  it('that cannot be read rests, so that others have their turn, and fails after a quarter of an hour', async () => {
    const lost = [await aBacktest(), await aBacktest()];
    const other = await aBacktest();
    const ids = new Set(lost.map(({ tenantId }) => tenantId));
    let elapsedMs = 900;
    let reads = 0;
    const reader = {
      positionAt: async (tenantId: number) => {
        reads += 1;
        if (ids.has(tenantId)) throw new Error('the file of the week is not there');
        return 0;
      },
      readRows: async (tenantId: number, from: number) => ({
        ...{ tenantId, from, next: ENTRIES, size: ENTRIES, items: [] },
        ...{ removed: 0, others: [], skipped: 0, bytes: 0 },
      }),
    } as unknown as ArrivalReader;
    const instance = new Backtests({
      owner: store.database.owner,
      store: other.own,
      ...{ nowMs: Date.now, elapsedMs: () => elapsedMs, log: { warn: () => {} }, reader },
    });
    /** Runs a round to its end. @param wanted how many backtests were begun by then */
    const round = async (wanted: number) => {
      await instance.run();
      await instance.settled();
      expect(reads).toBe(wanted);
    };
    await round(2);
    await round(3);
    expect(await Promise.all([...lost, other].map(({ state }) => state()))).toEqual([
      ...['running', 'running', 'done'],
    ]);
    await round(3);
    for (let failures = 2; failures <= 12; failures++) {
      elapsedMs += 300_000;
      await round(2 * failures + 1);
    }
    expect(await Promise.all(lost.map(({ state }) => state()))).toEqual(['failed', 'failed']);
  });
});
