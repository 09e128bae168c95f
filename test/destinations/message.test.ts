import 'reflect-metadata';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { PostgresTenantStore } from '../../src/caller/tenant.store';
import { openDatabase } from '../../src/database/database';
import { SYSLOG_SEVERITY } from '../../src/delivery/syslog-message';
import { openDestinations } from '../../src/modules/destinations/module';
import { GoneSeal } from '../../src/trail/arrivals/gone-seal';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { describeOnPostgres } from '../support/engines';
import { testEpoch } from '../support/epoch';
import { useWorld } from '../support/use-world';
import { change, createDestination, LOCAL } from './support/destinations';
import { Receiver } from './support/receiver';

describeOnPostgres('a message that is not an event', () => {
  const use = useWorld('postgresql', LOCAL);

  it("goes to a destination of its own tenant, signed and under its own id, and to no other tenant's destination", async () => {
    const { world } = use;
    const receiver = await Receiver.open();
    const [own, other] = [await world.tenant(), await world.tenant()];
    const made = await createDestination(world, { tenantId: own.tenantId, url: receiver.url, from: 'now' });
    await change(world, 'pauseDestination', made.destinationId);
    const database = await openDatabase(world.database);
    const { sendMessage } = await openDestinations({
      config: { dataDir: world.database.dataDir, secretsKeyFile: null, ...LOCAL },
      ...{
        prisma: database.prisma,
        owner: database.background,
        askOwner: database.askOwner,
        epoch: testEpoch(),
        form: 'lateral',
        nowMs: Date.now,
      },
      ...{ tenants: new PostgresTenantStore(database.prisma), log: pino({ level: 'silent' }) },
      goneSeal: new GoneSeal([TEST_CHECKPOINT_KEY]),
    });
    const message = {
      ...{ id: 'alert_1', at: new Date(), severity: SYSLOG_SEVERITY.error },
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
