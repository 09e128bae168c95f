import { NetworkGuard } from '../../../src/delivery/network-guard';
import { type Destination, ownerOfSecrets } from '../../../src/modules/destinations/destination';
import type { DestinationStore } from '../../../src/modules/destinations/destination.store';
import { DestinationManager } from '../../../src/modules/destinations/manage-destinations';
import type { StoredSecrets } from '../../../src/modules/destinations/types';
import { AN_ATTEMPT } from '../../support/attempt';
import { testEpoch } from '../../support/epoch';
import { SharedDestination } from './support/shared-destination';

const BEGIN_MS = Date.parse('2026-01-05T08:00:00Z');
const MINUTE_MS = 60_000;
const unused = () => Promise.reject(new Error('not expected to be called'));

describe('secrets of a webhook that are rotated again and again', () => {
  let nowMs: number;
  let shared: SharedDestination;
  let manager: DestinationManager;
  beforeEach(() => {
    nowMs = BEGIN_MS;
    const open = { signing: [{ secret: 'whsec_first' }], query: '?a=1', headers: { 'X-A': 'b' } };
    shared = new SharedDestination([], { settings: { signature: 'v1' }, open });
    const store = {
      find: async () => shared.row,
      putSecrets: async (_key: Destination, sealed: Buffer) => {
        shared.row = { ...shared.row, secrets: sealed };
        return true;
      },
    } as unknown as DestinationStore;
    manager = new DestinationManager({
      ...{ store, box: shared.box, guard: new NetworkGuard([]), epoch: testEpoch(), nowMs: () => nowMs },
      ...{ tenants: { existing: unused }, feed: { sizes: unused, positionAt: unused } },
      deliveries: { sendOne: unused },
    });
  });

  const stored = () =>
    JSON.parse(shared.box.open(shared.row.secrets, ownerOfSecrets(shared.row))) as StoredSecrets;
  /** Minutes until each secret ends, newest first. */
  const ends = () =>
    (stored().signing ?? []).map(({ until }) => until && (Date.parse(until) - BEGIN_MS) / MINUTE_MS);
  const rotate = (minute: number, overlapMinutes: number) => {
    nowMs = BEGIN_MS + minute * MINUTE_MS;
    return manager.rotateSecret(shared.row.destinationId, { overlapMinutes, secrets: null }, AN_ATTEMPT);
  };

  it('end when their own overlap ends: a later rotation makes none live longer', async () => {
    const { overlapEndsAt } = await rotate(0, 10);
    expect(overlapEndsAt).toEqual(new Date(BEGIN_MS + 10 * MINUTE_MS));
    expect(ends()).toEqual([undefined, 10]);
    await rotate(5, 60);
    expect(ends()).toEqual([undefined, 65, 10]);
  });

  it('end earlier if a later rotation has a shorter overlap, and at once without one', async () => {
    await rotate(0, 60);
    await rotate(5, 10);
    expect(ends()).toEqual([undefined, 15, 15]);
    await rotate(6, 0);
    expect(ends()).toEqual([undefined, 6, 6]);
  });

  it('are dropped when they have ended, and never more than three', async () => {
    await rotate(0, 10);
    await rotate(10, 30);
    expect(ends()).toEqual([undefined, 40]);
    await rotate(11, 30);
    await rotate(12, 30);
    expect(ends()).toEqual([undefined, 42, 41]);
    expect(stored()).toMatchObject({ query: '?a=1', headers: { 'X-A': 'b' } });
  });

  it('are new ones each time, and are shown once', async () => {
    const shownSecrets = [await rotate(0, 5), await rotate(1, 5)].map(({ secret }) => secret);
    const [, second] = stored().signing ?? [];
    expect(new Set([...shownSecrets, 'whsec_first']).size).toBe(3);
    expect([stored().signing?.[0]?.secret, second?.secret]).toEqual([...shownSecrets].reverse());
  });
});
