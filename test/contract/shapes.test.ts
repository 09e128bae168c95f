import 'reflect-metadata';
import { printSchema } from 'graphql';
import { buildSchemaSync, Query, Resolver } from 'type-graphql';
import { objectSchema } from '../../rest-facade/openapi-schemas';
import { type Answer, type Shape, selectionOf } from '../../src/event/shape';
import { objectType } from '../../src/graphql/object-type';
import { sourcesOf } from '../support/imports';

const PART = { name: 'MadeUpPart', fields: { at: { kind: 'time' } } } as const satisfies Shape;

/** A shape with a field of every kind. */
const MADE_UP = {
  name: 'MadeUp',
  doc: 'A made-up answer.',
  fields: {
    id: { kind: 'id', doc: 'Its id.' },
    text: { kind: 'text', nullable: true },
    texts: { kind: 'text', isList: true },
    isSound: { kind: 'boolean' },
    small: { kind: 'integer', deprecated: 'Use large.' },
    large: { kind: 'count' },
    share: { kind: 'decimal', nullable: true },
    beside: { kind: 'values' },
    choice: {
      kind: 'choice',
      choices: { name: 'MadeUpChoice', doc: 'A choice.', values: { ONE: 'The first.', TWO: 'The second.' } },
    },
    part: { kind: 'object', of: PART, nullable: true },
    parts: { kind: 'object', of: PART, isList: true, doc: 'In their order.' },
  },
} as const satisfies Shape;

const VALUE: Answer<typeof MADE_UP> = {
  id: '019638ad-0a46-88cc-9858-2abc91547e33',
  text: null,
  texts: ['a'],
  isSound: true,
  small: 1,
  large: 2 ** 40,
  share: 0.5,
  beside: { x: 1 },
  choice: 'TWO',
  part: null,
  parts: [{ at: '2026-01-05T08:00:00Z' }],
};

describe('the shape of an answer', () => {
  it('makes its GraphQL type', () => {
    const MadeUp = objectType(MADE_UP);
    @Resolver()
    class MadeUpResolver {
      @Query(() => MadeUp)
      madeUp() {
        return VALUE;
      }
    }
    const sdl = printSchema(buildSchemaSync({ resolvers: [MadeUpResolver], validate: false }));
    for (const type of SDL) expect(sdl).toContain(type);
  });

  it('makes its OpenAPI schema, in which every field is required', () => {
    const described = objectSchema(MADE_UP, MADE_UP.doc);
    const part = {
      type: 'object',
      required: ['at'],
      additionalProperties: false,
      properties: { at: { type: 'string', format: 'date-time', description: '' } },
    };
    expect(described).toEqual({
      type: 'object',
      description: 'A made-up answer.',
      additionalProperties: false,
      required: Object.keys(MADE_UP.fields),
      properties: {
        id: { type: 'string', format: 'uuid', description: 'Its id.' },
        text: { type: ['string', 'null'], description: '' },
        texts: { type: 'array', items: { type: 'string' }, description: '' },
        isSound: { type: 'boolean', description: '' },
        small: { type: 'integer', minimum: 0, description: '', deprecated: true },
        large: { type: 'integer', minimum: 0, description: '' },
        share: { type: ['number', 'null'], description: '' },
        beside: {
          type: 'object',
          description: '',
          additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
        },
        choice: { type: 'string', enum: ['ONE', 'TWO'], description: '' },
        part: { oneOf: [{ ...part, description: '' }, { type: 'null' }], description: '' },
        parts: {
          type: 'array',
          description: 'In their order.',
          items: { ...part, description: 'In their order.' },
        },
      },
    });
  });

  it('makes the selection of a route', () => {
    const selected = 'id text texts isSound small large share beside choice part { at } parts { at }';
    expect(selectionOf(MADE_UP).join(' ')).toBe(selected);
  });
});

it('every GraphQL type of an answer is made from a shape', () => {
  const byHand = sourcesOf('src').filter(({ text }) => /@ObjectType|new GraphQLObjectType/.test(text));
  expect(byHand.map(({ file }) => file)).toEqual([]);
});

const SDL = [
  `"""A made-up answer."""
type MadeUp {
  """Its id."""
  id: String!
  text: String
  texts: [String!]!
  isSound: Boolean!
  small: Int! @deprecated(reason: "Use large.")
  large: SafeInt!
  share: Float
  beside: JSON!
  choice: MadeUpChoice!
  part: MadeUpPart

  """In their order."""
  parts: [MadeUpPart!]!
}`,
  `type MadeUpPart {
  at: String!
}`,
  `"""A choice."""
enum MadeUpChoice {
  """The first."""
  ONE

  """The second."""
  TWO
}`,
];
