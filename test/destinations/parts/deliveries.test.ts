import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { NetworkGuard } from '../../../src/delivery/network-guard';
import { SecretBox } from '../../../src/delivery/secret-box';
import { LIMITS } from '../../../src/limits';
import { Deliveries } from '../../../src/modules/destinations/deliveries';
import { type DestinationKey, ownerOfSecrets } from '../../../src/modules/destinations/destination';
import { testItem } from '../../../src/modules/destinations/to-item';
import type { LogEpoch } from '../../../src/store/log/epoch/log-epoch';
import { TEST_EPOCH, testEpoch } from '../../support/epoch';
import { until } from '../../support/until';
import { Receiver } from '../support/receiver';
import { SharedDestination } from './support/shared-destination';

/** A connection that nobody closes stays open for longer than this. */
const IDLE_MS = 10_000;
const BEGIN_MS = Date.parse('2026-01-05T08:00:00Z');

describe('the deliveries of an instance', () => {
  let receiver: Receiver;
  let nowMs: number;
  const open: Deliveries[] = [];
  beforeEach(async () => {
    nowMs = BEGIN_MS;
    receiver = await Receiver.open();
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.stop();
    await receiver.close();
  });
  const sharing = (statements: (string | null)[], change: object = {}) =>
    new SharedDestination(
      statements,
      { settings: { url: receiver.url, encoding: 'json' }, ...change },
      () => nowMs,
    );
  const instance = (
    shared: SharedDestination,
    change: {
      box?: SecretBox;
      epoch?: object;
      masked?: readonly number[];
      disabled?: readonly number[];
      told?: object[];
    } = {},
  ) => {
    const marked = (mark: 'masked' | 'disabled') => ({
      among: async (ids: readonly number[]) => ids.filter((id) => change[mark]?.includes(id)),
    });
    const made = new Deliveries({
      store: shared.store,
      feed: shared.feed,
      maskedTenants: marked('masked'),
      disabledTenants: marked('disabled'),
      box: change.box ?? shared.box,
      nowMs: () => nowMs,
      guard: new NetworkGuard(['127.0.0.1']),
      log: pino({}, { write: (line: string) => void change.told?.push(JSON.parse(line)) }),
      epoch: Object.setPrototypeOf(change.epoch ?? {}, testEpoch()) as LogEpoch,
    });
    open.push(made);
    return made;
  };
  const round = async (of: Deliveries) => {
    await of.round();
    await of.ended();
  };

  it('send nothing in a drill, not even a test', async () => {
    const shared = sharing([]);
    const item = testItem(7, 'native', new Date(nowMs));
    const drill = instance(shared, { epoch: { isDrill: true } });
    expect(await drill.sendOne(shared.row, 'test_1', item)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('DRILL'),
    });
    expect(await drill.tryOut({ ...shared.row, secrets: {} }, 7, 'test_1', item)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('DRILL'),
    });
    expect(receiver.requests).toEqual([]);
    expect(await instance(shared).sendOne(shared.row, 'test_1', item)).toEqual({ kind: 'accepted' });
  });

  it.each([
    [[7, 9], false],
    [[9], true],
  ])('send statements without literals where their tenant, 7, is among %j', async (masked, isWhole) => {
    const shared = sharing(["SELECT 'secret'"]);
    await round(instance(shared, { masked }));
    expect(receiver.requests.map(({ body }) => body.includes('secret'))).toEqual([isWhole]);
  });

  it('are as many at a time as there may be, and no more', async () => {
    const bound = jest.replaceProperty(LIMITS, 'destinationRunsMax', 2 as never);
    const shared = sharing(['SELECT 1']);
    const all = ['a', 'b', 'c'].map((destinationId) => ({ ...shared.row, destinationId, isDue: true }));
    let taken = 0;
    let leave = () => {};
    const left = new Promise<null>((resolve) => {
      leave = () => resolve(null);
    });
    const store = {
      list: async () => all,
      take: () => {
        taken++;
        return left;
      },
    };
    const one = instance({ store, feed: shared.feed, box: shared.box } as unknown as SharedDestination);
    await one.round();
    await one.round();
    expect(taken).toBe(2);
    leave();
    await one.ended();
    bound.restore();
  });

  it('give those the next turn that had none for longest', async () => {
    const bound = jest.replaceProperty(LIMITS, 'destinationRunsMax', 2 as never);
    const shared = sharing(['SELECT 1']);
    const all = ['a', 'b', 'c'].map((destinationId) => ({ ...shared.row, destinationId, isDue: true }));
    const taken: string[] = [];
    const store = {
      list: async () => all,
      take: async ({ destinationId }: DestinationKey) => {
        taken.push(destinationId);
        return null;
      },
    };
    const one = instance({ store, feed: shared.feed, box: shared.box } as unknown as SharedDestination);
    for (let n = 0; n < 3; n++) await round(one);
    bound.restore();
    expect(taken.join('')).toBe('abcabc');
  });

  it('wait while an operator must say go, and go on then', async () => {
    const shared = sharing(['SELECT 1']);
    let pause: string | null = 'restored';
    const held = instance(shared, { epoch: { pauseOf: () => pause } });
    await round(held);
    expect(receiver.requests).toEqual([]);
    pause = null;
    await round(held);
    expect(shared.row).toMatchObject({ delivered: 1 });
  });

  it('go on beyond their time while no other destination waits for a turn', async () => {
    const time = jest.replaceProperty(LIMITS, 'destinationRunMs', -1 as never);
    const shared = sharing(
      Array.from({ length: LIMITS.destinationBatchEvents + 1 }, (_, n) => `SELECT ${n}`),
    );
    await round(instance(shared));
    time.restore();
    expect(shared.row.position).toBe(LIMITS.destinationBatchEvents + 1);
    expect(receiver.requests).toHaveLength(2);
  });

  it.each([
    ['is paused', { state: 'paused' }, 2],
    ['fails', { attempts: 3 }, 2],
    ['waits for its next batch', {}, 0],
  ])('pass events that are gone while a destination %s, to position %#', async (_, change, position) => {
    const shared = sharing([null, null, 'SELECT 1'], change);
    shared.dueMs = nowMs + 1_000;
    await round(instance(shared));
    expect(shared.row.position).toBe(position);
    expect(shared.changes.map(({ removed }) => removed)).toEqual(position === 0 ? [] : [2]);
  });

  it('take no entry of the service, which is no event, for one that is gone', async () => {
    const shared = sharing(['SELECT 1', null, null], { state: 'paused', position: 1 });
    shared.others.push(1);
    await round(instance(shared));
    expect(shared.row.position).toBe(3);
    expect(shared.changes.map(({ removed }) => removed)).toEqual([1]);
  });

  it('pass them also after a clock was set back', async () => {
    const shared = sharing([null, 'SELECT 1'], { state: 'paused', position: 1 });
    const one = instance(shared);
    await round(one);
    shared.row = { ...shared.row, position: 0 };
    nowMs -= 3_600_000;
    await round(one);
    expect(shared.row.position).toBe(1);
  });

  it('seal secrets anew with the first key, and leave those alone that another instance has sealed', async () => {
    const shared = sharing([], { open: { query: '?a=b' } });
    const newer = { id: '99999999', bytes: randomBytes(32) };
    const stranger = instance(shared, { box: new SecretBox([newer]) });
    const before = shared.row.secrets;
    await round(stranger);
    expect([stranger.hasKeys, shared.row.secrets]).toEqual([false, before]);
    const box = new SecretBox([newer, shared.key]);
    const both = instance(shared, { box });
    await round(both);
    expect([both.hasKeys, box.isOld(shared.row.secrets)]).toEqual([true, false]);
    expect(box.open(shared.row.secrets, ownerOfSecrets(shared.row))).toBe('{"query":"?a=b"}');
  });

  it('seal secrets anew, and say so, although the next event of a destination cannot be read', async () => {
    const shared = sharing(['SELECT 1'], { state: 'paused' });
    const { destinationId } = shared.row;
    Object.assign(shared.feed, { read: () => Promise.reject(new Error('the file of the week is away')) });
    const newer = new SecretBox([{ id: '99999999', bytes: randomBytes(32) }, shared.key]);
    const told: object[] = [];
    await round(instance(shared, { box: newer, told }));
    expect(newer.isOld(shared.row.secrets)).toBe(false);
    expect(told).toContainEqual(
      expect.objectContaining({ destinationId, msg: expect.stringContaining('could not be read') }),
    );
  });

  it('name once, in the log, a destination whose secrets this instance cannot open', async () => {
    const shared = sharing(['SELECT 1']);
    const told: { level?: number; msg?: string }[] = [];
    const stranger = instance(shared, {
      box: new SecretBox([{ id: '99999999', bytes: randomBytes(32) }]),
      told,
    });
    await round(stranger);
    await round(stranger);
    expect(told).toEqual([
      expect.objectContaining({
        level: 50,
        destinationIds: [shared.row.destinationId],
        msg: expect.stringContaining('SECRETS_KEY_FILE'),
      }),
    ]);
    await round(instance(shared));
    expect(receiver.requests).toHaveLength(1);
  });

  it('delete a destination that an operator has removed', async () => {
    const shared = sharing(['SELECT 1'], { state: 'removed' });
    const one = instance(shared);
    await round(one);
    expect([shared.isDeleted, one.listed, receiver.requests]).toEqual([true, [], []]);
  });

  it('keep the connection of a destination until it is removed, and none of a receiver that is only tried', async () => {
    const shared = sharing(['SELECT 1']);
    const one = instance(shared);
    const tried = { ...shared.row, secrets: {} };
    const closed = () =>
      until(
        () => receiver.connections,
        (n) => n === 0,
        IDLE_MS,
      );
    const item = testItem(7, 'native', new Date(nowMs));
    expect(await one.tryOut(tried, 7, 'test_1', item)).toEqual({ kind: 'accepted' });
    await closed();
    await round(one);
    expect([receiver.requests.length, receiver.connections]).toEqual([2, 1]);
    shared.row = { ...shared.row, state: 'removed' };
    await round(one);
    await closed();
  });

  it('leave a destination alone for a while when the database does not store the outcome', async () => {
    const shared = sharing(['SELECT 1']);
    shared.isFull = true;
    const one = instance(shared);
    const times: number[] = [];
    for (let second = 0; second < 120; second++) {
      const before = receiver.requests.length;
      await round(one);
      if (receiver.requests.length > before) times.push(second);
      nowMs += 1_000;
    }
    const waits = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    expect(waits.slice(0, 4)).toEqual([expect.any(Number), ...[4, 8, 16].map(() => expect.any(Number))]);
    for (const [i, least] of [1, 2, 4, 8].entries()) expect(waits[i]).toBeGreaterThanOrEqual(least);
    expect(Math.max(...waits)).toBeLessThanOrEqual(LIMITS.destinationStandBackMsMax / 1_000);
    // The database, and not a network, is the reason.
    expect(one.mayReachAll).toBe(true);
    shared.isFull = false;
    nowMs += LIMITS.destinationStandBackMsMax;
    await round(one);
    expect(shared.row).toMatchObject({ delivered: 1, position: 1 });
  });

  it('may reach a receiver that moved to an allowed network, although the database does not store the outcome', async () => {
    const shared = sharing(['SELECT 1'], { settings: { url: 'http://192.0.2.1:1', encoding: 'json' } });
    const one = instance(shared);
    await round(one);
    expect(one.mayReachAll).toBe(false);
    shared.row = { ...shared.row, settings: { url: receiver.url, encoding: 'json' } };
    shared.isFull = true;
    nowMs += LIMITS.destinationStandBackMsMax;
    await round(one);
    expect([receiver.requests.length, one.mayReachAll]).toEqual([1, true]);
  });

  it('end when the database is restored meanwhile, because positions mean other events then', async () => {
    const shared = sharing(
      Array.from({ length: LIMITS.destinationBatchEvents * 3 }, (_, i) => `SELECT ${i}`),
    );
    const epoch = { state: TEST_EPOCH };
    receiver.answers = () => {
      epoch.state = { ...TEST_EPOCH, epoch: '0000000000000001' };
      return {};
    };
    await round(instance(shared, { epoch }));
    expect([receiver.requests.length, shared.row.position]).toEqual([1, LIMITS.destinationBatchEvents]);
  });

  const threeBatches = (statement: string) =>
    sharing(Array.from({ length: LIMITS.destinationBatchEvents * 3 }, () => statement));

  it('send without literals what leaves after their tenant began to mask its statements', async () => {
    const shared = threeBatches("SELECT 'secret'");
    const masked: number[] = [];
    receiver.answers = () => {
      masked.push(7);
      return {};
    };
    const one = instance(shared, { masked });
    await round(one);
    shared.dueMs = 0;
    await round(one);
    expect(receiver.requests.map(({ body }) => body.includes('secret'))).toEqual([true, false, false]);
    expect(shared.row.delivered).toBe(LIMITS.destinationBatchEvents * 3);
  });

  it('end once their tenant is disabled, and go on where they stood when it is enabled', async () => {
    const shared = threeBatches('SELECT 1');
    const disabled: number[] = [];
    receiver.answers = () => {
      if (receiver.requests.length === 1) disabled.push(7);
      return {};
    };
    const one = instance(shared, { disabled });
    await round(one);
    expect([receiver.requests.length, shared.row.position]).toEqual([1, LIMITS.destinationBatchEvents]);
    disabled.pop();
    await round(one);
    expect([receiver.requests.length, shared.row.delivered]).toEqual([3, LIMITS.destinationBatchEvents * 3]);
  });

  it('leave a request under way as it is when their tenant is disabled', async () => {
    const shared = sharing(['SELECT 1']);
    const one = instance(shared);
    receiver.answers = async () => {
      // A disabled tenant has no destination in the list.
      const { list } = shared.store;
      shared.store.list = async () => [];
      await one.round();
      shared.store.list = list;
      return {};
    };
    await round(one);
    expect(shared.row).toMatchObject({ delivered: 1, failures: 0 });
    expect(shared.changes.map(({ failures }) => failures ?? 0)).toEqual(shared.changes.map(() => 0));
  });

  it('send with the new secrets when these have changed', async () => {
    const shared = sharing(['SELECT 1'], { open: { headers: { 'X-A': 'old' } } });
    const one = instance(shared);
    await round(one);
    const secrets = shared.box.seal('{"headers":{"X-A":"new"}}', ownerOfSecrets(shared.row));
    shared.statements.push('SELECT 2');
    shared.row = { ...shared.row, secrets, logSize: 2 };
    shared.dueMs = 0;
    await round(one);
    expect(receiver.requests.map(({ headers }) => headers['x-a'])).toEqual(['old', 'new']);
  });
});
