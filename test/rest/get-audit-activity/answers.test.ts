import { type Answer } from '../../support/answer';
import { ENGINES, ONE_ENGINE } from '../../support/engines';
import { useSharedWorld } from '../../support/use-world';
import { expectError, newestRecord, UNKNOWN_RECORD } from '../support/operations';

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
  const at = useSharedWorld(engine);

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

describe.each(ONE_ENGINE)('400 of GET /audit-activity/{recordId} on %s', (engine) => {
  const at = useSharedWorld(engine);

  it.each([
    ['a number', '1'],
    ['a word', 'Summary'],
    ['a UUID with a digit less', UNKNOWN_RECORD.slice(1)],
    ['a UUID with a digit more', `${UNKNOWN_RECORD}0`],
    ['a UUID without hyphens', UNKNOWN_RECORD.replaceAll('-', '')],
    ['a UUID in braces', `{${UNKNOWN_RECORD}}`],
    ['a UUID with a letter beyond f', UNKNOWN_RECORD.replace('019a', 'g19a')],
    ['a UUID and a space', `${UNKNOWN_RECORD}%20`],
    ['a UUID and a line end', `${UNKNOWN_RECORD}%0A`],
    ['a slash in disguise', `${UNKNOWN_RECORD}%2F`],
    ['U+0000', '%00'],
    ['a quotation mark', "'"],
  ])('a record id that is %s', async (_, recordId) => {
    const { key } = await at.world.tenant();
    const answer = await at.world.get(`/audit-activity/${recordId}`, key);
    expectError(answer, 400, 'invalid_parameter');
    expect(answer.body.error.message).toContain('recordId must be a UUID');
  });

  it('a path that cannot be decoded', async () => {
    const { key } = await at.world.tenant();
    expectError(await at.world.get('/audit-activity/%E0%A4%A', key), 400, 'invalid_parameter');
    expectError(await at.world.get('/audit-activity/%FF', key), 400, 'invalid_parameter');
  });

  it("any query parameter, also one with the name of the path's parameter", async () => {
    const acme = await at.world.tenant();
    for (const query of ['page=1', 'fields=statement', `recordId=${UNKNOWN_RECORD}`]) {
      const answer = await acme.get(`/audit-activity/${UNKNOWN_RECORD}`, query);
      expectError(answer, 400, 'invalid_parameter');
      expect(answer.body.error.message).toContain(query.split('=')[0]);
    }
  });

  it('names every problem', async () => {
    const acme = await at.world.tenant();
    const { message } = (await acme.get('/audit-activity/x', 'a=1&b=2')).body.error;
    for (const name of ['"a"', '"b"', 'recordId']) expect(message).toContain(name);
  });
});

/** The answer without the parts that must differ: request id, time, and the calls left. */
function comparable({ status, headers, text }: Answer): unknown {
  const fields = [...headers].filter(([name]) => !['x-request-id', 'date', 'ratelimit'].includes(name));
  return { status, headers: fields, text: text.replace(headers.get('X-Request-Id') ?? '', 'ID') };
}

describe.each(ENGINES)('404 of GET /audit-activity/{recordId} on %s', (engine) => {
  const at = useSharedWorld(engine);

  it('a record that does not exist', async () => {
    const acme = await at.world.tenant();
    expectError(await acme.get(`/audit-activity/${UNKNOWN_RECORD}`), 404, 'not_found');
  });

  it.each([
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    'c232ab00-9414-11ec-b3c8-9f6bdeced846',
  ])('a UUID that no record can have: %s', async (recordId) => {
    const acme = await at.world.tenant();
    expectError(await acme.get(`/audit-activity/${recordId}`), 404, 'not_found');
  });

  // A caller who could tell the two answers apart could find out what other tenants have.
  it("answers another tenant's record byte for byte like a record that does not exist", async () => {
    const [acme, other] = [await at.world.tenant(), await at.world.tenant('Other')];
    await other.audited();
    const recordId = await newestRecord(other);
    const hidden = await acme.get(`/audit-activity/${recordId}`);
    const unknown = await acme.get(`/audit-activity/${UNKNOWN_RECORD}`);
    expectError(hidden, 404, 'not_found');
    expect(comparable(hidden)).toEqual(comparable(unknown));
    expect(hidden.text).not.toContain(recordId);
    expect((await other.get(`/audit-activity/${recordId}`)).status).toBe(200);
  });
});
