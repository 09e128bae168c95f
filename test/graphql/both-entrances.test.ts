import { randomUUID } from 'node:crypto';
import { newKey } from '../../src/caller/key-format';
import type { ErrorCode } from '../../src/errors';
import { LIST_PARAMETERS, RECORD_PARAMETERS, SUMMARY_PARAMETERS } from '../../src/event/parameters';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const LIST = `query($page: Int, $pageSize: Int, $search: String, $sortBy: String, $sortDirection: String,
  $actionId: String, $databaseName: String, $principalName: String, $startTime: String, $endTime: String,
  $serverInstanceName: String, $succeeded: Boolean, $filter: String, $schemaName: String, $objectName: String,
  $databasePrincipalName: String, $applicationName: String, $hostName: String, $clientIp: String, $sourceType: String) {
  auditEvents(page: $page, pageSize: $pageSize, search: $search, sortBy: $sortBy, sortDirection: $sortDirection,
    actionId: $actionId, databaseName: $databaseName, principalName: $principalName, startTime: $startTime,
    endTime: $endTime, serverInstanceName: $serverInstanceName, succeeded: $succeeded, filter: $filter,
    schemaName: $schemaName, objectName: $objectName, databasePrincipalName: $databasePrincipalName,
    applicationName: $applicationName, hostName: $hostName, clientIp: $clientIp, sourceType: $sourceType) {
    totalCount items { recordId } } }`;
const DETAIL = 'query($recordId: String!) { auditEvent(recordId: $recordId) { recordId } }';
const SUMMARY = `query($startTime: String, $endTime: String, $filter: String) {
  auditSummary(startTime: $startTime, endTime: $endTime, filter: $filter) { totalCount } }`;

describe('REST and GraphQL', () => {
  const open = useWorld(ANY_ENGINE);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await open.world.tenant();
  });

  /** @returns the code and the message of the refusal on REST and on GraphQL */
  async function refusals(
    key: string | null,
    values: Record<string, string | number> = {},
    path = '/audit-activity',
  ) {
    const document = path === '/audit-activity' ? LIST : path.endsWith('/summary') ? SUMMARY : DETAIL;
    const recordId = path.split('/')[2];
    const variables = document === DETAIL ? { recordId } : values;
    const [rest, graphql] = [
      await open.world.get(path, key, { query: values }),
      await open.world.graphql(key, document, variables),
    ];
    const [error] = graphql.body.errors ?? [];
    const texts = [rest.body.error, { code: error?.extensions.code, message: error?.message }];
    return texts.map((text) => ({ code: text?.code, message: text?.message }));
  }

  it.each<[string, () => Promise<string | null>, ErrorCode]>([
    ['no key', async () => null, 'unauthorized'],
    ['a malformed key', async () => 'letmein', 'unauthorized'],
    ['an unknown key', async () => newKey('public'), 'unauthorized'],
    ['a revoked key', revokedKey, 'unauthorized'],
    [
      'a key without the scope',
      async () => (await open.world.key({ scopes: ['read:alerts'], tenantIds: [acme.tenantId] })).key,
      'forbidden',
    ],
    ['a key without tenants', async () => (await open.world.keyWithoutTenants()).key, 'forbidden'],
    ['an agent key', async () => acme.agentKey, 'forbidden'],
    ['the operator key', async () => open.world.operatorKey, 'forbidden'],
  ])('refuse %s with the same code and text', async (_, keyOf, code) => {
    const key = await keyOf();
    for (const path of ['/audit-activity', `/audit-activity/${randomUUID()}`, '/audit-activity/summary']) {
      const [rest, graphql] = await refusals(key, {}, path);
      expect(rest).toEqual(graphql);
      expect(rest?.code).toBe(code);
    }
  });

  async function revokedKey(): Promise<string> {
    const { keyId, key } = await open.world.key({ tenantIds: [acme.tenantId] });
    await open.world.operate('mutation($k: String!) { revokeApiKey(keyId: $k) { keyId } }', { k: keyId });
    return key;
  }

  it.each<[string, Record<string, string | number>]>([
    ['a page before the first', { page: 0 }],
    ['a page too large', { pageSize: 101 }],
    ['an unknown column', { sortBy: 'statement' }],
    ['an unknown direction', { sortDirection: 'down' }],
    ['a search without a word', { search: '***' }],
    ['an open quotation', { search: '"x' }],
    ['an empty filter', { databaseName: '' }],
    ['no time', { startTime: 'now' }],
    ['a range that ends before it starts', { startTime: '2026-01-02', endTime: '2026-01-01' }],
    ['an empty instance', { serverInstanceName: '' }],
    ['several mistakes', { page: 0, sortBy: 'x', endTime: 'y' }],
  ])('refuse %s with the same code and text', async (_, values) => {
    const [rest, graphql] = await refusals(acme.key, values);
    expect(rest).toEqual(graphql);
    expect(rest?.code).toBe('invalid_parameter');
  });

  it('refuse a wrong record id and a wrong range of the summary in the same way', async () => {
    for (const [rest, graphql] of [
      await refusals(acme.key, {}, '/audit-activity/4711'),
      await refusals(acme.key, { startTime: '2026-01-02', endTime: '2026-01-01' }, '/audit-activity/summary'),
    ]) {
      expect(rest).toEqual(graphql);
      expect(rest?.code).toBe('invalid_parameter');
    }
  });

  it("both hide another tenant's record", async () => {
    const other = await open.world.tenant('Other');
    await other.audited();
    const [{ recordId }] = (await other.get('/audit-activity')).body.data;
    expect((await acme.get(`/audit-activity/${recordId}`)).status).toBe(404);
    const { body } = await open.world.graphql(acme.key, DETAIL, { recordId });
    expect(body).toEqual({ data: { auditEvent: null } });
  });

  it('take the same parameters', () => {
    const named = (document: string) => [...document.matchAll(/\$(\w+):/g)].map(([, name]) => name).sort();
    expect(named(LIST)).toEqual(Object.keys(LIST_PARAMETERS).sort());
    expect(named(SUMMARY)).toEqual(Object.keys(SUMMARY_PARAMETERS).sort());
    expect(named(DETAIL)).toEqual(Object.keys(RECORD_PARAMETERS).sort());
  });
});
