import { randomUUID } from 'node:crypto';
import { DeliveryStore } from '../../src/modules/destinations/delivery-store';
import { DestinationStore } from '../../src/modules/destinations/destination.store';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

describe('what operators change of a stored destination', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  /** A destination that an instance serves, whose last attempts failed. */
  async function served() {
    const { tenantId, database } = await store.forNewTenant();
    const destinations = new DestinationStore(database.service);
    const key = { tenantId, destinationId: randomUUID() };
    const spec = {
      name: 'siem',
      type: 'webhook',
      filter: '',
      format: 'native',
      settings: { url: 'https://a' },
    };
    const row = { ...key, ...spec, secrets: Buffer.from('sealed'), position: 5, goEpoch: 'e' } as never;
    expect(await destinations.insert(row, 1, AN_ATTEMPT)).toBe(true);
    const { models } = database.owner;
    const leaseId = randomUUID();
    const before = {
      ...{
        leaseId,
        leaseUntil: new Date(Date.now() + 60_000),
        attempts: 3,
        batches: [5n, 9n],
        batchLimit: 2,
      },
      nextAttemptAt: new Date('2199-01-01T00:00:00Z'),
      positionSetAt: new Date('2026-01-05T08:00:00Z'),
    };
    await models.destination.updateMany({ where: key, data: before });
    const now = () => models.destination.findFirstOrThrow({ where: key });
    const found = await destinations.find(key.destinationId, tenantId);
    if (!found) throw new Error('it is not there');
    return { destinations, key, now, found, before, owner: database.owner };
  }
  const ANEW = { generation: 1, batches: [], batchLimit: null, attempts: 0, nextAttemptAt: null };
  const FREE = { leaseId: null, leaseUntil: null };

  it.each([
    ['filter', { filter: 'actionId:SL' }],
    ['format', { format: 'ecs' as const }],
    ['settings', { settings: { url: 'https://b' } }],
    ['secrets', { secrets: Buffer.from('others') }],
  ])('its %s: what is in work is not sent under ids of before, and its position stays', async (_, change) => {
    const { destinations, now, found } = await served();
    expect(await destinations.update(found, { ...found, ...change }, AN_ATTEMPT)).toBe(true);
    expect(await now()).toMatchObject({ ...ANEW, ...FREE, position: 5n });
  });

  it.each([
    ['name', { name: 'other' }],
    ['filter', { filter: 'actionId:SL' }],
    ['format', { format: 'ecs' as const }],
    ['settings', { settings: { url: 'https://b' } }],
    ['secrets', { secrets: Buffer.from('others') }],
  ])('is not changed where somebody has changed its %s since it was read', async (_, change) => {
    const { destinations, now, found } = await served();
    await destinations.update(found, { ...found, ...change }, AN_ATTEMPT);
    const between = await now();
    expect(await destinations.update(found, { ...found, name: 'soc' }, AN_ATTEMPT)).toBe(false);
    expect(await now()).toEqual(between);
  });

  it('keeps secrets that somebody has stored since it was read', async () => {
    const { destinations, now, found } = await served();
    expect(await destinations.putSecrets(found, Buffer.from('first'), AN_ATTEMPT)).toBe(true);
    expect(await destinations.putSecrets(found, Buffer.from('second'), AN_ATTEMPT)).toBe(false);
    expect(Buffer.from((await now()).secrets).toString()).toBe('first');
  });

  it('is tried at once with other secrets: its failures may have been of those before', async () => {
    const { destinations, now, found } = await served();
    expect(await destinations.putSecrets(found, Buffer.from('anew'), AN_ATTEMPT)).toBe(true);
    expect(await now()).toMatchObject({ nextAttemptAt: null, batches: [5n, 9n], generation: 0 });
  });

  it('is served while it is active; a paused one only for what concerns any state', async () => {
    const { destinations, key, now, owner } = await served();
    await owner.models.destination.updateMany({ where: key, data: { leaseId: null, leaseUntil: null } });
    const deliveries = new DeliveryStore(owner);
    await destinations.pause(key, AN_ATTEMPT);
    expect(await deliveries.take(key)).toBeNull();
    expect((await now()).leaseId).toBeNull();
    const taken = await deliveries.take(key, 'any');
    expect(taken?.destination.state).toBe('paused');
    await taken?.lease.release();
    await destinations.resume(key, 'e', AN_ATTEMPT);
    expect((await deliveries.take(key))?.destination.state).toBe('active');
  });

  it('its secrets are sealed again only where nobody has changed them since they were read', async () => {
    const { key, now, owner } = await served();
    const deliveries = new DeliveryStore(owner);
    for (const [read, left] of [
      ['of before', 'sealed'],
      ['sealed', 'anew'],
    ] as const) {
      await deliveries.putSecrets(key, Buffer.from(read), Buffer.from('anew'));
      expect(Buffer.from((await now()).secrets).toString()).toBe(left);
    }
  });

  it('its smaller messages stay until they may be as large as before', async () => {
    const { key, now, owner } = await served();
    await owner.models.destination.updateMany({ where: key, data: FREE });
    const taken = await new DeliveryStore(owner).take(key);
    for (const [change, batchLimit] of [
      [{ batchLimit: 7 }, 7],
      [{ attempts: 0 }, 7],
      [{ batchLimit: null }, null],
    ] as const) {
      await taken?.lease.save(change);
      expect((await now()).batchLimit).toBe(batchLimit);
    }
  });

  it('its events that were set aside before a replay count once, and none without the lease', async () => {
    const { destinations, key, now, owner } = await served();
    await owner.models.destination.updateMany({ where: key, data: FREE });
    const one = { position: 3, recordId: randomUUID(), message: 'HTTP 400' };
    const other = { ...one, position: 4 };
    const held = await new DeliveryStore(owner).take(key);
    await held?.lease.save({ setAside: [one] });
    expect(await held?.lease.save({ setAside: [one, other] })).toMatchObject({ setAside: 2 });
    expect((await now()).setAside).toBe(2);
    await destinations.replay(key, 0, AN_ATTEMPT);
    expect(await held?.lease.save({ setAside: [{ ...one, position: 5 }] })).toBeNull();
    const rows = await destinations.setAside(key, 10);
    expect(rows.map(({ position }) => position)).toEqual([4, 3]);
  });

  it('its name alone changes nothing of what is in work', async () => {
    const { destinations, now, found, before } = await served();
    expect(await destinations.update(found, { ...found, name: 'soc' }, AN_ATTEMPT)).toBe(true);
    expect(await now()).toMatchObject({ ...before, name: 'soc', generation: 0 });
  });

  it('once it is resumed, it does not count as failing, and is tried now', async () => {
    const { destinations, key, now } = await served();
    await destinations.pause(key, AN_ATTEMPT);
    expect((await now()).state).toBe('paused');
    await destinations.resume(key, 'another', AN_ATTEMPT);
    const resumed = { state: 'active', attempts: 0, nextAttemptAt: null, goEpoch: 'another', generation: 0 };
    expect(await now()).toMatchObject({ ...resumed, batches: [5n, 9n] });
  });

  it('its position: what retention removed before is not behind it', async () => {
    const { destinations, key, now, before } = await served();
    await destinations.replay(key, 0, AN_ATTEMPT);
    expect(await now()).toMatchObject({ ...ANEW, ...FREE, position: 0n });
    expect((await now()).positionSetAt.getTime()).toBeGreaterThan(before.positionSetAt.getTime());
  });

  it('a removed one has no sender any more, and is not found', async () => {
    const { destinations, key, now, found } = await served();
    await destinations.remove(key, AN_ATTEMPT);
    expect(await now()).toMatchObject({ state: 'removed', ...FREE });
    expect(await destinations.find(key.destinationId)).toBeNull();
    expect(await destinations.pause(key, AN_ATTEMPT)).toBe(false);
    expect(await destinations.update(found, { ...found, name: 'soc' }, AN_ATTEMPT)).toBe(false);
  });
});
