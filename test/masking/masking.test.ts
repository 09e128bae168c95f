import { maskedEvent, maskedGroup } from '../../src/store/rows/masked';
import { tokensOf } from '../../src/tsql/tokens';
import { ONE_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { SEEDED } from '../support/seeded-statements';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const READ = 'read:audit-activity';
const T0 = Date.parse('2026-04-01T08:00:00Z');
const events = SEEDED.map(({ statement }, i) =>
  anEvent({
    eventTime: new Date(T0 + i * 1_000).toISOString().replace('Z', '0000Z'),
    statement,
    objectName: 'Employee',
    additional: { additionalInformation: `<x>${statement}</x>`, sessionId: 52, note: statement },
  }),
);
const SECRETS = SEEDED.flatMap(({ secrets }) => secrets);
const leaksIn = (text: string) => SECRETS.filter((secret) => text.includes(secret));

describe.each(ONE_ENGINE)('a tenant that masks its statements on %s', (engine) => {
  const at = useWorld(engine);
  let tenant: TestTenant;
  let [masked, whole, both] = [
    { key: '', keyId: '' },
    { key: '', keyId: '' },
    { key: '', keyId: '' },
  ];
  beforeAll(async () => {
    const { world } = at;
    tenant = await world.tenant();
    const other = await world.tenant();
    const of = (scopes: readonly string[], ...more: readonly string[]) =>
      world.key({ tenantIds: [tenant.tenantId, ...more], scopes });
    [masked, whole, both] = [await of([READ]), await of([READ, 'unmask']), await of([READ], other.tenantId)];
    await tenant.ingest(events);
    await other.audited({ statement: "SELECT 'plain'" });
    await setMasking(true);
    await until(
      () => read('/audit-activity?pageSize=1', masked.key),
      (text) => leaksIn(text).length === 0,
    );
  }, 120_000);

  const setMasking = (masks: boolean) =>
    at.world.operate(
      'mutation($id: String!, $masks: Boolean!) { setTenantMasking(tenantId: $id, masksStatements: $masks) { tenantId masksStatements } }',
      { id: tenant.tenantId, masks },
    );
  const fetchAs = (path: string, key: string, init: RequestInit = {}) =>
    at.world.fetch(path, { ...init, headers: { 'X-Api-Key': key, ...init.headers } });
  const read = async (path: string, key: string) => {
    const { status, text } = await fetchAs(`/api/v1/public${path}`, key);
    expect([path, status]).toEqual([path, 200]);
    return text;
  };
  const call = async (name: string, given: object, key: string) => {
    const { text } = await fetchAs('/mcp', key, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: given },
      }),
    });
    return text;
  };

  it('shows none of 200 seeded literals to a key without the scope, wherever an event leaves', async () => {
    const list = [];
    for (const page of [1, 2]) list.push(await read(`/audit-activity?pageSize=100&page=${page}`, masked.key));
    const ids = list.flatMap((text) =>
      JSON.parse(text).data.map((item: { recordId: string }) => item.recordId),
    );
    expect(ids).toHaveLength(SEEDED.length);
    const details: string[] = [];
    for (const id of ids) details.push(await read(`/audit-activity/${id}`, masked.key));
    for (const text of details) {
      const { statement } = JSON.parse(text).data;
      const kinds = tokensOf(statement).filter(({ kind }) => kind === 'text' || kind === 'number');
      expect(kinds.every(({ text: value }) => value === '…' || value === '0')).toBe(true);
    }
    const exports = [];
    for (const query of ['', '?format=csv', '?schema=ocsf', '?schema=ecs', '?filter=objectName:Employee'])
      exports.push(await read(`/audit-activity/export${query}`, masked.key));
    expect(exports[0]?.trim().split('\n')).toHaveLength(SEEDED.length);
    const tails: string[] = [];
    for (const format of ['native', 'ocsf', 'ecs']) {
      const tail = () => read(`/audit-activity/tail?from=beginning&format=${format}&limit=1000`, masked.key);
      tails.push(await until(tail, (text) => JSON.parse(text).data.length === SEEDED.length));
    }
    const { text: graphql } = await at.world.graphql(
      masked.key,
      'query($id: String!) { auditEvent(recordId: $id) { statement additional } auditEvents(pageSize: 100) { items { statementPreview } } }',
      { id: ids[0] },
    );
    const tools = [
      await call('search_events', {}, masked.key),
      await call('get_event', { event: ids[3] }, masked.key),
    ];
    const all = [...list, ...details, ...exports, ...tails, graphql, ...tools];
    expect(all.flatMap(leaksIn)).toEqual([]);
    expect(all.every((text) => text.length > 200)).toBe(true);
    expect(leaksIn(at.world.logLines.join('\n'))).toEqual([]);
  }, 120_000);

  it('shows them to a key with the scope, and each such answer leaves an entry in the access log', async () => {
    const text = await read('/audit-activity/export', whole.key);
    expect(new Set(leaksIn(text))).toEqual(new Set(SECRETS));
    const page = JSON.parse(await read('/audit-activity?pageSize=3', whole.key));
    await read(`/audit-activity/${page.data[0].recordId}`, whole.key);
    await read('/audit-activity/tail?from=beginning&limit=5', whole.key);
    const entries = await until(
      async () => {
        const { accessLog } = await at.world.operate(
          'query($keyId: String!) { accessLog(keyId: $keyId) { entries { operation parameters outcome } } }',
          { keyId: whole.keyId },
        );
        return accessLog.entries.filter(
          ({ operation }: { operation: string }) => operation === 'unmaskStatements',
        );
      },
      (found) => found.length >= 4,
    );
    const told = entries.map(({ parameters }: { parameters: string }) => JSON.parse(parameters).operation);
    expect(told.sort()).toEqual(['auditEvent', 'auditEvents', 'exportAuditActivity', 'tailAuditActivity']);
    const { accessLog } = await at.world.operate(
      'query($keyId: String!) { accessLog(keyId: $keyId) { entries { operation } } }',
      { keyId: masked.keyId },
    );
    expect(accessLog.entries.map(({ operation }: { operation: string }) => operation)).not.toContain(
      'unmaskStatements',
    );
  });

  it('refuses conditions that would tell literals word by word, whichever entrance they come by', async () => {
    const [secret] = SECRETS;
    const conditions = [
      `search=${secret}`,
      `filter=${secret}`,
      `filter=NOT%20statement:${secret}`,
      'filter=a*',
    ];
    for (const path of ['/audit-activity', '/audit-activity/export', '/audit-activity/tail'])
      for (const condition of conditions) {
        const from = path.endsWith('tail') ? 'from=beginning&' : '';
        const { status, body } = await fetchAs(`/api/v1/public${path}?${from}${condition}`, masked.key);
        expect([path, condition, status, body?.error?.message]).toEqual([
          ...[path, condition, 400, expect.stringMatching(/looks into statements/)],
        ]);
      }
    for (const name of ['search_events', 'count_by', 'timeline', 'explain_filter'])
      for (const given of [{ search: secret }, { filter: `statement:${secret}` }])
        expect(await call(name, given, masked.key)).toMatch(/looks into statements/);
    const summary = await fetchAs(`/api/v1/public/audit-activity/summary?filter=${secret}`, masked.key);
    expect(summary.status).toBe(400);
    // One tenant of several is enough.
    expect((await fetchAs('/api/v1/public/audit-activity?search=plain', both.key)).status).toBe(400);
    const found = JSON.parse(await read(`/audit-activity?search=${secret}`, whole.key));
    expect(found.meta.totalCount).toBe(1);
    const named = JSON.parse(await read('/audit-activity?filter=objectName~EMPLOYEE', masked.key));
    expect(named.meta.totalCount).toBe(SEEDED.length);
  });

  it('refuses rules, tests and exceptions that would tell literals, and takes those by names of fields', async () => {
    const { tenantId } = tenant;
    const scopes = [READ, 'read:alerts', 'work:alerts'];
    const worker = (await at.world.key({ tenantIds: [tenantId], scopes })).key;
    const reader = (await at.world.key({ tenantIds: [tenantId], scopes: [...scopes, 'unmask'] })).key;
    const ruleOf = (detection: string, more = '') =>
      `title: own\nid: 6b0a2f3c-0000-4000-8000-${String(++rules).padStart(12, '0')}\nlevel: low\nlogsource: {product: sqlserver, service: audit}\n` +
      `detection: {a: ${detection}, condition: a}\n${more}`;
    let rules = 0;
    const run = async (key: string, text: string, given: object) => {
      const { body } = await at.world.graphql(key, text, { tenantId, ...given });
      return body.errors?.[0].message ?? 'taken';
    };
    const imports = (key: string, source: string) =>
      run(
        key,
        'mutation($tenantId: String!, $source: String!) { importRules(tenantId: $tenantId, source: $source) { ruleId } }',
        { source },
      );
    const tests = (key: string, source: string) =>
      run(
        key,
        'mutation($tenantId: String!, $source: String!) { testRule(tenantId: $tenantId, source: $source, days: 1) { backtestId } }',
        { source },
      );
    const tunes = (key: string, exception: object) =>
      run(
        key,
        `mutation($tenantId: String!, $exceptions: [String!]) {
           tuneRule(tenantId: $tenantId, ruleId: "e5987345-8ec2-4211-acd3-7e548ebf9e2a", exceptions: $exceptions) { ruleId } }`,
        { exceptions: [JSON.stringify(exception)] },
      );
    const telling = [
      '{statement|contains: x}',
      '{plainStatement|re: x}',
      '{texts: x}',
      '{calls: x}',
      '{additional.note: x}',
      '{additional_information|contains: x}',
      '{Data|contains: x}',
      '[x]',
      '{objectName|fieldref: statement}',
    ];
    for (const detection of telling)
      for (const bring of [imports, tests])
        expect([detection, await bring(worker, ruleOf(detection))]).toEqual([
          detection,
          expect.stringMatching(/looks into statements/),
        ]);
    const group = 'x-audit-activity: {group-by: [statement]}\n';
    expect(await imports(worker, ruleOf('{actionId: XX}', group))).toMatch(/looks into statements/);
    expect(await tunes(worker, { statement: 'x' })).toMatch(/looks into statements/);
    expect(await imports(worker, ruleOf('{actionId: XX, objectName|contains: x, procedures: y}'))).toBe(
      'taken',
    );
    expect(await tunes(worker, { serverPrincipalName: 'x' })).toBe('taken');
    expect(await imports(reader, ruleOf('{actionId: XX, statement|contains: x}'))).toBe('taken');
  });

  it('leaves the statements of other tenants of the same key as they are', async () => {
    expect(await read('/audit-activity?databaseName=HR&pageSize=100', both.key)).toBeDefined();
    const text = await read('/audit-activity/export', both.key);
    expect([text.includes("SELECT 'plain'"), leaksIn(text)]).toEqual([true, []]);
  });

  it('leaves evidence untouched: a proof is the same with and without the scope', async () => {
    const [item] = JSON.parse(await read('/audit-activity?pageSize=1', masked.key)).data;
    const proof = (key: string) => read(`/audit-activity/${item.recordId}/proof`, key);
    const leaf = (text: string) => JSON.parse(text).data.leafHash;
    expect(leaf(await proof(masked.key))).toBe(leaf(await proof(whole.key)));
  });

  it('shows them again when the setting is off, and only operators set it', async () => {
    expect(await setMasking(false)).toMatchObject({ setTenantMasking: { masksStatements: false } });
    const text = await until(
      () => read('/audit-activity/export', masked.key),
      (found) => leaksIn(found).length > 0,
    );
    expect(new Set(leaksIn(text))).toEqual(new Set(SECRETS));
    await setMasking(true);
  });
});

