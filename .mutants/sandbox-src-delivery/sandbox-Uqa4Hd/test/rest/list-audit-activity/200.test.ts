import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';

const ITEM_FIELDS = [
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
  'sourceType',
  'statementPreview',
];
const META_FIELDS = [
  'totalCount',
  'page',
  'pageSize',
  'totalPages',
  'hasPreviousPage',
  'hasNextPage',
  'timestamp',
  'apiVersion',
];
/** The fields that an event may lack. */
const NULLABLE = ITEM_FIELDS.slice(5);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(ENGINES)('GET /audit-activity on %s', (engine) => {
  const at = useWorld(engine);

  it("gives exactly the specification's fields, in its order", async () => {
    const acme = await at.world.tenant();
    await acme.audited();
    const { status, headers, body } = await acme.get('/audit-activity');
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^application\/json\b/);
    expect(Object.keys(body)).toEqual(['data', 'meta']);
    expect(Object.keys(body.data[0])).toEqual(ITEM_FIELDS);
    expect(Object.keys(body.meta)).toEqual(META_FIELDS);
  });

  it('gives the values that the agent sent', async () => {
    const acme = await at.world.tenant();
    const { statement, ...sent } = await acme.audited({ succeeded: false, actionId: 'DL' });
    const [item] = (await acme.get('/audit-activity')).body.data;
    const { file, fileGuid, blockOffset, index, parts, additional, ...fields } = sent;
    expect(item).toEqual({
      ...fields,
      recordId: expect.stringMatching(UUID),
      tenantId: acme.tenantId,
      statementPreview: statement,
    });
  });

  it('gives null for a value that an event lacks, and for an empty text', async () => {
    const acme = await at.world.tenant();
    const lacking = (value: string | null) =>
      Object.fromEntries(
        NULLABLE.map((name) => [name === 'statementPreview' ? 'statement' : name, value] as const),
      );
    await acme.audited(lacking(null));
    await acme.audited(lacking(''));
    const { data } = (await acme.get('/audit-activity')).body;
    expect(data).toHaveLength(2);
    for (const item of data) {
      expect(Object.keys(item)).toEqual(ITEM_FIELDS);
      for (const name of NULLABLE) expect(item[name]).toBeNull();
    }
  });

  it('keeps all seven decimals of a time', async () => {
    const acme = await at.world.tenant();
    const times = [
      '2026-03-04T23:59:56.8651234Z',
      '2026-03-04T23:59:56.0000001Z',
      '2026-03-04T00:00:00.0000000Z',
      '2025-12-31T23:59:59.9999999Z',
    ];
    await acme.ingest([]);
    for (const eventTime of times) await acme.audited({ eventTime });
    const { data } = (await acme.get('/audit-activity')).body;
    expect(data.map((item: { eventTime: string }) => item.eventTime)).toEqual(times);
  });

  it('states the time of the answer and the version of the API', async () => {
    const acme = await at.world.tenant();
    const before = Date.now();
    const { meta } = (await acme.get('/audit-activity')).body;
    expect(Date.parse(meta.timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(meta.timestamp)).toBeLessThanOrEqual(Date.now());
    expect(meta.apiVersion).toBe('1.0');
  });

  it('is not stored by caches', async () => {
    const acme = await at.world.tenant();
    const { headers } = await acme.get('/audit-activity');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.has('ETag')).toBe(false);
  });
});
