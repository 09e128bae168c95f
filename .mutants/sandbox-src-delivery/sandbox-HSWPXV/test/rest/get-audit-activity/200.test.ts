import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import { newestRecord } from '../support/operations';

const DETAIL_FIELDS = [
  'recordId',
  'tenantId',
  'eventTime',
  'actionId',
  'succeeded',
  'serverInstanceName',
  'databaseName',
  'schemaName',
  'objectName',
  'serverPrincipalName',
  'databasePrincipalName',
  'applicationName',
  'hostName',
  'clientIp',
  'statement',
];
const NULLABLE = DETAIL_FIELDS.slice(5);

describe.each(ENGINES)('GET /audit-activity/{recordId} on %s', (engine) => {
  const at = useWorld(engine);

  it("gives exactly the specification's fields, in its order: the statement, no preview, no source type", async () => {
    const acme = await at.world.tenant();
    await acme.audited();
    const { status, headers, body } = await acme.get(`/audit-activity/${await newestRecord(acme)}`);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^application\/json\b/);
    expect(Object.keys(body)).toEqual(['data', 'meta']);
    expect(Object.keys(body.data)).toEqual(DETAIL_FIELDS);
    expect(Object.keys(body.meta)).toEqual(['timestamp', 'apiVersion']);
  });

  it('gives the values that the agent sent, with the whole statement', async () => {
    const acme = await at.world.tenant();
    const sent = await acme.audited({ statement: 'SELECT 1; '.repeat(1_000), succeeded: false });
    const { file, fileGuid, blockOffset, index, parts, additional, sourceType, ...fields } = sent;
    const recordId = await newestRecord(acme);
    const { data } = (await acme.get(`/audit-activity/${recordId}`)).body;
    expect(data).toEqual({ ...fields, recordId, tenantId: acme.tenantId });
  });

  it('gives the same values as the list, except for the statement', async () => {
    const acme = await at.world.tenant();
    await acme.audited();
    const [item] = (await acme.get('/audit-activity')).body.data;
    const { data } = (await acme.get(`/audit-activity/${item.recordId}`)).body;
    const { statementPreview, sourceType, ...common } = item;
    expect(data).toEqual({ ...common, statement: statementPreview });
  });

  it('gives null for values that the event lacks', async () => {
    const acme = await at.world.tenant();
    await acme.audited(Object.fromEntries(NULLABLE.map((name) => [name, null])));
    const { data } = (await acme.get(`/audit-activity/${await newestRecord(acme)}`)).body;
    expect(Object.keys(data)).toEqual(DETAIL_FIELDS);
    for (const name of NULLABLE) expect(data[name]).toBeNull();
  });

  it('accepts a record id in any letter case, and returns it as the list does', async () => {
    const acme = await at.world.tenant();
    await acme.audited();
    const recordId = await newestRecord(acme);
    const { data } = (await acme.get(`/audit-activity/${recordId.toUpperCase()}`)).body;
    expect(data.recordId).toBe(recordId);
  });

  it('finds the events of every tenant of the key', async () => {
    const [one, two] = [await at.world.tenant(), await at.world.tenant()];
    const { key } = await at.world.key({ tenantIds: [one.tenantId, two.tenantId] });
    for (const tenant of [one, two]) {
      await tenant.audited();
      const { data } = (await at.world.get(`/audit-activity/${await newestRecord(tenant)}`, key)).body;
      expect(data.tenantId).toBe(tenant.tenantId);
    }
  });

  it.each(['1990-01-01T00:00:00.0000000Z', '2026-11-19T23:59:56.8651234Z'])(
    'keeps all seven decimals of %s',
    async (eventTime) => {
      const acme = await at.world.tenant();
      await acme.audited({ eventTime });
      const { data } = (await acme.get(`/audit-activity/${await newestRecord(acme)}`)).body;
      expect(data.eventTime).toBe(eventTime);
    },
  );
});
