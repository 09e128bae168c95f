import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { type Attempt, entryOf, parametersText, type Result, storableName } from '../caller/access-entry';
import { type Principal, tenantsOf } from '../caller/principal';
import { toDomainError } from '../errors';
import { parseTenantId } from '../caller/tenant-set';
import { type AccessRule, accessRuleOf } from './access';
import type { GraphqlContext } from './context';

type Args = Readonly<Record<string, unknown>>;
type Resolve = GraphQLFieldResolver<unknown, GraphqlContext, Args>;

/**
 * Has every root field leave an entry in the access log, whichever entrance it is reached by. A change that
 * operators make is written in its transaction, by the store, so only its failure is noted here; what agents send is
 * no access, and only its refusal is.
 */
export function logEveryAccess(schema: GraphQLSchema): void {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  for (const field of [...Object.values(schema.getQueryType()?.getFields() ?? {}), ...mutations]) {
    const rule = accessRuleOf(field);
    if (!rule || !field.resolve) throw new Error(`${field.name} cannot be logged`);
    const writesItself = rule.principal === 'agent' || mutations.includes(field);
    field.resolve = logged(field.name, { rule, writesItself }, field.resolve as Resolve) as Resolve;
  }
}

function logged(
  operation: string,
  { rule, writesItself }: { readonly rule: AccessRule; readonly writesItself: boolean },
  resolve: Resolve,
): Resolve {
  return (source, args, context, info) => {
    const at = context.services.now();
    const attempt = () => attemptBy(context, operation, { at, parameters: parametersOf(rule, args) });
    const note = (result: Result) => context.services.accessLog.note(entryOf(attempt(), result));
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
const parametersOf = (rule: AccessRule, args: Args): Args => (rule.principal === 'agent' ? {} : args);

/**
 * Notes what is no root field of GraphQL. What hands over rows for a long time is noted twice: when it begins, with
 * null rows, and when it has ended.
 */
export function noteAccess(
  context: GraphqlContext,
  access: Result & { readonly operation: string; readonly parameters: object },
): void {
  const { operation, parameters, ...result } = access;
  const attempt = attemptBy(context, operation, { at: context.services.now(), parameters });
  context.services.accessLog.note(entryOf(attempt, result));
}

type Asking = Pick<GraphqlContext, 'principal' | 'requestId' | 'address' | 'entrance'>;

/** @param what.at milliseconds since 1970 */
export function attemptBy(
  { principal, requestId, address, entrance }: Asking,
  operation: string,
  { at, parameters }: { readonly at: number; readonly parameters: object },
): Attempt {
  const { kind, keyId, name, session } = principal;
  return {
    at: new Date(at),
    principalKind: kind,
    keyId,
    keyName: storableName(name),
    userName: session?.user ? storableName(session.user) : null,
    entrance: session ? 'dashboard' : entrance,
    operation,
    parameters: parametersText(parameters),
    tenantIds: tenantsConcerned(principal, parameters),
    requestId,
    address,
  };
}

/** An operator acts for no tenant, but may name some. */
function tenantsConcerned(principal: Principal, parameters: object): readonly number[] {
  if (principal.kind !== 'operator') return tenantsOf(principal);
  const { tenantId, tenantIds } = parameters as Args;
  const named = [tenantId, ...(Array.isArray(tenantIds) ? tenantIds : [])];
  return named.flatMap((id) => (typeof id === 'string' ? (parseTenantId(id) ?? []) : []));
}

/** Objects in the value of a root field: of a page its items, of anything else that is no list itself. */
function rowsOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (Array.isArray(value)) return value.length;
  const { items, entries } = value as { readonly items?: unknown; readonly entries?: unknown };
  const list = items ?? entries;
  return Array.isArray(list) ? list.length : 1;
}
