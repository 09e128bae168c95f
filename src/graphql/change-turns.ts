import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import type { Call } from '../caller/call';
import { askerOf } from '../caller/principal';
import type { FairShare } from '../caller/rate-limit/fair-share';
import { accessRuleOf } from './access';
import { refuse } from './guard';

type Resolve = GraphQLFieldResolver<unknown, Call>;

/**
 * Makes the changes of tenants take turns. A change that waits for a row of its tenant keeps a connection, and many of
 * them would keep all connections. The agents' batches have separate turns. Operators are not limited. The guard has
 * checked the access rule before.
 */
export function boundEveryChange(schema: GraphQLSchema, changes: Pick<FairShare, 'run'>): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const [rule, resolve] = [accessRuleOf(field), field.resolve as Resolve | undefined];
    if (!rule || !resolve) throw new Error(`${field.name} cannot be bounded`);
    if (rule.principal !== 'public') continue;
    const bounded: Resolve = (source, args, context, info) =>
      inTurn(changes, context, async () => resolve(source, args, context, info)).catch(refuse);
    field.resolve = bounded;
  }
}

/** Runs a tenant's work in its turn, and an operator's at once. @throws DomainError `service_unavailable` */
export const inTurn = <T>(changes: Pick<FairShare, 'run'>, call: Call, work: () => Promise<T>): Promise<T> =>
  call.principal.kind === 'operator' ? work() : changes.run(askerOf(call), work);