describe('what is masked', () => {
  it('of an event is its statement, its preview, and free texts of the record', () => {
    const event = {
      tenantId: '1',
      objectName: "it's",
      statement: "SELECT 'x'",
      statementPreview: "SELECT 'x",
      additional: {
        additionalInformation: 'x',
        entrySalt: 'c2FsdA',
        userDefinedInformation: '',
        other: "a 'x'",
        sessionId: 52,
        name: 'x1',
      },
    };
    expect(maskedEvent(event)).toEqual({
      tenantId: '1',
      objectName: "it's",
      statement: "SELECT '…'",
      statementPreview: "SELECT '…'",
      additional: {
        additionalInformation: '…',
        entrySalt: '…',
        userDefinedInformation: '',
        other: "a '…'",
        sessionId: 52,
        name: 'x1',
      },
    });
    expect(maskedEvent({ tenantId: '1', statement: null })).toEqual({ tenantId: '1', statement: null });
  });

  it('of the group of an alert is every value that is no field of an event', () => {
    const group = {
      serverPrincipalName: "o'neil",
      plainStatement: "SELECT 'x'",
      alias: "'x'",
      Message: 'x',
      'additional.additionalInformation': 'x',
      clientIp: '10.0.0.1',
      targetServerPrincipalName: "o'brien",
    };
    expect(maskedGroup(group)).toEqual({
      targetServerPrincipalName: "o'brien",
      serverPrincipalName: "o'neil",
      plainStatement: "SELECT '…'",
      alias: "'…'",
      Message: '…',
      'additional.additionalInformation': '…',
      clientIp: '10.0.0.1',
    });
  });
});
