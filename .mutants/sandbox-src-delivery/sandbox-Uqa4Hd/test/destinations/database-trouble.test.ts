import { Client } from 'pg';
import { describeOnPostgres } from '../support/engines';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { createDestination, LOCAL, untilShown } from './support/destinations';
import { itemsOf, Receiver } from './support/receiver';

const SOON_MS = 60_000;

describeOnPostgres('a database that cannot store the progress of destinations', () => {
  const use = useWorld('postgresql', LOCAL);
  let receiver: Receiver;
  let client: Client;
  beforeAll(async () => {
    receiver = await Receiver.open();
    client = new Client({
      connectionString: use.world.database.migrationDatabaseUrl ?? use.world.database.databaseUrl ?? '',
    });
    await client.connect();
    await client.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`);
  });
  afterAll(() => receiver.close());

  it('makes the service repeat the same batch after longer and longer waits, until the progress can be stored', async () => {
    await client.query(`CREATE TRIGGER full_disk BEFORE UPDATE ON destination FOR EACH ROW
      WHEN (NEW.position <> OLD.position) EXECUTE FUNCTION full_disk()`);
    const times: number[] = [];
    receiver.answers = () => {
      times.push(performance.now());
      return {};
    };
    const tenant = await use.world.tenant();
    await tenant.audited({ statement: 'SELECT 1' });
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      url: receiver.url,
    });
    await until(
      () => times.length,
      (count) => count >= 3,
      SOON_MS,
    );
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(1_000);
    expect(third - second).toBeGreaterThanOrEqual(2_000);
    await client.query('DROP TRIGGER full_disk ON destination');
    await client.end();
    await tenant.audited({ statement: 'SELECT 2' });
    await untilShown(use.world, destinationId, (one) => one.lagEvents === 0 && one.delivered === 2);
    const ids = new Map<string, Set<unknown>>();
    for (const request of receiver.requests)
      for (const { statement } of itemsOf(request))
        ids.set(statement, (ids.get(statement) ?? new Set()).add(request.headers['webhook-id']));
    expect([...ids.values()].map(({ size }) => size)).toEqual([1, 1]);
  });
});
