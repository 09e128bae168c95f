import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDatabase } from '../../src/database/database';
import { runCli } from '../support/cli';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const EVENTS = 5;

describeOnPostgres('verify, with an export that is not whole', () => {
  const at = useWorld('postgresql');
  let [tenant, other]: TestTenant[] = [];
  let key: string;
  let server: Server;
  /** Changes an export on its way from the service to the verifier. */
  let alter: (text: string) => string;
  beforeAll(async () => {
    [tenant, other] = [await at.world.tenant(), await at.world.tenant()];
    key = (await at.world.key({ tenantIds: [tenant.tenantId, other.tenantId] })).key;
    for (const each of [tenant, other]) await each.ingest(Array.from({ length: EVENTS }, () => anEvent()));
    await until(
      async () => (await tenant?.get('/audit-log'))?.body.data,
      ({ checkpoint }) => checkpoint !== null,
    );
    server = createServer(async (request, response) => {
      const answer = await at.world.fetch(request.url ?? '', { headers: { 'X-Api-Key': key } });
      const count = answer.headers.get('X-Total-Count');
      response.writeHead(answer.status, count === null ? {} : { 'X-Total-Count': count });
      response.end(count === null ? answer.text : alter(answer.text));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => void server.close());

  const verify = () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = ['verify', '--service', url, '--tenant', tenant?.tenantId ?? '', '--wait', '0'];
    return runCli(args, { AUDIT_ACTIVITY_API_KEY: key });
  };

  it('finds nothing wrong with a whole export', async () => {
    alter = (text) => text;
    expect((await verify()).error).toBeNull();
  });

  it('reports a cut export when its last line is missing', async () => {
    alter = (text) => text.slice(0, text.lastIndexOf('{"end"'));
    expect(await verify()).toMatchObject({ error: expect.stringContaining('was cut') });
  });

  it("reports an export with fewer events than the service counted, even if the missing one is another tenant's", async () => {
    alter = (text) => text;
    const database = await openDatabase(at.world.database);
    await database.migrator.models.$executeRawUnsafe(
      'DELETE FROM audit_event WHERE record_id = (SELECT record_id FROM audit_event WHERE tenant_id = $1 LIMIT 1)',
      Number(other?.tenantId),
    );
    await database.close();
    expect(await verify()).toMatchObject({
      error: expect.stringContaining(`has ${2 * EVENTS - 1} of the ${2 * EVENTS} events`),
    });
  });
});
