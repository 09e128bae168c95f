import type { GraphQLField, GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { type AuthChecker, Authorized, Extensions } from 'type-graphql';
import { type AccessLog, entryOf, type Result } from '../caller/access-log';
import { attemptBy, type Call } from '../caller/call';
import { type AccessRule, enforce, holderOf, tenantsOf } from '../caller/principal';
import type { AnswerBytes } from '../caller/rate-limit/holdings';
import { DomainError, ERRORS, toDomainError } from '../errors';
import { LIMITS } from '../limits';

/** States on a root field who may use it. Everyone who asks reads it from there. */
export function Access(rule: AccessRule): MethodDecorator {
  return (target, name, descriptor) => {
    Authorized<AccessRule>([rule])(target, name, descriptor as TypedPropertyDescriptor<unknown>);
    Extensions({ access: rule })(target, name, descriptor as TypedPropertyDescriptor<unknown>);
  };
}

export const authChecker: AuthChecker<Call, AccessRule> = ({ context }, rules) => {
  for (const rule of rules) enforce(rule, context.principal);
  return rules.length > 0;
};

export function accessRuleOf(field: GraphQLField<unknown, unknown>): AccessRule | null {
  return (field.extensions.access as AccessRule | undefined) ?? null;
}

/** Stops the start when a root field states no rule: nothing is reachable by oversight. */
export function assertEveryRootFieldHasRule(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of roots) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (!accessRuleOf(field)) throw new Error(`${type?.name}.${field.name} states no access rule`);
    }
  }
}

/** Where entries of the access log go, and what time they say. */
export interface AccessNotes {
  readonly accessLog: Pick<AccessLog, 'note'>;
  readonly nowMs: () => number;
}

type Args = Readonly<Record<string, unknown>>;
type Resolve = GraphQLFieldResolver<unknown, Call, Args>;

/**
 * Has every root field leave an entry in the access log, whichever entrance it is reached by. The store writes the
 * entry of a change in the transaction of that change, so only a failure is noted here. What agents send is no access:
 * only its refusal is noted.
 */
export function logEveryAccess(schema: GraphQLSchema, to: AccessNotes): void {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  for (const field of [...Object.values(schema.getQueryType()?.getFields() ?? {}), ...mutations]) {
    const rule = accessRuleOf(field);
    if (!rule || !field.resolve) throw new Error(`${field.name} cannot be logged`);
    const writesItself = rule.principal === 'agent' || mutations.includes(field);
    field.resolve = logged(field.name, { ...to, rule, writesItself }, field.resolve as Resolve) as Resolve;
  }
}

function logged(
  operation: string,
  {
    rule,
    writesItself,
    accessLog,
    nowMs,
  }: AccessNotes & { readonly rule: AccessRule; readonly writesItself: boolean },
  resolve: Resolve,
): Resolve {
  return (source, args, context, info) => {
    const at = nowMs();
    const attempt = () => attemptBy(context, operation, { at, parameters: parametersOf(rule, args) });
    const note = (result: Result) => accessLog.note(entryOf(attempt(), result));
    const own = writesItself ? { ...context, attempt } : context;
    const answer = resolve(source, args, own, info) as Promise<unknown>;
    // Beside the answer, not before it: the caller does not wait for this.
    answer.then(
      (value) => {
        const rows = rowsOf(value);
        context.onValue?.(value, rows);
        if (!writesItself) note({ outcome: 'ok', rows });
      },
      (error) => note({ outcome: toDomainError(error).code, rows: null }),
    );
    return answer;
  };
}

/** What agents send is events: their refusal tells who tried, not what was in them. */
const parametersOf = (rule: AccessRule, args: Args): Args =>
  rule.principal === 'agent' ? {} : withoutSecrets(args);

/** Of secrets the names alone; of a URL not the query, which often holds a token. */
function withoutSecrets(args: Args): Args {
  if (args.secrets === undefined && args.url === undefined) return args;
  const { secrets, url, ...others } = args;
  return {
    ...others,
    ...(typeof url === 'string' && { url: url.replace(/\?.*/s, '?…').replace(/\/\/[^/@]*@/, '//…@') }),
    ...(typeof secrets === 'object' && secrets !== null && { secrets: Object.keys(secrets) }),
  };
}

/** Objects in the value of a root field: of a page its items, of anything else that is no list itself. */
function rowsOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (Array.isArray(value)) return value.length;
  const { items, entries } = value as { readonly items?: unknown; readonly entries?: unknown };
  const list = items ?? entries;
  return Array.isArray(list) ? list.length : 1;
}

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
export function refuse(error: unknown): never {
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
  // Without an array of the values: an answer has hundreds of them.
  for (const name in value) bytes += bytesOf((value as Readonly<Record<string, unknown>>)[name]);
  return bytes;
}
