import { NO_MASKS } from '../support/fakes/key-store';
import 'reflect-metadata';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { PostgresTenantStore } from '../../src/caller/tenant.store';
import type { Config } from '../../src/config';
import type { Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { SYSLOG_SEVERITY } from '../../src/delivery/syslog-message';
import { openDestinations } from '../../src/modules/destinations/module';
import { GoneSeal } from '../../src/store/log/arrivals/gone-seal';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { describeOnPostgres } from '../support/engines';
import { testEpoch } from '../support/epoch';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { World } from '../support/world';
import { change, createDestination, LOCAL, untilShown } from './support/destinations';
import { itemsOf, Receiver } from './support/receiver';

/** The module of a second instance on the database of a world. */
const moduleOn = (
  { service, owner }: Database,
  world: World,
  allow: Pick<Config, 'destinationAllowNetworks'>,
) =>
  openDestinations({
    config: { dataDir: world.database.dataDir, secretsKeyFile: null, ...allow },
    service,
    owner,
    epoch: testEpoch(),
    nowMs: Date.now,
    tenants: new PostgresTenantStore(service),
    maskedTenants: NO_MASKS,
    disabledTenants: NO_MASKS,
    log: pino({ level: 'silent' }),
    goneSeal: new GoneSeal([TEST_CHECKPOINT_KEY]),
  });

describeOnPostgres('a second instance on the database', () => {
  const use = useWorld('postgresql', LOCAL);

  it('that may not connect to a receiver leaves its events to the first one, and is Degraded', async () => {
    const { world } = use;
    const receiver = await Receiver.open();
    const tenant = await world.tenant();
    const { destinationId } = await createDestination(world, {
      tenantId: tenant.tenantId,
      url: receiver.url,
    });
    const database = await openDatabase(world.database);
    const strict = await moduleOn(database, world, { destinationAllowNetworks: [] });
    let sent = 0;
    // Which instance takes an event is chance, so more events follow until the strict one took one.
    const isRefused = async () => {
      await tenant.audited();
      sent += 1;
      await strict.tasks?.[0]?.run();
      return strict.health?.some(({ healthy }) => !healthy);
    };
    await until(isRefused, (is) => is === true);
    await strict.stop?.();
    await database.close();
    const one = await untilShown(world, destinationId, ({ delivered }) => delivered === sent);
    expect(one).toMatchObject({ state: 'active', attempts: 0, failures: 1 });
    expect(receiver.requests.flatMap(itemsOf)).toHaveLength(sent);
    await receiver.close();
  });
});

describeOnPostgres('a message that is not an event', () => {
  const use = useWorld('postgresql', LOCAL);

  it("goes to a destination of its own tenant, signed and under its own id, and to no other tenant's destination", async () => {
    const { world } = use;
    const receiver = await Receiver.open();
    const [own, other] = [await world.tenant(), await world.tenant()];
    const made = await createDestination(world, { tenantId: own.tenantId, url: receiver.url, from: 'now' });
    await change(world, 'pauseDestination', made.destinationId);
    const database = await openDatabase(world.database);
    const { sendMessage } = await moduleOn(database, world, LOCAL);
    const message = {
      id: 'alert_1',
      at: new Date(),
      severity: SYSLOG_SEVERITY.error,
      content: { alert: 'somebody dropped a table' },
    };
    const send = (tenantId: string) => sendMessage(Number(tenantId), made.destinationId, message);
    expect(await send(other.tenantId)).toBeNull();
    expect(receiver.requests).toEqual([]);
    expect(await send(own.tenantId)).toEqual({ kind: 'accepted' });
    const [request] = receiver.requests;
    expect(request?.headers['webhook-id']).toBe('alert_1');
    const headers = request?.headers as Record<string, string>;
    expect(new Webhook(made.secret ?? '').verify(String(request?.body), headers)).toEqual([message.content]);
    receiver.answers = () => ({ status: 503 });
    expect(await send(own.tenantId)).toMatchObject({ kind: 'failed', message: 'HTTP 503' });
    await database.close();
    await receiver.close();
  });
});
