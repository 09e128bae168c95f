import 'reflect-metadata';
import { graphql, printSchema } from 'graphql';
import { buildSchemaSync, Query, Resolver } from 'type-graphql';
import { DomainError, refusal } from '../../src/errors';
import type { ParameterSpecs, ParameterValues } from '../../src/event/parameter-specs';
import { Takes } from '../../src/graphql/arguments';
import { LIMITS } from '../../src/limits';
import { problem } from '../../src/problem';
import { sourcesOf } from '../support/imports';

const ofRequests = sourcesOf('src/caller', 'src/event', 'src/graphql', 'src/modules', 'rest-facade');
/** The files with a line that a pattern fits. */
const filesWith = (pattern: RegExp) =>
  ofRequests
    .filter(({ text }) => text.split('\n').some((line) => pattern.test(line)))
    .map(({ file }) => file);

const MADE_UP = {
  name: {
    kind: 'text',
    charsMax: 5,
    isRequired: true,
    doc: 'Its name.',
    check: (text: string, field: string) => (text === 'x' ? [problem(field, 'refused', 'is taken')] : []),
  },
  count: { kind: 'integer', min: 2, max: 9, isRequired: true, default: 3 },
  hidden: { kind: 'integer', min: 2, max: 9, default: 4 },
  key: { kind: 'id' },
  colours: { kind: 'texts', itemsMax: 2, isRequired: true, default: [] },
  parts: {
    kind: 'object',
    isList: true,
    of: { name: 'MadeUpPart', doc: 'A part.', fields: { at: { kind: 'time', isStored: true } } },
  },
  mood: {
    kind: 'enum',
    choices: { name: 'MadeUpMood', doc: 'A mood.', values: { GOOD: 'Good.', BAD: 'Bad.' } },
  },
  beside: { kind: 'json' },
} as const satisfies ParameterSpecs;

let got: unknown;
@Resolver()
class MadeUpResolver {
  @Query(() => String)
  @Takes(MADE_UP)
  madeUp(given: ParameterValues<typeof MADE_UP>) {
    got = given;
    return given.name;
  }
}
const schema = buildSchemaSync({ resolvers: [MadeUpResolver], validate: false });
const call = async (args: string) => {
  const { data, errors } = await graphql({ schema, source: `{ madeUp(${args}) }`, contextValue: {} });
  return { data, error: errors?.[0]?.originalError };
};

describe('the table of an operation', () => {
  it('makes the arguments of the schema, with their types, defaults and descriptions', () => {
    expect(printSchema(schema).replace(/\s+/g, ' ')).toContain(
      'madeUp( """Its name.""" name: String! count: Int! = 3 hidden: Int key: String colours: [String!]! = [] ' +
        'parts: [MadeUpPart!] mood: MadeUpMood beside: JSON ): String!',
    );
  });

  it('makes the values that the method gets', async () => {
    await call(
      'name: "abc", key: "019638AD-0A46-88CC-9858-2ABC91547E33", parts: [{ at: "2026-01-05" }], mood: BAD',
    );
    expect(got).toEqual({
      name: 'abc',
      count: 3,
      hidden: 4,
      key: '019638ad-0a46-88cc-9858-2abc91547e33',
      colours: [],
      parts: [{ at: '2026-01-05' }],
      mood: 'BAD',
      beside: undefined,
    });
  });

  it('refuses a call with all its problems at once, each with a code and its field', async () => {
    const { error } = await call(
      'name: "x", count: 1, key: "1", colours: ["a", "b", "c"], parts: [{}, { at: "9999-12-31T23:59:59-23:59" }]',
    );
    expect(error).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringMatching(/^name is taken; count must be a whole number from 2 to 9; .*\.$/),
      problems: [
        { code: 'refused', field: 'name', message: 'name is taken', detail: {} },
        { code: 'out_of_range', field: 'count', detail: { min: 2, max: 9 } },
        { code: 'malformed', field: 'key' },
        { code: 'too_many', field: 'colours', detail: { max: 2 } },
        { code: 'malformed', field: 'parts[1].at' },
      ],
    });
  });
});

describe('the arguments of an operation', () => {
  it('are declared by a table (@Takes), and not one by one or by a class', () => {
    expect(filesWith(/@(?:Arg|Args|ArgsType|InputType)\(/)).toEqual([]);
    expect(filesWith(/\b(?:Arg|Args|ArgsType|InputType)\b.*from 'type-graphql'/)).toEqual([
      'src/graphql/arguments.ts',
    ]);
  });
});

describe('the problems of a request', () => {
  it('are joined to the public message in one place', () => {
    // The others are a limit of GraphQL documents, and why an event of a batch is rejected.
    expect(filesWith(/[pP]roblems(?:\.\w+\(.*\))*\.join\(/)).toEqual([
      'src/graphql/limits.ts',
      'src/modules/ingest/check-event.ts',
    ]);
  });

  it('are bounded in number and in size', () => {
    const many = Array.from({ length: 5_000 }, (_, i) => problem(`p${i}`, 'refused', 'x'.repeat(5_000)));
    const refused = refusal(many);
    expect(refused).toBeInstanceOf(DomainError);
    expect(refused.problems).toHaveLength(LIMITS.parameterProblemsMax);
    expect(refused.message).toMatch(/; and 4900 more\.$/);
    expect(refused.message.length).toBeLessThan(LIMITS.parameterProblemsMax * (LIMITS.problemCharsMax + 10));
  });
});
