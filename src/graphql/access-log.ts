import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { entryOf, type Result } from '../caller/access-entry';
import type { AccessLog } from '../caller/access-log';
import type { AccessRule } from '../caller/access-rule';
import { attemptBy, type Call } from '../caller/call';
import { toDomainError } from '../errors';
import { accessRuleOf } from './access';

/** Where entries of the access log go, and what time they say. */
export interface AccessNotes {
  readonly accessLog: Pick<AccessLog, 'note'>;
  readonly nowMs: () => number;
}

type Args = Readonly<Record<string, unknown>>;
type Resolve = GraphQLFieldResolver<unknown, Call, Args>;

/**
 * Has every root field leave an entry in the access log, whichever entrance it is reached by. A change that
 * operators make is written in its transaction, by the store, so only its failure is noted here; what agents send is
 * no access, and only its refusal is.
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
