import { pino } from 'pino';
import { DetectionTally } from '../../src/modules/detection/base/tally';
import { Detector } from '../../src/modules/detection/detector/detector';
import { ProgressSeal } from '../../src/modules/detection/detector/progress-seal';
import { TrustedProgress } from '../../src/modules/detection/detector/trusted-progress';
import { WaitClock } from '../../src/modules/detection/detector/wait-clock';
import { RuleAbouts } from '../../src/modules/detection/rules/rule-abouts';
import { LocalHost } from '../../src/rules/host';
import { parseRules } from '../../src/rules/sigma/rule-file';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { LogTrial } from '../evidence/support';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import { TEST_EPOCH } from '../support/epoch';
import { Store } from '../support/store';
import { problemsOf } from './support/sigma';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const base = (name: string, action: string) =>
  `title: ${name}\nname: ${name}\nlogsource: {product: sqlserver}\ndetection: {s: {actionId: ${action}}, condition: s}\n---\n`;
const source = (
  clock: string,
) => `${base('stopped', 'TASP')}${base('started', 'TASA')}title: Not started again
id: 1c4b4ba0-0000-4000-8000-000000000001
correlation:
  type: absence
  rules: [stopped, started]
  group-by: [serverInstanceName]
  timespan: 30s
  clock: ${clock}
`;

describe.each(ENGINES)('the clock that ends a wait, on %s', (engine) => {
  let store: Store;
  /** Of the database. */
  let clockMs: number;
  let elapsedMs: number;
  let isAway: boolean;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    store = await store.forNewTenant();
    [clockMs, elapsedMs, isAway] = [Date.now(), 500, false];
  });

  /** An instance that has just started. @param aheadMs by which its own clock is ahead of the database's */
  const anInstance = (clock: string, aheadMs = 0) => {
    const owner = store.database.owner;
    const seal = new ProgressSeal([TEST_CHECKPOINT_KEY], () => TEST_EPOCH, Date.now);
    const shipped = parseRules(source(clock)).map((rule) => ({ rule, source: source(clock), number: 1 }));
    const time = async () => {
      if (isAway) throw new Error('the database is away');
      return new Date(clockMs);
    };
    const detector = new Detector({
      owner,
      host: new LocalHost(),
      shipped: new Map(shipped.map((one) => [one.rule.ruleId, one])),
      abouts: new RuleAbouts(),
      reader: new PostgresArrivalReader(owner),
      tally: new DetectionTally(),
      nowMs: () => clockMs + aheadMs,
      waits: new WaitClock(owner.models, time, () => elapsedMs),
      progress: new TrustedProgress({ owner, seal, tell: async () => {}, log: pino({ level: 'silent' }) }),
    });
    return async () => {
      while ((await detector.run()) > 0);
    };
  };
  const pass = (ms: number) => {
    clockMs += ms;
    elapsedMs += ms;
  };
  const send = (actionId: string) => store.insert(store.checked([{ actionId, blockOffset: blocks++ * 512 }]));
  let blocks = 1;
  const arrive = async (actionId: string) => {
    await send(actionId);
    await new LogTrial(store).run();
  };
  const found = async () => {
    const [row] = await store.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM finding WHERE tenant_id = $1',
      store.tenantId,
    );
    return row?.n;
  };
  /** Another instance may take the turn. */
  const letGo = () =>
    store.query('UPDATE detection_position SET holder = NULL WHERE tenant_id = $1', store.tenantId);
  /** A wait that began, on an instance that is at work for long. */
  const begun = async (clock: string, aheadMs = 0) => {
    const run = anInstance(clock, aheadMs);
    await run();
    pass(HOUR);
    await arrive('TASP');
    await run();
    return run;
  };

  it('ends it when its time has passed, and not before', async () => {
    const run = await begun('2h');
    pass(2 * HOUR - 1);
    await run();
    expect(await found()).toBe(0);
    pass(1);
    await run();
    expect(await found()).toBe(1);
  });

  it.each([10 * MINUTE, -10 * MINUTE])(
    'is that of the database: nothing comes of an instance whose clock is %d ms ahead',
    async (aheadMs) => {
      const run = anInstance('5m', aheadMs);
      await run();
      await begun('5m');
      await letGo();
      await run();
      pass(5 * MINUTE - 1);
      await run();
      expect(await found()).toBe(0);
      pass(1);
      await run();
      expect(await found()).toBe(1);
    },
  );

  it('ends nothing early when it is set forward, and the wait ends at last', async () => {
    const run = await begun('2h');
    pass(MINUTE);
    await run();
    clockMs += 3 * HOUR;
    await run();
    pass(2 * HOUR - 1);
    await run();
    expect(await found()).toBe(0);
    pass(1);
    await run();
    expect(await found()).toBe(1);
  });

  it.each(['by the same instance', 'by one that starts'])(
    'does not make a wait longer than twice its time when it is set back, as it is noticed %s',
    async (by) => {
      const first = await begun('30m');
      clockMs -= 10 * HOUR;
      await letGo();
      const run = by === 'by the same instance' ? first : anInstance('30m');
      pass(MINUTE);
      await run();
      expect(await found()).toBe(0);
      pass(30 * MINUTE);
      await run();
      expect(await found()).toBe(1);
    },
  );

  it.each([
    ['starts', true],
    ['starts', false],
    ['has its database again', true],
    ['has its database again', false],
  ])(
    'ends nothing in the first minute after the service %s, in which agents send what waited: %s',
    async (what, isSent) => {
      const before = await begun('30s');
      await letGo();
      isAway = true;
      await expect(before()).rejects.toThrow();
      isAway = false;
      pass(5 * HOUR);
      const run = what === 'starts' ? anInstance('30s') : before;
      await run();
      pass(MINUTE - 1);
      await run();
      expect(await found()).toBe(0);
      if (isSent) await arrive('TASA');
      pass(1);
      await run();
      expect(await found()).toBe(isSent ? 0 : 1);
    },
  );

  it('ends it a minute after a start, however long it is', async () => {
    await begun('2h');
    await letGo();
    pass(2 * HOUR);
    const run = anInstance('2h');
    await run();
    pass(MINUTE);
    await run();
    expect(await found()).toBe(1);
  });

  it('ends nothing while events that arrived in time wait for the evidence log', async () => {
    const run = await begun('2h');
    await send('TASA');
    pass(3 * HOUR);
    await run();
    expect(await found()).toBe(0);
    await new LogTrial(store).run();
    await run();
    expect(await found()).toBe(0);
  });
});

it('a rule whose clock would never come is refused', () => {
  expect(problemsOf(source('30d'))).toEqual([]);
  expect(problemsOf(source('99999M'))).toEqual([
    '18: clock must be a number and s, m, h, d, w or M, of at most 30 days',
  ]);
});
