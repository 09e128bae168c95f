import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  buildSchema,
  GraphQLInt,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
  Kind,
  parse,
  validate,
} from 'graphql';
import { globSync } from 'tinyglobby';
import { ROUTES } from '../../rest-facade/routes';
import { accessRuleOf } from '../../src/graphql/access';
import { LIST_SIZES, limitDocument } from '../../src/graphql/limits';
import { LIMITS } from '../../src/limits';
import { describeSchema } from '../../src/schema';
import type { Answer } from '../support/answer';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const ROOT = path.resolve(__dirname, '../..');
const schema = describeSchema();
const problemsOf = (document: string) =>
  validate(schema, parse(document), [limitDocument(LIMITS.graphqlCostMax)]).map(({ message }) => message);
const codesOf = ({ body }: Answer) =>
  (body.errors ?? []).map(({ extensions }: never) => (extensions as { code: string }).code);

describe('a document', () => {
  it.each([
    [
      'a full page of events',
      '{ auditEvents(pageSize: 100) { items { recordId statementPreview } totalCount } }',
    ],
    [
      'sources with their gaps',
      '{ auditSources { hostName databaseName gaps { gapId reason detail detectedAt } } }',
    ],
    [
      'all that is read at once of a dashboard',
      'query($n: Int) { auditEvents(pageSize: $n) { items { recordId } } auditSummary { totalCount } }',
    ],
    ['the schema', getIntrospectionQuery()],
    [
      'the first view of a dashboard',
      'query($n: Int) { auditHistogram(buckets: $n) { buckets { start end succeeded failed } } auditFacets(limit: $n) { facets { field distinct values { value name succeeded failed } } } auditEvents(pageSize: $n) { items { recordId eventTime actionId } totalCount } }',
    ],
    [
      'all groups of three fields, compared with the time before',
      'query($n: Int) { auditGroups(limit: $n) { totalCount groupCount first second third succeeded failed before recordedBefore sum firstTime lastTime } }',
    ],
    [
      'the charts of groups',
      'query($n: Int) { auditGroupsOverTime(buckets: $n) { starts events groups { values events } } auditWeekHours { succeeded failed busiest busiestTime } auditGroupGrid(values: $n) { axes { field values distinct } first second third succeeded failed sum } }',
    ],
    ['all rules', '{ detectionRules { ruleId falsePositives tags narrows narrowedBy } }'],
    [
      'a page of the access log',
      'query($n: Int!) { accessLog(first: $n) { entries { at operation parameters keyName tenantIds rows outcome } } }',
    ],
  ])('may ask for %s', (_, document) => {
    expect(problemsOf(document)).toEqual([]);
  });

  const many = (n: number, of: (i: number) => string) => Array.from({ length: n }, (_, i) => of(i)).join(' ');
  it.each([
    [
      'many fields at its root',
      `{ ${many(6, (i) => `a${i}: auditSummary { totalCount }`)} }`,
      /6 fields at its root, at most 5/,
    ],
    ['the same field often', `{ ${many(6, () => 'auditSummary { totalCount }')} }`, /6 fields at its root/],
    [
      'many fields by fragments',
      `{ ${many(6, () => '...F')} } fragment F on Query { auditSummary { totalCount } }`,
      /6 fields at its root/,
    ],
    [
      'many fields in inline fragments',
      `{ ${many(6, () => '... on Query { auditSummary { totalCount } }')} }`,
      /6 fields/,
    ],
    [
      'many aliases',
      `{ auditSummary { ${many(21, (i) => `a${i}: totalCount`)} } }`,
      /21 aliases, at most 20/,
    ],
    [
      'large lists in large lists',
      '{ auditSources { gaps(limit: 1000) { gapId } } }',
      /200100 values in its largest answer, at most 30000/,
    ],
    [
      'columns of all groups under many names',
      `query($n: Int) { auditGroups(limit: $n) { ${many(20, (i) => `a${i}: first`)} } }`,
      /50001 values/,
    ],
    [
      'columns of all groups in many fields',
      `{ ${many(5, (i) => `g${i}: auditGroups(limit: 10000) { first second succeeded failed }`)} }`,
      /50005 values/,
    ],
    [
      'lists as large as a variable says',
      'query($n: Int!) { auditSources { gaps(limit: $n) { gapId } } }',
      /200100 values/,
    ],
    [
      'large lists beside one of fewer than no items',
      '{ auditEvents(pageSize: -200000) { items { recordId } } auditSources { gaps(limit: 1000) { gapId } } }',
      /200101 values/,
    ],
    [
      'a list many times',
      `{ auditEvents(pageSize: 100) { ${many(20, (i) => `a${i}: items { ${many(20, () => 'recordId')} }`)} } }`,
      /42001 values/,
    ],
  ])('may not ask for %s', (_, document, problem) => {
    expect(problemsOf(document)).toEqual([expect.stringMatching(problem)]);
  });

  const files = globSync('dashboard/src/**/*.graphql', { cwd: ROOT });
  it.each(files.map((file) => [file]))('of the dashboard is within the limits: %s', (file) => {
    const { definitions } = parse(readFileSync(path.join(ROOT, file), 'utf8'));
    expect(definitions.length).toBeGreaterThan(0);
    for (const definition of definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
      const document = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments] } as const;
      const max = file.includes('/operate/') ? LIMITS.graphqlOperatorCostMax : LIMITS.graphqlCostMax;
      expect(validate(schema, document, [limitDocument(max)])).toEqual([]);
    }
  });

  it('is measured by every argument of the schema that sets the length of a list', () => {
    const sizes = Object.values(schema.getTypeMap())
      .flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []))
      .flatMap(({ name, args }) => args.map((argument) => [`${name}.${argument.name}`, argument] as const))
      .filter(
        ([, { name, type }]) =>
          getNamedType(type) === GraphQLInt && /^(first|last|limit|size|count|pageSize|buckets)$/.test(name),
      )
      .map(([name]) => name);
    expect(sizes.sort()).toEqual(Object.keys(LIST_SIZES).sort());
  });

  it('may have only a bounded depth', () => {
    const deep = buildSchema('type Query { at: Query, n: Int }');
    const nested = (levels: number): string => (levels === 1 ? '{ n }' : `{ at ${nested(levels - 1)} }`);
    const problems = (document: string) =>
      validate(deep, parse(document), [limitDocument(LIMITS.graphqlCostMax)]);
    expect(problems(nested(LIMITS.graphqlDepthMax))).toEqual([]);
    expect(problems(nested(LIMITS.graphqlDepthMax + 1))).toHaveLength(1);
    expect(problems(`{ ...F } fragment F on Query ${nested(LIMITS.graphqlDepthMax + 1)}`)).toHaveLength(1);
  });

  it('is refused with everything that is too large at once', () => {
    const aliases = many(25, (i) => `a${i}: items { ${many(30, () => 'recordId')} }`);
    const [problem, ...more] = problemsOf(
      `{ ${many(6, () => `auditEvents(pageSize: 100) { ${aliases} }`)} }`,
    );
    expect(more).toEqual([]);
    expect(problem).toMatch(/root.*; .*aliases.*; .*values/);
  });

  it('with nested fragments is measured in time linear in its text, even if they form a circle', () => {
    const doubling = many(60, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`);
    expect(problemsOf(`{ ...F0 } ${doubling} fragment F60 on Query { auditSummary { totalCount } }`)).toEqual(
      [expect.stringMatching(/values in its largest answer/)],
    );
    expect(problemsOf('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }')).toEqual([]);
  });

  it('costs the number of values in its largest answer, whatever its shape', () => {
    const list = fc.record({
      size: fc.integer({ min: 0, max: 100 }),
      fields: fc.integer({ min: 1, max: 16 }),
      rest: fc.integer({ min: 0, max: 3 }),
    });
    const names = Object.keys(
      (getNamedType(fieldOf(schema, 'auditEvents').type) as never as { getFields(): object }).getFields(),
    );
    expect(names).toContain('items');
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 5 }), (lists) => {
        const document = `{ ${lists.map(({ size, fields, rest }) => `auditEvents(pageSize: ${size}) { items { ${many(fields, () => 'recordId')} } ${many(rest, () => 'page')} }`).join(' ')} }`;
        const cost = lists.reduce((sum, { size, fields, rest }) => sum + 1 + size * (1 + fields) + rest, 0);
        expect(problemsOf(document)).toEqual(
          cost > LIMITS.graphqlCostMax ? [expect.stringContaining(`${cost} values`)] : [],
        );
      }),
    );
  });
});

const fieldOf = (of: GraphQLSchema, name: string) => {
  const field = of.getQueryType()?.getFields()[name];
  if (!field) throw new Error(`no field ${name}`);
  return field;
};

describe('the fields that a public key may use over /graphql', () => {
  const reachable = [schema.getQueryType(), schema.getMutationType()]
    .flatMap((type) => Object.values(type?.getFields() ?? {}))
    .filter((field) => {
      const rule = accessRuleOf(field) as { principal: string; via?: string } | null;
      return rule?.principal === 'public' && rule.via !== 'session';
    });

  /** Counts around one event, in no answer of the contract; its counts are totals of the list. */
  const BESIDE_ROUTES = ['auditEventUsual'];

  it('serve a REST route, need the scope work:alerts, or are listed here', () => {
    expect(reachable.length).toBeGreaterThanOrEqual(3);
    const served = [...ROUTES.map(({ rootField }) => rootField), ...BESIDE_ROUTES];
    const others = reachable.filter(({ name }) => !served.includes(name));
    expect(others.length).toBeGreaterThan(0);
    for (const field of others)
      expect(accessRuleOf(field)).toMatchObject({ scope: 'work:alerts', operators: true });
  });
});

describe('POST /graphql', () => {
  const at = useWorld(ANY_ENGINE);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
  });
  const post = (body: string | Uint8Array, headers: Record<string, string>) =>
    at.world.fetch('/graphql', { method: 'POST', headers: { 'X-Api-Key': acme.key, ...headers }, body });
  const JSON_TYPE = { 'Content-Type': 'application/json' };

  it('refuses a document that is too large with 400, whoever sends it', async () => {
    const document = `{ ${'auditSummary { totalCount } '.repeat(6)} }`;
    for (const key of [acme.key, acme.agentKey, at.world.operatorKey]) {
      const answer = await at.world.graphql(key, document);
      expect([answer.status, codesOf(answer)]).toEqual([400, ['invalid_parameter']]);
    }
  });

  it('refuses too many tokens or characters before it parses them further', async () => {
    const tokens = await at.world.graphql(acme.key, `{ ${'a '.repeat(LIMITS.graphqlTokensMax)} }`);
    expect([tokens.status, codesOf(tokens)]).toEqual([400, ['invalid_parameter']]);
    expect(tokens.body.errors[0].message).toMatch(/token/i);
    const long = await at.world.graphql(
      acme.key,
      `{ __typename } # ${'x'.repeat(LIMITS.graphqlDocumentCharsMax)}`,
    );
    expect([long.status, codesOf(long)]).toEqual([400, ['invalid_parameter']]);
    expect(long.body.errors[0].message).toContain(String(LIMITS.graphqlDocumentCharsMax));
  });

  it('accepts a large body from agents only', async () => {
    const large = JSON.stringify({
      query: '{ __typename }',
      variables: { x: 'x'.repeat(LIMITS.graphqlBodyBytesMax) },
    });
    for (const [body, headers] of [
      [large, JSON_TYPE],
      [gzipSync(large), { ...JSON_TYPE, 'Content-Encoding': 'gzip' }],
    ] as const) {
      const refused = await post(body, headers);
      expect([refused.status, codesOf(refused)]).toEqual([413, ['payload_too_large']]);
      expect((await post(body, { ...headers, 'X-Api-Key': acme.agentKey })).status).toBe(200);
    }
  });

  it('runs one operation for each request, and refuses a list of operations', async () => {
    const answer = await post(
      JSON.stringify([{ query: '{ __typename }' }, { query: '{ __typename }' }]),
      JSON_TYPE,
    );
    expect([answer.status, codesOf(answer)]).toEqual([400, ['invalid_parameter']]);
  });

  it('stores no documents that callers could name later', async () => {
    const persistedQuery = {
      version: 1,
      sha256Hash: createHash('sha256').update('{ __typename }').digest('hex'),
    };
    const answer = await post(
      JSON.stringify({ query: '{ __typename }', extensions: { persistedQuery } }),
      JSON_TYPE,
    );
    expect(codesOf(answer)).toEqual(['invalid_parameter']);
  });

  it.each([
    '{ __schema { queryType { name } } }',
    '{ __type(name: "Query") { name } }',
    '{ ...F } fragment F on Query { __schema { types { name } } }',
  ])('shows the schema to operators only: %s', async (document) => {
    expect((await at.world.graphql(at.world.operatorKey, document)).body.errors).toBeUndefined();
    // A validated document must not be reused for a caller who may not see the schema.
    for (const key of [acme.key, acme.agentKey]) {
      const answer = await at.world.graphql(key, document);
      expect(codesOf(answer)).toEqual(['forbidden']);
      expect(answer.body.data ?? null).toBeNull();
    }
    expect((await at.world.graphql(at.world.operatorKey, document)).body.errors).toBeUndefined();
  });

  it('does not suggest names of the schema in errors', async () => {
    for (const document of [
      '{ auditSummry { totalCount } }',
      '{ tenant { name } }',
      '{ auditSummary { totlCount } }',
      'query($x: Strin) { __typename }',
    ]) {
      const answer = await at.world.graphql(acme.key, document);
      expect(codesOf(answer)).toEqual(expect.arrayContaining(['invalid_parameter']));
      expect(answer.text).not.toMatch(/did you mean/i);
    }
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'refuses a content type that a web page can send to another site: %s',
    async (type) => {
      const answer = await post('{"query":"mutation { createTenant(name: \\"x\\") { tenantId } }"}', {
        'Content-Type': type,
        'X-Api-Key': at.world.operatorKey,
      });
      expect([answer.status, codesOf(answer)]).toEqual([400, ['invalid_parameter']]);
      expect(answer.body.errors[0].message).toContain('CSRF');
      expect(answer.body.data ?? null).toBeNull();
    },
  );

  it('serves no page', async () => {
    const answer = await at.world.fetch('/graphql', {
      headers: { Accept: 'text/html', 'X-Api-Key': at.world.operatorKey },
    });
    expect([answer.status, codesOf(answer)]).toEqual([405, ['method_not_allowed']]);
  });
});
