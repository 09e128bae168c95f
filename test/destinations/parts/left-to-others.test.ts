import { pino } from 'pino';
import { LeftToOthers } from '../../../src/delivery/left-to-others';
import { NetworkGuard } from '../../../src/delivery/network-guard';
import { LIMITS } from '../../../src/limits';
import { Deliveries } from '../../../src/modules/destinations/deliveries';
import { testEpoch } from '../../support/epoch';
import { NO_MASKS } from '../../support/fakes/key-store';
import { itemsOf, Receiver } from '../support/receiver';
import { SharedDestination } from './support/shared-destination';

describe('work that an instance leaves to others', () => {
  let nowMs: number;
  let left: LeftToOthers;
  beforeEach(() => {
    nowMs = Date.parse('2026-01-05T08:00:00Z');
    left = new LeftToOthers(() => nowMs);
  });

  it('counts for an hour, and no longer after a clock was ahead', () => {
    left.leave('a');
    expect(left.isEmpty).toBe(false);
    nowMs -= LIMITS.pastTroubleShownMs;
    expect([left.isEmpty, left.resting()]).toEqual([true, []]);
  });

  it('waits as after a first failure once the instance has connected', () => {
    const first = left.leave('a');
    for (let failures = 2; failures < 6; failures++) left.leave('a');
    expect(left.leave('a')).toBeGreaterThan(10 * first);
    left.end('a');
    expect(left.isEmpty).toBe(true);
    expect(left.leave('a')).toBeLessThan(2 * first);
  });
});

describe('two instances that allow different networks', () => {
  let receiver: Receiver;
  let nowMs = Date.parse('2026-01-05T08:00:00Z');
  let shared: SharedDestination;
  const open: Deliveries[] = [];
  const instance = (networks: readonly string[]) => {
    const { store, feed, box } = shared;
    const log = pino({ level: 'silent' });
    const guard = new NetworkGuard(networks);
    const made = new Deliveries({
      store,
      feed,
      box,
      guard,
      epoch: testEpoch(),
      maskedTenants: NO_MASKS,
      disabledTenants: NO_MASKS,
      nowMs: () => nowMs,
      log,
    });
    open.push(made);
    return made;
  };
  /** One round, with everything that it begins. */
  const round = async (of: Deliveries) => {
    await of.round();
    await of.ended();
  };
  beforeEach(async () => {
    receiver = await Receiver.open();
    shared = new SharedDestination(
      ['SELECT 1', 'SELECT 2'],
      { settings: { url: receiver.url, encoding: 'json' } },
      () => nowMs,
    );
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.stop();
    await receiver.close();
  });

  it('share its destinations: one that may not connect leaves the turn to the other, and says so', async () => {
    const [strict, lenient] = [instance(['10.0.0.0/8']), instance(['127.0.0.0/8'])];
    await round(strict);
    expect(shared.row).toMatchObject({
      attempts: 1,
      failures: 1,
      position: 0,
      lastError: expect.stringContaining('DESTINATION_ALLOW_NETWORKS does not allow'),
    });
    expect([strict.mayReachAll, lenient.mayReachAll]).toEqual([false, true]);
    // The same moment: the other has no wait.
    await round(lenient);
    expect(receiver.requests.flatMap(itemsOf).map(({ statement }) => statement)).toEqual([
      'SELECT 1',
      'SELECT 2',
    ]);
    expect(shared.row).toMatchObject({ attempts: 0, delivered: 2, position: 2 });
    expect([strict.mayReachAll, lenient.mayReachAll]).toEqual([false, true]);
  });

  it('lose no turn again while the wait of the one that may not connect lasts', async () => {
    const strict = instance([]);
    const times: number[] = [];
    const begin = nowMs;
    for (let second = 0; second < 200; second++) {
      const before = shared.changes.length;
      await round(strict);
      if (shared.changes.slice(before).some(({ failures }) => failures === 1)) times.push(second);
      nowMs += 1_000;
    }
    // A clock that was ahead has nobody wait until it is there again.
    const before = shared.changes.length;
    nowMs = begin;
    shared.dueMs = 0;
    await round(strict);
    expect(shared.changes.length).toBeGreaterThan(before);
    const waits = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    expect(waits.length).toBeGreaterThan(5);
    for (const wait of waits.slice(-2)) {
      expect(wait).toBeGreaterThanOrEqual(0.5 * (LIMITS.destinationStandBackMsMax / 1_000));
      expect(wait).toBeLessThanOrEqual(LIMITS.destinationStandBackMsMax / 1_000);
    }
    expect(shared.row.attempts).toBe(1);
  });

  it('keep the failures of the receiver apart: they make every instance wait', async () => {
    shared.row = { ...shared.row, attempts: 9 };
    receiver.answers = () => ({ status: 503 });
    await round(instance(['127.0.0.0/8']));
    expect(shared.row.attempts).toBe(10);
    const second = instance(['127.0.0.0/8']);
    await round(second);
    expect(receiver.requests).toHaveLength(1);
    expect(second.mayReachAll).toBe(true);
  });

  it('are not Degraded because of a destination that is paused or removed', async () => {
    const strict = instance([]);
    await round(strict);
    shared.row = { ...shared.row, state: 'paused' };
    await round(strict);
    expect(strict.mayReachAll).toBe(true);
  });
});
