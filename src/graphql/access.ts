import type { GraphQLField, GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { type AuthChecker, Authorized, Extensions } from 'type-graphql';
import { type AccessLog, entryOf, type Result } from '../caller/access-log';
import { attemptBy, type Call } from '../caller/call';
import { type AccessRule, enforce, holderOf, tenantsOf } from '../caller/principal';
import type { AnswerBytes } from '../caller/rate-limit/holdings';
import { DomainError, ERRORS, toDomainError } from '../errors';
import { markedBytes } from '../event/marks';
import { LIMITS } from '../limits';

/** Declares who may use a root field. Every check reads the rule from there. */
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

/** Stops the start if a root field has no rule, so that no field is open by mistake. */
export function assertEveryRootFieldHasRule(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of roots) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (!accessRuleOf(field)) throw new Error(`${type?.name}.${field.name} states no access rule`);
    }
  }
}

/** The access log, what joins the dashboard's reads on their way to it, and the clock for its entries. */
export interface AccessNotes {
  readonly accessLog: Pick<AccessLog, 'note'>;
  readonly accessViews: Pick<AccessLog, 'note'>;
  readonly nowMs: () => number;
}

type Args = Readonly<Record<string, unknown>>;
type Resolve = GraphQLFieldResolver<unknown, Call, Args>;

/**
 * Makes every root field leave an entry in the access log, whatever the entrance. The store writes the entry of a
 * change in the change's own transaction, so only failures of changes are noted here. What agents send is not an
 * access. Only its refusal is noted.
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
    accessViews,
    nowMs,
  }: AccessNotes & { readonly rule: AccessRule; readonly writesItself: boolean },
  resolve: Resolve,
): Resolve {
  return (source, args, context, info) => {
    const at = nowMs();
    const attempt = () => attemptBy(context, operation, { at, parameters: parametersOf(rule, args) });
    const note = (result: Result) => {
      const entry = entryOf(attempt(), result);
      (entry.entrance === 'dashboard' ? accessViews : accessLog).note(entry);
    };
    const own = writesItself ? { ...context, attempt } : context;
    const answer = resolve(source, args, own, info) as Promise<unknown>;
    // The entry is written in parallel with the answer, so that the caller does not wait for it.
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

/** Agents send events, so an entry about a refused agent has no parameters. */
const parametersOf = (rule: AccessRule, args: Args): Args =>
  rule.principal === 'agent' ? {} : withoutSecrets(args);

/** Keeps only the names of secrets. Removes the query of a URL, because it often contains a token. */
function withoutSecrets(args: Args): Args {
  if (args.secrets === undefined && args.url === undefined) return args;
  const { secrets, url, ...others } = args;
  return {
    ...others,
    ...(typeof url === 'string' && { url: url.replace(/\?.*/s, '?…').replace(/\/\/[^/@]*@/, '//…@') }),
    ...(typeof secrets === 'object' && secrets !== null && { secrets: Object.keys(secrets) }),
  };
}

/** Number of objects in a root field's value: the items of a list or a page, else 1. */
function rowsOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (Array.isArray(value)) return value.length;
  const { items, entries } = value as { readonly items?: unknown; readonly entries?: unknown };
  const list = items ?? entries;
  return Array.isArray(list) ? list.length : 1;
}

/** Fields that contain whole statements. An event is no larger than the batch that brought it. */
const LARGE: Readonly<Record<string, number>> = { auditEvent: LIMITS.ingestBodyBytesMax };

/** Makes every query field reserve room for its part of the answer until the answer has left, whatever the entrance. */
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

/** GraphQL answers with 200 when a field refuses. A caller that must wait gets another status. */
export function refuse(error: unknown): never {
  if (error instanceof DomainError && error.retryAfterSeconds) {
    const headers = new Map([['retry-after', String(error.retryAfterSeconds)]]);
    Object.assign(error, { extensions: { http: { status: ERRORS[error.code].status, headers } } });
  }
  throw error;
}

const SHORT_CHARS = 512;
const PLAIN_BYTES = 8;

/** Approximate size of a value as text, in bytes. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string')
    return value.length < SHORT_CHARS ? value.length : Buffer.byteLength(value) + markedBytes(value);
  if (typeof value !== 'object' || value === null) return PLAIN_BYTES;
  let bytes = PLAIN_BYTES;
  // A loop needs no array of the values. An answer has hundreds of objects.
  for (const name in value) bytes += bytesOf((value as Readonly<Record<string, unknown>>)[name]);
  return bytes;
}
