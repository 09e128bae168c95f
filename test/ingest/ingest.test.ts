import { brotliCompressSync, gzipSync } from 'node:zlib';
import { FIELD_NAMES } from '../../src/event/fields';
import { LIMITS } from '../../src/limits';
import { leafHashOf } from '../../src/store/log/evidence/entry';
import { ENGINES, ONE_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import { INGEST, type TestTenant } from '../support/world';

const codeOf = (body: { errors?: { extensions: { code: string } }[] }) => body.errors?.[0]?.extensions.code;

describe.each(ENGINES)('ingestAuditEvents on %s', (engine) => {
  const open = useWorld(engine);
  let acme: TestTenant;
  let other: TestTenant;
  beforeEach(async () => {
    acme = await open.world.tenant();
    other = await open.world.tenant('Other');
  });
  const totalOf = async (tenant: TestTenant) => (await tenant.get('/audit-activity')).body.meta.totalCount;
  const send = (tenant: TestTenant, batch: unknown) => open.world.graphql(tenant.agentKey, INGEST, { batch });
  const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    open.world.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': acme.agentKey, ...headers },
      body,
    });
  const request = (events: unknown[]) => JSON.stringify({ query: INGEST, variables: { batch: { events } } });

  it('stores events for the tenant of the key: that tenant reads them at once, and others do not', async () => {
    expect(await acme.ingest([anEvent(), anEvent()])).toEqual({ accepted: 2, duplicates: 0, rejected: [] });
    expect([await totalOf(acme), await totalOf(other)]).toEqual([2, 0]);
  });

  it('refuses a batch that names another tenant, and stores none of its events', async () => {
    for (const tenantId of [other.tenantId, '2000000', 'acme']) {
      const { body } = await send(acme, { tenantId, events: [anEvent()] });
      expect(codeOf(body)).toBe('forbidden');
    }
    expect([await totalOf(acme), await totalOf(other)]).toEqual([0, 0]);
  });

  it('accepts a batch that names the tenant of the key', async () => {
    expect(await acme.ingest([anEvent()], { tenantId: acme.tenantId })).toMatchObject({ accepted: 1 });
  });

  it('counts the events of a repeated batch as duplicates, and answers without an error', async () => {
    const events = [anEvent(), anEvent()];
    await acme.ingest(events);
    expect(await acme.ingest([...events, anEvent()])).toEqual({ accepted: 1, duplicates: 2, rejected: [] });
  });

  it('lists each bad event with its index and reasons, and stores the others', async () => {
    const { unknown, ...bad } = { ...anEvent(), unknown: 1, succeeded: 'yes', eventTime: '2026-01-05 08:00' };
    const { accepted, rejected } = await acme.ingest([
      anEvent(),
      { ...bad, userName: 'sa' },
      'text',
      anEvent({ eventTime: '1989-01-01' }),
      anEvent(),
    ]);
    expect(accepted).toBe(2);
    expect(rejected.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
      [1, 'invalid_event'],
      [2, 'invalid_event'],
      [3, 'invalid_event'],
    ]);
    for (const name of ['succeeded', 'eventTime', 'userName']) expect(rejected[0].message).toContain(name);
    expect(unknown).toBe(1);
  });

  it('accepts the largest batch, and refuses one with an event more as a whole', async () => {
    const events = Array.from({ length: LIMITS.ingestBatchEventsMax }, () => anEvent());
    expect(await acme.ingest(events)).toMatchObject({ accepted: events.length });
    const { body } = await send(other, { events: [...events, anEvent()] });
    expect(codeOf(body)).toBe('invalid_parameter');
    expect(body.errors[0].message).toContain(String(LIMITS.ingestBatchEventsMax));
    expect(await totalOf(other)).toBe(0);
  });

  it('accepts a gzip body', async () => {
    const { body } = await post(gzipSync(request([anEvent()])), { 'Content-Encoding': 'gzip' });
    expect(body.data.ingestAuditEvents).toMatchObject({ accepted: 1 });
  });

  it('accepts a body with a byte order mark, and text of any Unicode plane', async () => {
    const statement = "SELECT N'Größe 顧客 \u{1F600}'";
    const { body } = await post(`\uFEFF${request([anEvent({ actionId: 'BOM', statement })])}`);
    expect(body.data.ingestAuditEvents).toMatchObject({ accepted: 1 });
    const list = await acme.get('/audit-activity', { actionId: 'BOM' });
    expect(list.body.data[0].statementPreview).toBe(statement);
  });

  it('refuses a body that is too large with 413, also when it is too large only after decompression', async () => {
    const large = request([anEvent({ statement: 'x'.repeat(LIMITS.ingestBodyBytesMax) })]);
    const answers = [await post(large), await post(gzipSync(large), { 'Content-Encoding': 'gzip' })];
    for (const { status, body } of answers)
      expect([status, codeOf(body)]).toEqual([413, 'payload_too_large']);
    expect(await totalOf(acme)).toBe(0);
  });

  it('refuses a body of which a few bytes stand for megabytes, and takes one that real compression made', async () => {
    const events = (count: number) => request(Array.from({ length: count }, () => anEvent({ index: 3 })));
    const dense = brotliCompressSync(request([{ a: 'x'.repeat(7 * 1024 * 1024) }]));
    expect(dense.length).toBeLessThan(1_000);
    const refused = await post(dense, { 'Content-Encoding': 'br' });
    expect([refused.status, codeOf(refused.body)]).toEqual([413, 'payload_too_large']);
    expect(refused.body.errors[0].message).toContain(`${LIMITS.bodyRatioMax} times`);
    const { body } = await post(brotliCompressSync(events(1_500)), { 'Content-Encoding': 'br' });
    expect(body.data.ingestAuditEvents).toMatchObject({ accepted: 1_500 });
  });

  it.each<[string, string | Uint8Array, Record<string, string>]>([
    ['malformed JSON', '{"query": ', {}],
    ['nothing', '', {}],
    ['a JSON text', '"query"', {}],
    ['a JSON list', '[]', {}],
    ['no query', '{"variables":{}}', {}],
    ['gzip that is none', 'plain', { 'Content-Encoding': 'gzip' }],
    [
      'gzip cut short',
      gzipSync('{"query":"{ tenants { name } }"}').subarray(0, 20),
      { 'Content-Encoding': 'gzip' },
    ],
    ['an unknown encoding', '{}', { 'Content-Encoding': 'zpaq' }],
    ['an unknown charset', '{}', { 'Content-Type': 'application/json; charset=ebcdic' }],
    [
      'bytes that are no text',
      Buffer.concat([
        Buffer.from('{"query":"{ tenants { name } }","extensions":{"x":"'),
        Buffer.from([0xe9, 0x22, 0x7d, 0x7d]),
      ]),
      {},
    ],
    ['a body that is no JSON', 'query={tenants{name}}', { 'Content-Type': 'text/plain' }],
    ['a document of no language', '{"query":"SELECT 1"}', {}],
    ['a batch of a wrong type', JSON.stringify({ query: INGEST, variables: { batch: 'x' } }), {}],
    ['no batch', JSON.stringify({ query: INGEST }), {}],
  ])('refuses %s with a documented code and status 400', async (_, body, headers) => {
    const answer = await post(body, headers);
    expect([answer.status, codeOf(answer.body)]).toEqual([400, 'invalid_parameter']);
    expect(answer.text).not.toMatch(/node_modules|\.js:|\n {4}at /);
  });

  it('returns every character of an event, also those that PostgreSQL cannot store', async () => {
    const statement = 'a\0b\uD800c\u{10FFFF}d\u{10FFFE}e\u{10F800}\u{1F600}\\"\u2028';
    const sent = await acme.audited({ statement, databaseName: '\uDFFF\0', additional: { 'k\0': '\uD800' } });
    const list = await acme.get('/audit-activity', { actionId: sent.actionId });
    const [item] = list.body.data;
    expect(item).toMatchObject({ statementPreview: statement, databaseName: '\uDFFF\0' });
    const { body } = await open.world.graphql(
      acme.key,
      'query($r: String!) { auditEvent(recordId: $r) { statement additional } }',
      {
        r: item.recordId,
      },
    );
    expect(body.data.auditEvent).toMatchObject({ statement, additional: { 'k\0': '\uD800' } });
  });

  it("keeps unknown fields in `additional`, covers them by the log's hash, and ignores them in comparing records", async () => {
    const sent = {
      ...anEvent({ actionId: 'NEW' }),
      sessionId: 56,
      userName: 'J\0rg',
      roles: ['a', { b: 1 }],
    };
    expect(await acme.ingest([sent, sent])).toEqual({ accepted: 1, duplicates: 1, rejected: [] });
    // A release that sends fewer fields of the same record sends the same record.
    const { sessionId: _, userName: __, roles: ___, ...known } = sent;
    expect(await acme.ingest([sent, known])).toEqual({ accepted: 0, duplicates: 2, rejected: [] });

    const { recordId } = (await acme.get('/audit-activity', { actionId: 'NEW' })).body.data[0];
    const fields = [...FIELD_NAMES, 'additional'].join(' ');
    const query = `{ auditEvent(recordId: "${recordId}") { ${fields} proof { leafHash } } }`;
    const { proof, ...event } = await until(
      async () => (await open.world.graphql(acme.key, query)).body.data.auditEvent,
      ({ proof }) => proof !== null,
    );
    expect(event.additional).toEqual({
      sessionId: 55,
      'event.sessionId': 56,
      classType: 'U',
      userName: 'J\0rg',
      roles: '["a",{"b":1}]',
      file: sent.file,
      fileGuid: sent.fileGuid,
      blockOffset: sent.blockOffset,
      index: 0,
      parts: 1,
      entrySalt: expect.stringMatching(/^[\w-]{22}$/),
    });
    expect(Buffer.from(proof.leafHash, 'base64').toString('hex')).toBe(leafHashOf(event));
  });

  it('rejects an event with too many unknown fields, and stores the others', async () => {
    const unknown = Object.fromEntries(
      Array.from({ length: LIMITS.unknownFieldsMax + 1 }, (_, i) => [`new${i}`, i]),
    );
    const { accepted, rejected } = await acme.ingest([anEvent(), { ...anEvent(), ...unknown }, anEvent()]);
    expect([accepted, rejected]).toEqual([
      2,
      [
        {
          index: 1,
          code: 'invalid_event',
          message: expect.stringContaining('51 unknown fields, and may have at most 50'),
        },
      ],
    ]);
  });

  it('keeps every digit of a number in `additional`, as text if JSON would change the number', async () => {
    const { additional: _, ...event } = anEvent({ actionId: 'NUM' });
    const numbers = '{"a":1e400,"b":12345678901234567890,"c":-0,"d":1.50,"e":55,"f":"1e400"}';
    const json = `${JSON.stringify(event).slice(0, -1)},"additional":${numbers}}`;
    const { body } = await post(request([0]).replace('[0]', () => `[${json}]`));
    expect(body.data.ingestAuditEvents).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    const inDocument = `mutation { ingestAuditEvents(batch: { events: [{
      eventTime: "2026-01-05T08:00:00Z", actionId: "NUM", succeeded: true, serverInstanceName: "A", statement: "S",
      ${['databaseName', 'serverPrincipalName', 'sourceType'].map((name) => `${name}: "x"`).join()},
      file: "f", fileGuid: "${event.fileGuid}", blockOffset: 1, index: 0,
      additional: { a: 1e400, b: 12345678901234567890, c: -0, d: 1.50, e: 55, f: "1e400" } }] }) {
        accepted rejected { message } } }`;
    const literal = await open.world.graphql(acme.agentKey, inDocument);
    expect(literal.body.data.ingestAuditEvents).toEqual({ accepted: 1, rejected: [] });

    const list = await acme.get('/audit-activity', { actionId: 'NUM' });
    for (const { recordId } of list.body.data) {
      const found = await open.world.graphql(
        acme.key,
        'query($r: String!) { auditEvent(recordId: $r) { additional } }',
        { r: recordId },
      );
      expect(found.body.data.auditEvent.additional).toMatchObject({
        a: '1e400',
        b: '12345678901234567890',
        c: '-0',
        d: 1.5,
        e: 55,
        f: '1e400',
      });
    }
    expect(list.body.data).toHaveLength(2);
  });

  it('refuses a variable inside a batch that is written in the document, since its value would be lost', async () => {
    const { status, body } = await open.world.graphql(
      acme.agentKey,
      'mutation($x: String) { ingestAuditEvents(batch: { events: [{ additional: { x: $x } }] }) { accepted } }',
      { x: 'lost' },
    );
    expect([status, codeOf(body)]).toEqual([400, 'invalid_parameter']);
  });

  it('does not repeat long values of a caller in an error', async () => {
    const long = 'x'.repeat(1_000_000);
    for (const batch of [long, { [long]: 1, events: [] }, { events: long }]) {
      const { status, text } = await send(acme, batch);
      expect([status, text.length < 2_000]).toEqual([400, true]);
    }
  });

  it('refuses a document that asks for the reasons of rejected events many times', async () => {
    const times = Array.from({ length: 6 }, (_, i) => `m${i}: message`).join(' ');
    const { status, body } = await open.world.graphql(
      acme.agentKey,
      `mutation($batch: AuditEventBatch!) { ingestAuditEvents(batch: $batch) { rejected { ${times} } } }`,
      { batch: { events: [0] } },
    );
    expect([status, codeOf(body)]).toEqual([400, 'invalid_parameter']);
  });
});

describe.each(ONE_ENGINE)('batches of which most is rejected, on %s', (engine) => {
  useLimits({ refusedEventsPerSecond: 20_000, refusedFreeMs: 20, refusedDebtMsMax: 100 });
  const open = useWorld(engine);

  it('let the next batch of their key wait, which is taken, and no batch of another key', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant('Other')];
    const bad = Array(LIMITS.rejectedEventsMax).fill({ actionId: 'SL' });
    const batches = 12;
    const began = performance.now();
    for (let i = 0; i < batches; i++) expect((await acme.ingest(bad)).rejected).toHaveLength(bad.length);
    const owedMs = (batches * bad.length * 1_000) / LIMITS.refusedEventsPerSecond;
    expect(performance.now() - began).toBeGreaterThan(owedMs - LIMITS.refusedDebtMsMax);
    expect(await other.ingest([anEvent()])).toMatchObject({ accepted: 1 });
    expect(await acme.ingest([anEvent()])).toMatchObject({ accepted: 1 });
  });
});
