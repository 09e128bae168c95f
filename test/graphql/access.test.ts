import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { accessRuleOf, assertEveryRootFieldHasRule } from '../../src/graphql/access';
import { createSchema } from '../../src/graphql/schema';
import { useWorld } from '../support/use-world';

const UUID = '00000000-0000-8000-8000-000000000000';
/** Each root field with the one kind of principal it is for. A new field without a row here fails. */
const MATRIX = {
  'Query.auditEvents': ['public', '{ auditEvents { totalCount } }'],
  'Query.auditEvent': ['public', `{ auditEvent(recordId: "${UUID}") { recordId } }`],
  'Query.auditSummary': ['public', '{ auditSummary { totalCount } }'],
  'Query.tenants': ['operator', '{ tenants { tenantId } }'],
  'Query.retentionRuns': ['operator', '{ retentionRuns { tenantId } }'],
  'Mutation.setTenantRetention': [
    'operator',
    'mutation { setTenantRetention(tenantId: "1", days: 30) { tenantId } }',
  ],
  'Query.auditSources': ['operator', '{ auditSources { hostName gaps { gapId } } }'],
  'Mutation.reportAuditSource': [
    'agent',
    `mutation { reportAuditSource(report: { tenantId: "1", hostName: "a", databaseName: "b", agentVersion: "1",
       publishedCount: 0, waitingBytes: 0, gaps: [] }) { gapsKept } }`,
  ],
  'Query.apiKeys': ['operator', '{ apiKeys { keyId } }'],
  'Mutation.ingestAuditEvents': [
    'agent',
    'mutation { ingestAuditEvents(batch: { events: [] }) { accepted } }',
  ],
  'Mutation.createTenant': ['operator', 'mutation { createTenant(name: "x") { tenantId } }'],
  'Mutation.createApiKey': ['operator', 'mutation { createApiKey(name: "x") { keyId } }'],
  'Mutation.createAgentKey': ['operator', 'mutation { createAgentKey(name: "x", tenantId: "1") { keyId } }'],
  'Mutation.revokeApiKey': ['operator', `mutation { revokeApiKey(keyId: "${UUID}") { keyId } }`],
} as const;
type RootField = keyof typeof MATRIX;
const FIELDS = Object.keys(MATRIX) as RootField[];

const schema = createSchema();
const rootFields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(
  (type) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({ name: `${type?.name}.${field.name}`, field })),
);

describe('the schema', () => {
  it('states on every root field who may use it, and the matrix of this test knows them all', () => {
    expect(rootFields.map(({ name }) => name).sort()).toEqual([...FIELDS].sort());
    for (const { name, field } of rootFields) {
      expect(accessRuleOf(field)?.principal).toBe(MATRIX[name as RootField][0]);
    }
  });

  it('demands the scope of the specification of whoever reads audit activity', () => {
    for (const { field } of rootFields) {
      const rule = accessRuleOf(field);
      if (rule?.principal === 'public') expect(rule.scope).toBe('read:audit-activity');
    }
  });

  it.each(['query', 'mutation', 'subscription'] as const)(
    'does not start with a %s that states no rule',
    (kind) => {
      const field = { type: GraphQLString };
      const ruled = { ...field, extensions: { access: { principal: 'operator' } } };
      const type = (name: string, fields: Record<string, typeof field>) =>
        new GraphQLObjectType({ name, fields });
      const others = { query: type('Query', { ruled }) };
      expect(() => assertEveryRootFieldHasRule(new GraphQLSchema(others))).not.toThrow();
      const forgotten = new GraphQLSchema({ ...others, [kind]: type('Root', { ruled, forgotten: field }) });
      expect(() => assertEveryRootFieldHasRule(forgotten)).toThrow('Root.forgotten states no access rule');
    },
  );
});

describe('each root field', () => {
  const open = useWorld('embedded');
  const callers = {} as Record<
    string,
    { key: string | null; passes: (kind: string) => boolean; refusal: string }
  >;
  beforeAll(async () => {
    const { world } = open;
    const acme = await world.tenant();
    const never = () => false;
    const tenantIds = [acme.tenantId];
    Object.assign(callers, {
      'no key': { key: null, passes: never, refusal: 'unauthorized' },
      'a public key': { key: acme.key, passes: (kind: string) => kind === 'public', refusal: 'forbidden' },
      'a public key of another scope': {
        key: (await world.key({ tenantIds, scopes: ['read:alerts'] })).key,
        passes: never,
        refusal: 'forbidden',
      },
      'a public key without tenants': { key: (await world.key()).key, passes: never, refusal: 'forbidden' },
      'an agent key': {
        key: acme.agentKey,
        passes: (kind: string) => kind === 'agent',
        refusal: 'forbidden',
      },
      'the operator key': {
        key: world.operatorKey,
        passes: (kind: string) => kind === 'operator',
        refusal: 'forbidden',
      },
    });
  });
  const CALLERS = ['no key', 'a public key', 'a public key of another scope', 'a public key without tenants'];

  describe.each([...CALLERS, 'an agent key', 'the operator key'])('with %s', (who) => {
    it.each(FIELDS)('%s', async (name) => {
      const [kind, document] = MATRIX[name];
      const caller = callers[who];
      const { body } = await open.world.graphql(caller?.key ?? null, document);
      const codes = (body.errors ?? []).map(
        (error: { extensions: { code: string } }) => error.extensions.code,
      );
      if (caller?.passes(kind)) {
        expect(codes).not.toContain('forbidden');
        expect(codes).not.toContain('unauthorized');
      } else {
        expect(codes).toEqual([caller?.refusal]);
        expect(Object.values(body.data ?? {}).filter((value) => value !== null)).toEqual([]);
      }
    });
  });

  it('is hidden from a caller without a key, as is the schema itself', async () => {
    for (const document of ['{ __typename }', '{ __schema { queryType { name } } }', 'not even GraphQL']) {
      const { status, body } = await open.world.graphql(null, document);
      expect([status, body.errors[0].extensions.code]).toEqual([401, 'unauthorized']);
    }
  });

  it('is refused before its arguments are looked at', async () => {
    const { world } = open;
    const wrong = `{ auditEvents(page: 0) { page } auditEvent(recordId: "x") { recordId } }`;
    for (const { key } of [await world.key(), await world.key({ scopes: [] })]) {
      const { body } = await world.graphql(key, wrong);
      for (const { extensions } of body.errors) expect(extensions.code).toBe('forbidden');
    }
  });

  it('is refused beside one that is allowed: the answer carries no data of the refused field', async () => {
    const acme = await open.world.tenant();
    const { body } = await open.world.graphql(
      acme.key,
      '{ auditSummary { totalCount } tenants { tenantId } }',
    );
    expect(body.errors[0].extensions.code).toBe('forbidden');
    expect(JSON.stringify(body.data ?? null)).not.toContain('tenantId');
  });
});
