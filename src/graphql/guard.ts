import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { type AccessLog, entryOf, type Result } from '../caller/access-log';
import { attemptBy, type Call } from '../caller/call';
import {
  type AccessRule,
  enforce,
  holderOf,
  type Principal,
  tenantSetOf,
  tenantsOf,
} from '../caller/principal';
import type { AnswerBytes, Room } from '../caller/rate-limit/holdings';
import { DomainError, ERRORS, toDomainError } from '../errors';
import { markedBytes } from '../event/marks';
import { LIMITS } from '../limits';
import { accessRuleOf } from './access';

/** An operation of a call, at any entrance. */
export interface Guarded {
  readonly call: Pick<Call, 'principal' | 'entrance'>;
  readonly rule: AccessRule;
  /** Takes the outcome for the access log. */
  readonly note: (result: Result) => void;
}

/** What an operation says of itself while it runs. */
export interface Running {
  /** The objects that were handed over so far: the number in the access log, also where the operation fails. */
  rows: number | null;
  /** Notes that the answer begins, for one that takes long. */
  readonly begins: () => void;
}

/** Checks the access rule. A refusal is noted. @throws DomainError `forbidden` */
export function admit({ call, rule, note }: Guarded): void {
  try {
    enforce(rule, call);
  } catch (error) {
    note({ outcome: toDomainError(error).code, rows: null });
    throw error;
  }
}

/** Runs an operation if its access rule permits it, and notes the outcome. @throws DomainError `forbidden` */
export async function guarded<T>(of: Guarded, work: (running: Running) => Promise<T>): Promise<T> {
  admit(of);
  const running: Running = { rows: null, begins: () => of.note({ outcome: 'ok', rows: null }) };
  try {
    const value = await work(running);
    of.note({ outcome: 'ok', rows: running.rows });
    return value;
  } catch (error) {
    of.note({ outcome: toDomainError(error).code, rows: running.rows });
    throw error;
  }
}

/**
 * Reserves room for an answer, until it has left at the latest.
 * @param bytes as far as they are known @throws DomainError `service_unavailable` @throws CallerGone
 */
export const holdFor = (
  { principal, gone }: Pick<Call, 'principal' | 'gone'>,
  answers: AnswerBytes,
  bytes: number,
): Promise<Room> => answers.hold({ holder: holderOf(principal), tenants: tenantsOf(principal), gone }, bytes);

/**
 * Checks the caller again, because an operation may outlast a key, a session, or the caller's right to a tenant.
 * @param when these may have ended, in words
 * @param tenants of the operation
 * @throws DomainError `unauthorized`, `forbidden`
 */
export async function admitAgain(
  call: Pick<Call, 'again' | 'entrance'>,
  rule: AccessRule,
  when: string,
  tenants: readonly number[],
) {
  const principal = await call.again();
  if (!principal)
    throw new DomainError('unauthorized', { public: `The key or the session has ended ${when}.` });
  enforce(rule, { principal, entrance: call.entrance });
  assertStillHas(principal, tenants, when);
  return principal;
}

/** @throws DomainError `forbidden` if a caller who was looked up again has lost one of the tenants */
export function assertStillHas(principal: Principal, tenants: readonly number[], when: string): void {
  const now = tenantSetOf({ principal });
  if (tenants.some((tenantId) => !now.includes(tenantId)))
    throw new DomainError('forbidden', { public: `The key lost a tenant ${when}.` });
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
 * Guards every root field, whatever the entrance: its access rule is checked, and it leaves an entry in the access log.
 * The store writes the entry of a change in the change's own transaction, so only failures of changes are noted here.
 * What agents send is not an access. Only its refusal is noted.
 */
export function guardEveryAccess(schema: GraphQLSchema, to: AccessNotes): void {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  for (const field of [...Object.values(schema.getQueryType()?.getFields() ?? {}), ...mutations]) {
    const rule = accessRuleOf(field);
    if (!rule || !field.resolve) throw new Error(`${field.name} cannot be guarded`);
    const writesItself = rule.principal === 'agent' || mutations.includes(field);
    field.resolve = guardedField(
      field.name,
      { ...to, rule, writesItself },
      field.resolve as Resolve,
    ) as Resolve;
  }
}

function guardedField(
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
      if (writesItself && result.outcome === 'ok') return;
      const entry = entryOf(attempt(), result);
      (entry.entrance === 'dashboard' ? accessViews : accessLog).note(entry);
    };
    const call = writesItself ? { ...context, attempt } : context;
    return guarded({ call, rule, note }, async (running) => {
      const value: unknown = await resolve(source, args, call, info);
      running.rows = rowsOf(value);
      context.onValue?.(value, running.rows);
      return value;
    });
  };
}

/** Agents send events, so an entry about a refused agent has no parameters. */
const parametersOf = (rule: AccessRule, args: Args): Args =>
  rule.principal === 'agent' ? {} : withoutSecrets(args);

/**
 * Keeps only the names of secrets. Removes the query of a URL, because it often contains a token, what an erasure is about,
 * because it may name what is erased, a note on an event, because it is erased with the event, and the bytes of a file.
 */
function withoutSecrets(args: Args): Args {
  const names = ['secrets', 'url', 'erased', 'note', 'bytes'];
  if (names.every((name) => args[name] === undefined)) return args;
  const { secrets, url, erased: _, note: __, bytes: ___, ...others } = args;
  return {
    ...others,
    ...(typeof url === 'string' && { url: url.replace(/\?.*/s, '?…').replace(LOGIN, '$1…@') }),
    ...(typeof secrets === 'object' && secrets !== null && { secrets: Object.keys(secrets) }),
  };
}

/**
 * What may be the login of a URL: all up to the last @. A password may have signs that end a login, and parsers take any
 * number of slashes, of either kind, before it.
 */
const LOGIN = /^(\s*[a-z][a-z\d+.-]*:[\\/]*).*@/is;

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
    const room = await holdFor(context, answers, bytesAssumed).catch(refuse);
    try {
      const value: unknown = await resolve(source, args, context, info);
      room.settle(bytesOf(value));
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
