import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { describeSchema } from '../../src/schema';
import { ANY_ENGINE } from '../support/engines';
import { expectDocumentedErrors } from '../support/fuzz/answers';
import { hostileText, hostileValue } from '../support/fuzz/hostile';
import { forEach, KeepAlive } from '../support/fuzz/keep-alive';
import { casesOf, SEED } from '../support/share';
import { useWorld } from '../support/use-world';

const REQUESTS = casesOf(__filename);
jest.setTimeout(300_000);

const schema = describeSchema();
const LEVELS = 3;

/** @returns a selection of every field without required arguments, a few levels deep */
function selectionOf(type: GraphQLOutputType, levels = LEVELS): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields())
    .filter(({ args }) => !args.some(isRequiredArgument))
    .filter((field) => !isObjectType(getNamedType(field.type)) || levels > 1)
    .map((field) => `${field.name} ${selectionOf(field.type, levels - 1)}`);
  return `{ __typename ${fields.join(' ')} }`;
}

const fields = [
  ...Object.values(schema.getQueryType()?.getFields() ?? {}).map((field) => ['query', field] as const),
  ...Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => ['mutation', field] as const),
];

/** Usually a value of the argument's type, sometimes any value. */
function valueFor(type: string): fc.Arbitrary<unknown> {
  const text = fc.oneof(
    hostileText,
    fc.uuid(),
    fc.constantFrom('1', '2', '2026-01-05T08:00:00Z', '10.0.0.0/8'),
  );
  const of: Record<string, fc.Arbitrary<unknown>> = {
    Int: fc.oneof(fc.integer(), fc.integer({ min: -1, max: 1_001 })),
    Boolean: fc.boolean(),
    String: text,
    '[String!]': fc.array(text, { maxLength: 3 }),
  };
  return fc.oneof(
    { weight: 5, arbitrary: of[type.replace(/!$/, '')] ?? hostileValue },
    { weight: 1, arbitrary: hostileValue },
  );
}

function requestOf([kind, field]: readonly [string, GraphQLField<unknown, unknown>]): fc.Arbitrary<string> {
  const declared = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const query = `${kind}${declared && `(${declared})`} { ${field.name}${given && `(${given})`} ${selectionOf(field.type)} }`;
  const variables = fc.record(
    Object.fromEntries(field.args.map(({ name, type }) => [name, valueFor(String(type))])),
    { requiredKeys: [] },
  );
  return variables.map((values) => JSON.stringify({ query, variables: values }));
}

describe('any operation of the GraphQL schema', () => {
  const at = useWorld(ANY_ENGINE);

  it('is answered with documented error codes, whatever its values and the kind of key', async () => {
    const { world } = at;
    const acme = await world.tenant();
    const key = fc.oneof(
      { weight: 2, arbitrary: fc.constant(world.operatorKey) },
      { weight: 1, arbitrary: fc.constantFrom(acme.key, acme.agentKey) },
    );
    const requests = fc.sample(fc.record({ body: fc.oneof(...fields.map(requestOf)), key }), {
      numRuns: REQUESTS,
      seed: SEED,
    });
    const client = new KeepAlive(world.service.url);
    let answered = 0;
    await forEach(requests, async (sent) => {
      const headers = { 'Content-Type': 'application/json', 'X-Api-Key': sent.key };
      const answer = await client.send({ method: 'POST', path: '/graphql', headers, body: sent.body });
      expectDocumentedErrors(answer);
      if (!answer.body.errors) answered++;
    });
    client.close();
    expect(answered).toBeGreaterThan(REQUESTS / 50);
    // One of the operations may have said that the database was restored.
    await world.operate('mutation { finishRestore(go: true, keepEpoch: false) { epoch } }');
    expect((await world.fetch('/health')).text).toBe('Healthy');
    expect(world.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});
