import type { IncomingMessage } from 'node:http';
import {
  buildSchema,
  type GraphQLOutputType,
  graphql,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  printSchema,
} from 'graphql';
import { describeSchema } from '../../src/schema';

/** The schema without the service behind it. */
const schema = buildSchema(printSchema(describeSchema()));

/** The present of made-up answers: their times lie in the weeks before. */
export const MADE_UP_NOW = '2026-01-10T12:00:00.000Z';
const SPAN_MS = 20 * 86_400_000;
const NAMES = 9_973;

export interface MadeUp {
  /** Whether each value is as empty as its type lets it be. */
  readonly isBare: boolean;
  /** Values that mean something to who asks, by their names or by `Type.name`. */
  readonly known?: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The question that a request of GraphQL brings. */
export async function askedBy(request: IncomingMessage): Promise<Asked> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}

/** An answer in which each field has a value of its own, so that one told in the place of another is noticed. */
export async function madeUpAnswer({ query, variables }: Asked, how: MadeUp): Promise<string> {
  const answer = await graphql({
    schema,
    source: query,
    variableValues: variables,
    rootValue: {},
    fieldResolver: (_source, _args, _context, { returnType, fieldName, parentType }) =>
      answerOf(returnType, { name: fieldName, parent: parentType.name, ordinal: '' }, how),
  });
  return JSON.stringify(answer);
}

interface Place {
  readonly name: string;
  readonly parent: string;
  /** Of a further value of a list. */
  readonly ordinal: '' | 'second ';
}

function answerOf(type: GraphQLOutputType, place: Place, how: MadeUp): unknown {
  if (isNonNullType(type)) return filledIn(type.ofType, place, how);
  return how.isBare ? null : filledIn(type, place, how);
}

function filledIn(type: GraphQLOutputType, place: Place, how: MadeUp): unknown {
  const { name, parent, ordinal } = place;
  const { isBare, known = {} } = how;
  const meant = known[`${parent}.${name}`] ?? known[name];
  if (isListType(type)) {
    const first = answerOf(type.ofType, place, how);
    const second = answerOf(type.ofType, { ...place, ordinal: 'second ' }, how);
    // Of objects, and of values that are all the same, one is enough.
    return typeof first === 'object' || first === second || meant !== undefined ? [first] : [first, second];
  }
  if (isEnumType(type)) return type.getValues()[isBare ? 0 : type.getValues().length - 1]?.value;
  if (!isScalarType(type)) return {};
  if (meant !== undefined) return meant;
  const number = isBare ? 0 : 2 + (hashOf(ordinal + name) % 97);
  if (type.name === 'Boolean') return !isBare;
  if (['Int', 'Float', 'SafeInt'].includes(type.name)) return number;
  if (type.name === 'JSON') return {};
  if (IS_NUMBER.test(`${parent}.${name}`)) return String(number);
  if (IS_TIME.test(name))
    return new Date(Date.parse(MADE_UP_NOW) - (hashOf(ordinal + name) / NAMES) * SPAN_MS).toISOString();
  return ordinal === '' ? `a ${name}` : `second ${name}`;
}

const hashOf = (name: string) =>
  [...name].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % NAMES, 7);
/** Numbers that are texts. */
const IS_NUMBER = /^WeekRows\.|\.(?:rows|\w*(?:Rows|[pP]osition|[sS]equence))/;
const IS_TIME =
  /(?:At|Time|Since|From|Until|Seen|Received|Reported|Used|Begins|^from|^to|^at|^before$|^week|^until|^day|^since|Through)s?$/;
