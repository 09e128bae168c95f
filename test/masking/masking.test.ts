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
      clientIp: '10.0.0.1',
    };
    expect(maskedGroup(group)).toEqual({
      serverPrincipalName: "o'neil",
      plainStatement: "SELECT '…'",
      alias: "'…'",
      clientIp: '10.0.0.1',
    });
  });
});
