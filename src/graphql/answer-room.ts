import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import type { Call } from '../caller/call';
import { holderOf, tenantsOf } from '../caller/principal';
import type { AnswerBytes } from '../caller/rate-limit/answer-bytes';
import { DomainError, ERRORS } from '../errors';
import { LIMITS } from '../limits';

type Resolve = GraphQLFieldResolver<unknown, Call, Readonly<Record<string, unknown>>>;

/** Fields with whole statements: an event is no larger than the batch that brought it. */
const LARGE: Readonly<Record<string, number>> = { auditEvent: LIMITS.ingestBodyBytesMax };

/** Has every field that reads hold room for its part of the answer until that has left, whichever entrance it is for. */
export function boundEveryAnswer(schema: GraphQLSchema, answers: AnswerBytes): void {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (!resolve) throw new Error(`${field.name} cannot be bounded`);
    field.resolve = bounded(
      resolve as Resolve,
      answers,
      LARGE[field.name] ?? LIMITS.answerBytesAssumed,
    ) as Resolve;
  }
}

const bounded =
  (resolve: Resolve, answers: AnswerBytes, bytesAssumed: number): Resolve =>
  async (source, args, context, info) => {
    const { principal, gone } = context;
    const asker = { holder: holderOf(principal), tenants: tenantsOf(principal) };
    const room = await answers.hold(asker, bytesAssumed).catch(refuse);
    try {
      const value: unknown = await resolve(source, args, context, info);
      room.settle(bytesOf(value));
      gone.then(room.release);
      return value;
    } catch (error) {
      room.release();
      return refuse(error);
    }
  };

/** GraphQL answers with 200 whatever its fields refuse; who is to wait is told so by the status. */
function refuse(error: unknown): never {
  if (error instanceof DomainError && error.retryAfterSeconds) {
    const headers = new Map([['retry-after', String(error.retryAfterSeconds)]]);
    Object.assign(error, { extensions: { http: { status: ERRORS[error.code].status, headers } } });
  }
  throw error;
}

const SHORT_CHARS = 512;
const PLAIN_BYTES = 8;

/** About what a value takes as text. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length < SHORT_CHARS ? value.length : Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return PLAIN_BYTES;
  let bytes = PLAIN_BYTES;
  for (const part of Object.values(value)) bytes += bytesOf(part);
  return bytes;
}
