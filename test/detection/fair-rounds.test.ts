import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { ThreadFailure } from '../../src/asked-thread';
import { LIMITS } from '../../src/limits';
import { DetectionTally } from '../../src/modules/detection/base/tally';
import { Detector } from '../../src/modules/detection/detector/detector';
import { type Lane, Lanes } from '../../src/modules/detection/detector/lanes';
import { ProgressSeal } from '../../src/modules/detection/detector/progress-seal';
import { TrustedProgress } from '../../src/modules/detection/detector/trusted-progress';
import { RuleAbouts } from '../../src/modules/detection/rules/rule-abouts';
import type { ShippedRule } from '../../src/modules/detection/rules/shipped-rules';
import type { Arrived } from '../../src/rules/arrived';
import { LocalHost } from '../../src/rules/host';
import { parseRules } from '../../src/rules/sigma/rule-file';
import type { ArrivalReader } from '../../src/store/log/arrivals/arrival-reader';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { LogTrial } from '../evidence/support';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import { TEST_EPOCH } from '../support/epoch';
import { Store } from '../support/store';

const SILENT = pino({ level: 'silent' });
const STEP = LIMITS.detectionStep.events;
const LEFT = 100;

/** Records the tenant and the number of events of each call; fails for the tenant `broken`; has no time after `room`. */
class NotedHost extends LocalHost {
  readonly seen: [tenantId: number, events: number][] = [];
  readonly read: [tenantId: number, events: number][] = [];
  broken: number | null = null;
  /** Events that end the thread. */
  ending: ReadonlySet<string> = new Set();
  /** Tenants from this one on have rules that end the thread when they are loaded. */
  unopened = Number.POSITIVE_INFINITY;
  room = Number.POSITIVE_INFINITY;
  /** Events at which its rules fail. */
  unread: readonly { readonly recordId: string; readonly error: string }[] = [];
  /** Each call waits for this promise. */
  held: Promise<void> = Promise.resolve();

  override async open(...given: Parameters<LocalHost['open']>) {
    if (given[0] >= this.unopened) throw new ThreadFailure('the thread of the rules ended with 1');
    return super.open(...given);
  }

