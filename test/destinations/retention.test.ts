import { pino } from 'pino';
import { openDatabase } from '../../src/database/database';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../src/modules/tenants/retention/retention.store';
import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { change, createDestination, LOCAL, untilShown } from './support/destinations';
import { itemsOf, Receiver } from './support/receiver';

const OLD = '2001-03-04T05:06:07.0000000Z';
const NEW = new Date().toISOString().replace('Z', '0000Z');

/** Needs an engine with several connections: retention and the service each use their own. */
const ENGINE = ENGINES.find((engine) => engine !== 'embedded');

(ENGINE ? describe : describe.skip)('retention', () => {
  const use = useWorld(ENGINE ?? 'postgresql', LOCAL);
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.open();
  });
  afterAll(() => receiver.close());

  /** Removes the events that the tenant's retention no longer keeps. */
  async function remove(tenantId: string): Promise<void> {
    await use.world.operate(
      `mutation { setTenantRetention(tenantId: "${tenantId}", days: 30) { tenantId } }`,
    );
    const database = await openDatabase(use.world.database);
    const { service, migrator } = database;
    const log = pino({ level: 'silent' });
    await applyRetention({ store: new PostgresRetentionStore(service, migrator), nowMs: Date.now, log });
    await database.close();
  }
  const untilLogged = async (tenantId: string, size: number) =>
    until(
      async () =>
        (await use.world.operate(`{ destinations(tenantId: "${tenantId}") { lagEvents } }`)).destinations,
      ([one]) => one.lagEvents === size,
    );

  it('removes events before a paused destination got them: they are counted and shown, and the others are delivered', async () => {
    const tenant = await use.world.tenant();
    const { tenantId } = tenant;
    const { destinationId } = await createDestination(use.world, { tenantId, url: receiver.url });
    await change(use.world, 'pauseDestination', destinationId);
    await tenant.ingest([
      ...[anEvent({ eventTime: OLD }), anEvent({ eventTime: NEW }), anEvent({ eventTime: OLD })],
      anEvent({ eventTime: NEW, statement: 'SELECT 4' }),
    ]);
    await untilLogged(tenantId, 4);
    await remove(tenantId);
    await change(use.world, 'resumeDestination', destinationId);
    const one = await untilShown(use.world, destinationId, ({ delivered }) => delivered === 2);
    expect(one).toMatchObject({ behindRetention: 2, lagEvents: 0 });
    const own = receiver.requests.flatMap(itemsOf).filter((item) => item.tenantId === tenantId);
    expect(own.map(({ position }) => position)).toEqual(['2', '3']);
    const health = async () => (await use.world.fetch('/health')).text;
    await until(health, (text) => text.includes('Degraded'));
  });

  it('removes events before a destination was made: that destination does not count them', async () => {
    const tenant = await use.world.tenant();
    const { tenantId } = tenant;
    await tenant.ingest([anEvent({ eventTime: OLD }), anEvent({ eventTime: NEW })]);
    const first = await createDestination(use.world, { tenantId, url: receiver.url });
    await untilShown(use.world, first.destinationId, ({ delivered }) => delivered === 2);
    await remove(tenantId);
    const { destinationId } = await createDestination(use.world, { tenantId, url: receiver.url });
    const one = await untilShown(use.world, destinationId, ({ delivered }) => delivered === 1);
    expect(one.behindRetention).toBe(0);
  });
});
