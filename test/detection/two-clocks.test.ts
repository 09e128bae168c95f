import { NO_MASKS } from '../support/fakes/key-store';
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { PostgresTenantStore } from '../../src/caller/tenant.store';
import { BacktestStore } from '../../src/modules/detection/backtests/backtest.store';
import { detectionModule } from '../../src/modules/detection/module';
import { readShippedRules } from '../../src/modules/detection/rules/shipped-rules';
import { HealthAlerts } from '../../src/modules/detection/watch/health-alerts';
import { GoneSeal } from '../../src/store/log/arrivals/gone-seal';
import { AN_ATTEMPT } from '../support/attempt';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import { testEpoch } from '../support/epoch';
import { Store } from '../support/store';
import { until } from '../support/until';

const TEN_MINUTES_MS = 600_000;
const RULE = {
  ruleId: randomUUID(),
  title: 'A rule',
  source:
    'title: A rule\nlogsource:\n  product: sqlserver\ndetection:\n  k:\n    action: LGIS\n  condition: k\n',
  tuning: null,
  version: 1,
  filters: [],
};

/** Detection as two instances on one database have it. Both wait where they send and read, until they are let go. */
class Instance {
  sent = 0;
  reads = 0;
  readonly #module;

  constructor(
    store: Store,
    aheadMs: number,
    private readonly letGo: Promise<void>,
  ) {
    const { service, owner } = store.database;
    this.#module = detectionModule({
      service,
      owner: {
        ...owner,
        ask: async (statement) => {
          this.reads += 1;
          await this.letGo;
          return owner.ask(statement);
        },
      },
      tenants: new PostgresTenantStore(service),
      maskedTenants: NO_MASKS,
      signal: new AbortController().signal,
      changes: { run: (_who, work) => work() },
      nowMs: () => Date.now() + aheadMs,
      log: pino({ level: 'silent' }),
      send: async () => {
        this.sent += 1;
        await this.letGo;
        return { kind: 'accepted' };
      },
      page: () => Promise.reject(new Error('this tenant has no canary')),
      hasDestination: async () => true,
      mail: null,
      stoppedLogs: () => new Map(),
      coverage: { groupsThatWrite: () => [], instances: async () => [] },
      epoch: testEpoch(),
      goneSeal: new GoneSeal([TEST_CHECKPOINT_KEY]),
      checkpointKeys: [TEST_CHECKPOINT_KEY],
      hasOtherKey: () => false,
    });
  }

  run(task: string): Promise<unknown> {
    const found = this.#module.tasks?.find(({ name }) => name === task);
    if (!found) throw new Error(`no task ${task}`);
    return found.run();
  }

  async stop(): Promise<void> {
    await this.#module.stop?.();
  }
}

describe.each(ENGINES)('two instances whose clocks are ten minutes apart, on %s', (engine) => {
  let base: Store;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  afterAll(() => base.close());

  const instances = (store: Store, isFirstAhead: boolean) => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const first = new Instance(store, isFirstAhead ? TEN_MINUTES_MS : 0, held);
    const second = new Instance(store, isFirstAhead ? 0 : TEN_MINUTES_MS, held);
    return { first, second, letGo };
  };

  it.each([true, false])('send a notice once, the first one ahead: %s', async (isFirstAhead) => {
    const store = await base.forNewTenant();
    const { tenantId } = store;
    const owner = store.database.owner;
    await owner.models.alertRoute.create({
      data: {
        tenantId,
        routeId: randomUUID(),
        name: 'siem',
        severityMin: 1,
        ruleId: null,
        enabled: true,
        kind: 'destination',
        target: JSON.stringify({ destinationId: randomUUID(), format: 'json' }),
        createdAt: new Date(),
      },
    });
    const problem = { tenantId, key: 'x', since: new Date(), group: { problem: 'something' } };
    await new HealthAlerts(owner, readShippedRules(), Date.now).tell(problem);
    const { first, second, letGo } = instances(store, isFirstAhead);
    const running = first.run('notices');
    await until(
      () => first.reads,
      (reads) => reads > 0,
    );
    await second.run('notices');
    expect(second.reads).toBe(0);
    letGo();
    await running;
    await Promise.all([first.stop(), second.stop()]);
    await second.run('notices');
    expect([first.sent, second.sent]).toEqual([1, 0]);
    expect(
      await owner.models.alertNotice.findMany({ where: { tenantId }, select: { tries: true, error: true } }),
    ).toEqual([{ tries: 1, error: null }]);
  });

  it.each([true, false])('run a backtest once, the first one ahead: %s', async (isFirstAhead) => {
    const store = await base.forNewTenant();
    const { tenantId } = store;
    const { service, owner } = store.database;
    await new BacktestStore(service, owner, Date.now).begin(tenantId, RULE, 7, AN_ATTEMPT);
    const { first, second, letGo } = instances(store, isFirstAhead);
    await first.run('backtests');
    await until(
      () => first.reads,
      (reads) => reads > 0,
    );
    await second.run('backtests');
    const found = () => owner.models.backtest.findFirst({ where: { tenantId } });
    expect(await found()).toMatchObject({ state: 'running', tries: 1 });
    letGo();
    await until(found, (row) => row?.state !== 'running');
    await second.run('backtests');
    expect(await found()).toMatchObject({ state: 'done', tries: 1 });
    expect(second.reads).toBe(0);
    await Promise.all([first.stop(), second.stop()]);
  });
});