  #endAt(events: readonly Arrived[]): void {
    if (!events.some(({ recordId }) => this.ending.has(recordId))) return;
    void this.close();
    throw new ThreadFailure('the thread of the rules ended with 1');
  }

  override async evaluate(...given: Parameters<LocalHost['evaluate']>) {
    const [tenantId, events] = given;
    this.seen.push([tenantId, events.length]);
    await this.held;
    if (tenantId === this.broken) throw new ThreadFailure('the thread of the rules ended with 1');
    this.#endAt(events);
    const [, , { workMs, ...clock }, part] = given;
    const done = await super.evaluate(tenantId, events.slice(0, this.room), clock, part);
    return { ...done, seen: Math.min(done.seen, this.room), unread: this.unread };
  }

  /** Records what each call of the reader reads. */
  noted(reader: ArrivalReader): ArrivalReader {
    const readRows = reader.readRows.bind(reader);
    return Object.assign(reader, {
      readRows: async (...given: Parameters<ArrivalReader['readRows']>) => {
        const read = await readRows(...given);
        this.read.push([read.tenantId, read.items.length]);
        return read;
      },
    });
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
  const seal = new ProgressSeal(
    [TEST_CHECKPOINT_KEY],
    () => TEST_EPOCH,
    () => nowMs,
  );
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
    detector = detectorOn(host);
  });
  /** An instance on the same database. */
  const detectorOn = (
    own: NotedHost,
    lanes?: { shared: Lanes; own: Lane; holder: string },
    onUnread?: (tenantId: number, unread: NotedHost['unread']) => Promise<unknown>,
    shipped: ReadonlyMap<string, ShippedRule> = new Map(),
  ) => {
    const { database } = busy as Store;
    const reader = own.noted(new PostgresArrivalReader(database.owner));
    return new Detector({
      owner: database.owner,
      reader,
      host: own,
      shipped,
      abouts: new RuleAbouts(),
      nowMs: () => nowMs,
      tally: new DetectionTally(),
      progress: new TrustedProgress({ owner: database.owner, seal, tell: async () => {}, log: SILENT }),
      ...(lanes && { lanes }),
      ...(onUnread && { onUnread }),
    });
  };
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
    await expect(detector.run()).rejects.toThrow(ThreadFailure);
    expect(host.taken().sort()).toEqual([
      [long, STEP],
      [short, 1],
    ]);
    nowMs += LIMITS.detectionRestMs - 1;
    expect(await detector.run()).toBe(0);
    expect(host.taken()).toEqual([]);
    // A clock that was ahead has nobody rest until it is there again.
    nowMs -= 86_000_000;
    await expect(detector.run()).rejects.toThrow(ThreadFailure);
    expect(host.taken()).toEqual([[long, 1]]);
    host.broken = null;
    nowMs += LIMITS.detectionRestMs;
    // It failed at its first event alone, which is passed.
    expect(await detector.run()).toBe(1);
    expect(await detector.run()).toBe(1);
    expect(host.taken()).toEqual([
      [long, 0],
      [long, STEP - 1],
    ]);
  });

  it('tell of an event at which rules fail before the step is stored, so that no crash hides it', async () => {
    const [, short] = ids();
    const told: unknown[] = [];
    host.unread = [{ recordId: 'r-1', error: 'too deep' }];
    const own = detectorOn(host, undefined, async (tenantId, unread) => {
      told.push([tenantId, unread]);
      if (told.length === 1) throw new ThreadFailure('told of nothing');
    });
    const at = () =>
      quiet?.query('SELECT position::int AS at FROM detection_position WHERE tenant_id = $1', short);
    await busy?.query('UPDATE tenant SET disabled_at = now() WHERE tenant_id = $1', ids()[0]);
    await expect(own.run()).rejects.toThrow('told of nothing');
    expect(await at()).toEqual([{ at: 0 }]);
    nowMs += LIMITS.detectionRestMs;
    await own.run();
    expect(await at()).toEqual([{ at: 1 }]);
    expect(told).toEqual([
      [short, host.unread],
      [short, host.unread],
    ]);
  });

  it.each([
    ['', false],
    [', also where another instance takes over', true],
  ])(
    'pass an event that ends the thread, tell of it, and find each other event once%s',
    async (_, isLost) => {
      const [long, short] = ids();
      const stored = await busy?.query<{ id: string }>(
        'SELECT record_id::text AS id FROM audit_event WHERE tenant_id = $1 ORDER BY record_id',
        long,
      );
      const [first, later] = [0, 77].map((n) => stored?.[n]?.id ?? '') as [string, string];
      host.ending = new Set([first, later]);
      const source =
        'title: All\nlogsource:\n  product: sqlserver\ndetection:\n  s:\n    actionId|exists: true\n  condition: s\n';
      const [rule] = parseRules(source);
      const all = new Map([[rule?.ruleId ?? '', { number: 1, source, rule } as never]]);
      const told: unknown[] = [];
      const open = () => detectorOn(host, undefined, async (...one) => void told.push(one), all);
      const found = () =>
        busy?.query<{ id: string }>(
          'SELECT record_ids[1]::text AS id FROM finding WHERE tenant_id = $1 ORDER BY 1',
          long,
        );
      let own = open();
      let failures = 0;
      for (let more = 1; more > 0 && failures < 20; ) {
        more = await own.run().catch((error: unknown) => {
          expect(error).toBeInstanceOf(ThreadFailure);
          failures += 1;
          nowMs += LIMITS.detectionRestMs;
          return 1;
        });
        // An instance that begins anew narrows the step down anew.
        if (failures !== 1 || !isLost) continue;
        own = open();
        await busy?.query('UPDATE detection_position SET holder = NULL');
      }
      expect(failures).toBeLessThanOrEqual(isLost ? 7 : 6);
      expect(new Set(told)).toEqual(
        new Set([first, later].map((recordId) => [long, [{ recordId, error: 'ThreadFailure' }]])),
      );
      const others = stored?.map(({ id }) => ({ id })).filter(({ id }) => id !== first && id !== later);
      expect(await found()).toEqual(others);
      expect(host.taken().filter(([of]) => of === short)).toEqual([[short, 1]]);
    },
  );

  /** Runs rounds until no work is left. @returns the numbers of events of the long log that its engine was given */
  const worked = async (): Promise<readonly number[]> => {
    while ((await detector.run()) > 0);
    return host.taken().flatMap(([tenantId, events]) => (tenantId === ids()[0] ? [events] : []));
  };
  const readOf = (tenantId: number) =>
    host.read.reduce((sum, [of, events]) => sum + (of === tenantId ? events : 0), 0);

  it('read each event once, although a step has time for few of those it read', async () => {
    const [long] = ids();
    host.room = 700;
    // A step reads twice the events for which the one before had time.
    expect(await worked()).toEqual([STEP, ...[3_396, 2_696, 1_996, 1_296, 596], LEFT]);
    expect(readOf(long)).toBe(STEP + LEFT);
  });

  it('read again what was kept when the rules have changed, or another instance had the turn', async () => {
    const [long] = ids();
    host.room = 700;
    await detector.run();
    expect(readOf(long)).toBe(STEP);
    await busy?.query('UPDATE detection_position SET revision = revision + 1 WHERE tenant_id = $1', long);
    await detector.run();
    // The engine reads as much as it has time for, twice over.
    expect(readOf(long)).toBe(STEP + 3_396 + LEFT);
    const to = { ...(seal.known(long) ?? { learned: 0, learnUntil: 0, findings: 0 }), position: 1_700 };
    await busy?.query(
      'UPDATE detection_position SET holder = $4::uuid, held_until = $5::timestamptz, position = $2::bigint, mac = $3 WHERE tenant_id = $1',
      ...[long, to.position, seal.macOf(long, to), randomUUID(), new Date(Date.now() + 25_000)],
    );
    await detector.run();
    expect(host.taken().filter(([of]) => of === long)).toHaveLength(2);
    await busy?.query('UPDATE detection_position SET holder = NULL WHERE tenant_id = $1', long);
    await worked();
    expect(readOf(long)).toBe(STEP + 3_396 + LEFT + (STEP + LEFT - 1_700));
  });

  /** Tenants without events, which are due before all others. */
  const lateTenants = async (first: number, count: number) => {
    await busy?.query(
      `INSERT INTO audit_log_head SELECT $1::int + n, 1, '', 0, 0, now(), true, '', '' FROM generate_series(0, $2::int - 1) n`,
      ...[first, count],
    );
  };
  const FIRST = 1_000_000;
  afterEach(async () => {
    await busy?.query('DELETE FROM audit_log_head WHERE tenant_id >= $1', FIRST);
    await busy?.query('DELETE FROM detection_position WHERE tenant_id >= $1', FIRST);
  });

  it('reach the others behind as many slow tenants as a round has room for', async () => {
    const [long, short] = ids();
    const shared = new Lanes(() => nowMs, { warn: () => {} } as never);
    await lateTenants(FIRST, 250);
    for (let n = 0; n < 250; n++) shared.note(FIRST + n, Number.POSITIVE_INFINITY);
    await detectorOn(host, { shared, own: 'quick', holder: randomUUID() }).run();
    expect(host.taken().sort()).toEqual([
      [long, STEP],
      [short, 1],
    ]);
    // And the slow ones are reached behind as many quick ones.
    const quick = new Lanes(() => nowMs, { warn: () => {} } as never);
    quick.note(long, Number.POSITIVE_INFINITY);
    await detectorOn(host, { shared: quick, own: 'slow', holder: randomUUID() }).run();
    expect(host.taken()).toEqual([]);
    await busy?.query("UPDATE detection_position SET held_until = now() - interval '1 second'");
    await detectorOn(host, { shared: quick, own: 'slow', holder: randomUUID() }).run();
    expect(host.taken()).toEqual([[long, LEFT]]);
  });

  it('reach the others behind as many tenants that rest as a round has room for', async () => {
    const [long] = ids();
    host.unopened = FIRST;
    host.room = 700;
    await detector.run();
    host.taken();
    await lateTenants(FIRST, 250);
    await expect(detector.run()).rejects.toThrow(ThreadFailure);
    const seen: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      await detector.run();
      seen.push(...host.taken().filter(([of]) => of === long));
    }
    expect(seen).toEqual([3_496, 2_796, 2_096].map((left) => [long, left]));
  });

  it('go on for the others while the rules of one tenant take long, on another thread', async () => {
    const [long, short] = ids();
    const shared = new Lanes(() => nowMs, { warn: () => {} } as never);
    const holder = randomUUID();
    const slowHost = new NotedHost();
    const quick = detectorOn(host, { shared, own: 'quick', holder });
    const slow = detectorOn(slowHost, { shared, own: 'slow', holder });
    const of = (all: NotedHost) => all.taken().map(([tenantId]) => tenantId);
    expect(await slow.run()).toBe(0);
    host.broken = long;
    await expect(quick.run()).rejects.toThrow(ThreadFailure);
    expect(of(host).sort()).toEqual([long, short]);
    // It does not rest, as it would if it had failed in the slow lane.
    let go = () => {};
    slowHost.held = new Promise((done) => {
      go = done;
    });
    const running = slow.run();
    await quiet?.insert(quiet.checked([{ blockOffset: 9_999 }]));
    await new LogTrial(quiet as Store).run();
    await quick.run();
    expect(of(host)).toEqual([short]);
    go();
    expect(await running).toBe(1);
    expect(of(slowHost)).toEqual([long]);
    slowHost.broken = long;
    await expect(slow.run()).rejects.toThrow(ThreadFailure);
    expect(of(slowHost)).toEqual([long]);
    await slow.run();
    expect(of(slowHost)).toEqual([]);
    // After some quick minutes it is among the others again.
    nowMs += LIMITS.detectionSlowForMs;
    host.broken = null;
    await slow.run();
    await quick.run();
    expect([of(slowHost), of(host)]).toEqual([[], [long]]);
  });
});
