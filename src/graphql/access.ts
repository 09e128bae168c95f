import type { GraphQLField, GraphQLSchema } from 'graphql';
import { type AuthChecker, Authorized, Extensions } from 'type-graphql';
import { type AccessRule, enforce } from '../caller/access-rule';
import type { Call } from '../caller/call';

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
