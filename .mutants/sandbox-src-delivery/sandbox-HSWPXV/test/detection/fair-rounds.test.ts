import { LocalHost } from '../../src/detection/host';
import { EngineFailure } from '../../src/detection/thread-host';
import { LIMITS } from '../../src/limits';
import { Detector } from '../../src/modules/detection/detector';
import { RuleAbouts } from '../../src/modules/detection/rule-abouts';
import { DetectionTally } from '../../src/modules/detection/tally';
import { PostgresArrivalReader } from '../../src/trail/arrivals/stored-arrivals';
import { LogTrial } from '../evidence/support';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';

const STEP = LIMITS.detectionStep.events;
const LEFT = 100;

/** Records the tenant and the number of events of each call; fails for the tenant `broken`. */
class NotedHost extends LocalHost {
  readonly seen: [tenantId: number, events: number][] = [];
  broken: number | null = null;

  override evaluate(...given: Parameters<LocalHost['evaluate']>) {
    const [tenantId, events] = given;
    this.seen.push([tenantId, events.length]);
    if (tenantId === this.broken) throw new EngineFailure('the thread of the rules ended with 1');
    return super.evaluate(...given);
  }

  taken() {
    return this.seen.splice(0);
  }
}

describe.each(ENGINES)('rounds of the rules on %s', (engine) => {
  let [busy, quiet]: Store[] = [];
  let host: NotedHost;
  let detector: Detector;
  let nowMs: number;
  beforeAll(async () => {
    busy = await Store.open(engine);
  });
  afterAll(() => busy?.close());
  beforeEach(async () => {
    busy = await (busy as Store).forNewTenant();
    quiet = await busy.forNewTenant();
    const many = Array.from({ length: STEP + LEFT }, (_, n) => ({ blockOffset: 512 * (n + 1) }));
    await busy.insert(busy.checked(many));
    await quiet.insert(quiet.checked([{}]));
    await new LogTrial(busy).run();
    host = new NotedHost();
    nowMs = Date.now();
    const { database, form } = busy;
    detector = new Detector({
      ...{ owner: database.background, reader: new PostgresArrivalReader(database.askOwner, form), host },
      ...{ shipped: new Map(), abouts: new RuleAbouts(), nowMs: () => nowMs, tally: new DetectionTally() },
    });
  });
  const ids = () => [busy?.tenantId ?? 0, quiet?.tenantId ?? 0] as const;

  it('give each tenant one step, so that a long log delays no other tenant', async () => {
    const [long, short] = ids();
    expect(await detector.run()).toBe(1);
    expect(host.taken().sort()).toEqual([
      [long, STEP],
      [short, 1],
    ]);
    expect(await detector.run()).toBe(0);
    expect(host.taken()).toEqual([[long, LEFT]]);
    expect(await detector.run()).toBe(0);
    expect(host.taken()).toEqual([]);
  });

  it('continue past a tenant whose rules fail, and try it again after a rest', async () => {
    const [long, short] = ids();
    host.broken = long;
    await expect(detector.run()).rejects.toThrow(EngineFailure);
    expect(host.taken().sort()).toEqual([
      [long, STEP],
      [short, 1],
    ]);
    nowMs += LIMITS.detectionRestMs - 1;
    expect(await detector.run()).toBe(0);
    expect(host.taken()).toEqual([]);
    host.broken = null;
    nowMs += 1;
    expect(await detector.run()).toBe(1);
    expect(host.taken()).toEqual([[long, STEP]]);
  });
});
